import type { ServerHttp2Stream } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { deadPort, endpointsAt, inTurn, sendingTo, startApp } from '../../support/backends/endpoint-apps.ts';
import { startFullListener } from '../../support/backends/full-listener.ts';
import { Http2Backend } from '../../support/backends/http2-backend.ts';
import { eachRequest, plainAnswer, type Script } from '../../support/backends/scripted-backend.ts';
import { eachStream } from '../../support/backends/scripted-http2-backend.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { switching, UPGRADE } from '../../support/clients/websocket-upgrade.ts';
import type { ConfiguredGateway } from '../../support/gateways/configured-gateway.ts';
import { send, serve } from '../../support/gateways/served.ts';

const HTTP2 = { protocolVersion: 'HTTP/2', http2PriorKnowledge: true };
const GRPC_HEAD = { ':status': 200, 'content-type': 'application/grpc' };
/** An ejected endpoint does not return within a test. */
const passiveHealth = { consecutiveFailures: 3, ejectionTime: '5 minutes' };
/** Only where it has to run out: a busy machine is slow. */
const patience = (reason: string): JsonObject => (reason === 'backend-timeout' ? { soTimeout: '3 seconds' } : {});

async function startHttp2(handler: (stream: ServerHttp2Stream) => void): Promise<number> {
  const started = await Http2Backend.start(handler);
  onTestFinished(() => started.close());
  return started.destination.port;
}

async function fullPort(): Promise<number> {
  const full = await startFullListener();
  onTestFinished(() => full.close());
  return full.port;
}

const answering = (stream: ServerHttp2Stream): void => {
  stream.respond({ ':status': 200 });
  stream.end('good');
};

const ejectedBy = ({ logged }: ConfiguredGateway): unknown[] =>
  logged.filter(({ msg }) => String(msg).startsWith('endpoint ejected')).map(({ reason }) => reason);

/** Sends requests until an endpoint is ejected. */
async function untilEjected(gateway: ConfiguredGateway, ask: () => Promise<unknown>): Promise<void> {
  while (ejectedBy(gateway).length === 0) await Promise.allSettled(Array.from({ length: 4 }, ask));
}

describe('over HTTP/2, an endpoint that', () => {
  it.each<[string, (stream: ServerHttp2Stream) => void, string]>([
    ['answers 503', (stream) => stream.respond({ ':status': 503 }, { endStream: true }), 'status 503'],
    ['resets its streams', (stream) => stream.close(2), 'backend-reset'],
    ['closes its connections', (stream) => stream.session?.destroy(), 'backend-closed'],
    ['does not answer', () => {}, 'backend-timeout'],
    [
      'answers gRPC calls with UNAVAILABLE',
      (stream) => stream.respond({ ...GRPC_HEAD, 'grpc-status': '14' }, { endStream: true }),
      'status 503',
    ],
  ])('%s gets no more requests', async (_case, handler, reason) => {
    const [bad, good] = [await startHttp2(handler), await startHttp2(answering)];
    const backends = inTurn(endpointsAt(bad, good), { passiveHealth });
    const gateway = await serve(sendingTo(backends, { ...HTTP2, ...patience(reason) }));
    await untilEjected(gateway, () => send(gateway, 'GET /'));
    expect(ejectedBy(gateway)).toEqual([reason]);
    for (let request = 0; request < 6; request++) expect((await send(gateway, 'GET /')).body).toBe('good');
  });

  it('breaks off its answers gets no more requests', async () => {
    const bad = await startApp(
      eachStream(({ stream }, peer) => {
        peer.headers(stream, [[':status', '200']], false);
        peer.data(stream, 'half', false);
        peer.reset(stream, 2);
      }),
    );
    const backends = inTurn(endpointsAt(bad.port, await startHttp2(answering)), { passiveHealth });
    const gateway = await serve(sendingTo(backends, HTTP2));
    await untilEjected(gateway, () => send(gateway, 'GET /'));
    expect(ejectedBy(gateway)).toEqual(['backend-cut']);
    for (let request = 0; request < 6; request++) expect((await send(gateway, 'GET /')).body).toBe('good');
  });

  it('does not accept connections costs no request', async () => {
    const backends = inTurn(endpointsAt(await fullPort(), await startHttp2(answering)));
    const gateway = await serve(sendingTo(backends, { ...HTTP2, connectionTimeout: '2 seconds' }));
    for (let request = 0; request < 4; request++) expect((await send(gateway, 'GET /')).body).toBe('good');
  });

  it.each(['5', '13', '16'])('answers gRPC calls with status %s is well', async (code) => {
    const port = await startHttp2((stream) =>
      stream.respond({ ...GRPC_HEAD, 'grpc-status': code }, { endStream: true }),
    );
    const backends = inTurn(endpointsAt(port, await startHttp2(answering)), { passiveHealth });
    const gateway = await serve(sendingTo(backends, HTTP2));
    for (let request = 0; request < 12; request++) await send(gateway, 'GET /');
    expect(ejectedBy(gateway)).toEqual([]);
  });
});

/** Opens a WebSocket. @returns the status of the answer */
async function opened({ port }: ConfiguredGateway): Promise<string> {
  const client = await RawClient.connect(port);
  onTestFinished(() => client.destroy());
  client.send(`GET /socket HTTP/1.1\r\nHost: gw.test\r\n${UPGRADE}\r\n`);
  return (await client.until((text) => text.includes('\r\n\r\n'))).split(' ')[1] ?? '';
}

describe('for WebSockets, an endpoint that', () => {
  const through = (ports: readonly number[], config: JsonObject = {}): JsonObject =>
    sendingTo(inTurn(endpointsAt(...ports), { passiveHealth }), { websocket: { enabled: true }, ...config });

  it.each<[string, Script, string]>([
    ['answers 503', eachRequest(() => plainAnswer('no', '503 Unavailable')), 'status 503'],
    ['resets connections', async (peer) => void ((await peer.head()) !== null && peer.reset()), 'backend-closed'],
    ['does not answer', () => {}, 'backend-timeout'],
  ])('%s gets no more requests', async (_case, script, reason) => {
    const [bad, good] = [await startApp(script), await startApp(switching(() => {}))];
    const gateway = await serve(through([bad.port, good.port], patience(reason)));
    await untilEjected(gateway, () => opened(gateway));
    expect(ejectedBy(gateway)).toEqual([reason]);
    for (let request = 0; request < 4; request++) expect(await opened(gateway)).toBe('101');
  });

  it.each([
    ['is dead', deadPort],
    ['does not accept connections', fullPort],
  ])('%s costs none', async (_case, start) => {
    const good = await startApp(switching(() => {}));
    const gateway = await serve(through([await start(), good.port], { connectionTimeout: '2 seconds' }));
    for (let request = 0; request < 4; request++) expect(await opened(gateway)).toBe('101');
  });
});
