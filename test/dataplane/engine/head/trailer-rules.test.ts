import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  connect,
  createServer as createHttp2Server,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startConfigured } from '../../../support/gateways/configured-gateway.ts';

/** What the client sends, and what the backend answers with, behind the content. */
const SENT = {
  'x-user': 'admin',
  'x.user': 'admin',
  x_user: 'admin',
  'x-other': 'o',
  digest: 'sha-256=x',
  etag: '"1"',
};
const GRPC = { 'grpc-status': '0', 'grpc-message': 'fine', 'x-meta-bin': 'AA', server: 'secret' };

/** The fields alone. */
function plain(fields: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

const received: Record<string, string>[] = [];
let http1: Server;
let http2: Http2Server;

beforeAll(async () => {
  http1 = createServer(async (request, response) => {
    await buffer(request);
    received.push(request.trailers as Record<string, string>);
    response.writeHead(200, { trailer: 'etag' });
    response.write('answer');
    response.addTrailers(request.url === '/grpc' ? GRPC : { ...SENT, server: 'secret' });
    response.end();
  });
  http2 = createHttp2Server();
  http2.on('stream', async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    let trailers: IncomingHttpHeaders = {};
    stream.on('trailers', (fields: IncomingHttpHeaders) => (trailers = fields));
    await buffer(stream);
    received.push(plain(trailers));
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.on('wantTrailers', () =>
      stream.sendTrailers(headers[':path'] === '/grpc' ? GRPC : { ...SENT, server: 'secret' }),
    );
    stream.end('answer');
  });
  for (const server of [http1, http2]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
});
afterAll(() => {
  http1.close();
  http2.close();
});

interface Way {
  readonly backend: 'HTTP/1.1' | 'HTTP/2';
  readonly buffered: boolean;
  readonly filters?: readonly JsonObject[];
  readonly limits?: { trailers: 'all' };
}

async function start({ backend, buffered, filters = [], limits = undefined }: Way) {
  const { port } = (backend === 'HTTP/2' ? http2 : http1).address() as AddressInfo;
  const proxy = {
    type: 'ReverseProxyHandler',
    config: backend === 'HTTP/2' ? { protocolVersion: 'HTTP/2', http2PriorKnowledge: true } : {},
  };
  const gateway = await startConfigured(
    {
      baseURI: `http://127.0.0.1:${port}`,
      handler: { type: 'Chain', config: { filters: [...filters], handler: proxy } },
    },
    { streaming: !buffered, ...(limits === undefined ? {} : { limits }) },
  );
  onTestFinished(() => gateway.close());
  return gateway;
}

async function sendHttp1(port: number, path: string): Promise<string> {
  const lines = Object.entries(SENT).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const client = await RawClient.connect(port);
  client.send(`${head}5\r\nhello\r\n0\r\n${lines.join('')}\r\n`);
  const text = await client.untilClosed();
  client.destroy();
  return text.slice(text.lastIndexOf('\r\n0\r\n') + 5);
}

async function sendHttp2(port: number, path: string): Promise<Record<string, string>> {
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({ ':method': 'POST', ':path': path }, { endStream: false, waitForTrailers: true });
  let after: IncomingHttpHeaders = {};
  stream.on('trailers', (fields: IncomingHttpHeaders) => (after = fields));
  stream.on('wantTrailers', () => stream.sendTrailers(SENT));
  stream.end('hello');
  await buffer(stream);
  session.close();
  return plain(after);
}

const ways: Way[] = [
  { backend: 'HTTP/1.1', buffered: false },
  { backend: 'HTTP/1.1', buffered: true },
  { backend: 'HTTP/2', buffered: false },
  { backend: 'HTTP/2', buffered: true },
];

describe.each(ways)('trailers to and from a backend of $backend, buffered: $buffered', (way) => {
  const setUser = {
    type: 'HeaderFilter',
    config: { messageType: 'REQUEST', remove: ['X-User'], add: { 'X-User': ['me'] } },
  };
  const hideServer = { type: 'HeaderFilter', config: { messageType: 'RESPONSE', remove: ['Server'] } };
  const listed = { digest: 'sha-256=x', etag: '"1"' };

  it('pass in both directions where they are listed, and only then', async () => {
    const gateway = await start(way);
    expect(await sendHttp1(gateway.port, '/')).toBe('digest: sha-256=x\r\netag: "1"\r\n\r\n');
    expect(received.at(-1)).toEqual(listed);
    expect(await sendHttp2(gateway.port, '/')).toEqual(listed);
    expect(received.at(-1)).toEqual(listed);
  });

  it('never bring a header that a filter sets or removes, also where all pass', async () => {
    const gateway = await start({ ...way, filters: [setUser, hideServer], limits: { trailers: 'all' } });
    await sendHttp1(gateway.port, '/');
    expect(received.at(-1)).toEqual({ 'x-other': 'o', ...listed });
    const answered = await sendHttp2(gateway.port, '/');
    expect(received.at(-1)).toEqual({ 'x-other': 'o', ...listed });
    expect(answered).not.toHaveProperty('server');
    expect(answered).toMatchObject({ 'x-other': 'o', 'x-user': 'admin' });
  });

  it('of gRPC responses pass with their metadata, except fields that a filter removes', async () => {
    const gateway = await start({ ...way, filters: [hideServer] });
    expect(await sendHttp2(gateway.port, '/grpc')).toEqual({
      'grpc-status': '0',
      'grpc-message': 'fine',
      'x-meta-bin': 'AA',
    });
  });
});

it('a listed trailer that a filter removes as a header does not pass', async () => {
  const remove = { type: 'HeaderFilter', config: { messageType: 'REQUEST', remove: ['Digest'] } };
  const gateway = await start({ backend: 'HTTP/1.1', buffered: false, filters: [remove] });
  await sendHttp1(gateway.port, '/');
  expect(received.at(-1)).toEqual({ etag: '"1"' });
});
