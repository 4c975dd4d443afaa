import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { Http2Backend } from '../../../support/backends/http2-backend.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';
import { KNOWN_HTTP2 } from '../../../support/gateways/proxied-http2.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const GIVEN = { 'x-request-id': 'edge-7', traceparent: PARENT, tracestate: 'a=1' };
const CREATED = /^[0-9a-f]{32}$/;

let backend: Http2Backend;
let gateway: TestGateway;
let session: ClientHttp2Session;

beforeEach(async () => {
  backend = await Http2Backend.start((stream) => {
    stream.respond({ ':status': 200 });
    stream.end('ok');
  });
});
afterEach(async () => {
  session.close();
  await gateway.close();
  await backend.close();
});

async function start(isTrusted: boolean, refuses = false): Promise<void> {
  gateway = await startGateway({
    backend: { destination: backend.destination, ...KNOWN_HTTP2 },
    ...(refuses ? { handler: () => () => textResponse(403, 'no') } : {}),
    trustedProxies: isTrusted ? ['127.0.0.0/8'] : [],
    limits: { requestIds: true },
  });
  session = connect(`http://127.0.0.1:${gateway.port}`);
}

/** Sends a request over HTTP/2. @returns the headers of its answer. */
async function ask(headers: Record<string, string> = {}): Promise<IncomingHttpHeaders> {
  const stream = session.request({ ':path': '/', ...headers });
  const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  stream.resume();
  await once(stream, 'close');
  return answer;
}

describe('a request over HTTP/2, to a backend over HTTP/2', () => {
  it('gets a new request id and a new trace in place of those of any client', async () => {
    await start(false);
    const answer = await ask(GIVEN);
    const { 'x-request-id': id, traceparent, tracestate } = backend.requests[0]!;
    expect(id).toMatch(CREATED);
    expect(traceparent).toMatch(new RegExp(`^00-${String(id)}-[0-9a-f]{16}-01$`));
    expect(tracestate).toBeUndefined();
    expect(gateway.finished[0]?.ids).toMatchObject({ requestId: id, traceId: id });
    expect(answer['x-request-id']).toBeUndefined();
  });

  it('keeps the ids of a trusted peer', async () => {
    await start(true);
    await ask(GIVEN);
    const { 'x-request-id': id, traceparent, tracestate } = backend.requests[0]!;
    expect([id, tracestate]).toEqual(['edge-7', 'a=1']);
    expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(traceparent).not.toBe(PARENT);
    expect(gateway.finished[0]?.ids).toMatchObject({ requestId: 'edge-7', traceId: TRACE });
  });

  it('gets its id with an answer of the gateway itself', async () => {
    await start(false, true);
    const { ':status': status, 'x-request-id': id } = await ask();
    expect(status).toBe(403);
    expect(id).toMatch(CREATED);
    expect(gateway.finished[0]?.ids?.requestId).toBe(id);
  });
});
