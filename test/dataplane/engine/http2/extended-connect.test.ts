import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { ERROR, FLAG } from '../../../../dataplane/engine/frames/frames.ts';
import { DEFAULT_WEBSOCKETS, openWebSocket } from '../../../../dataplane/engine/websocket/open.ts';
import { FrameClient, GET, headersFrame } from '../../../support/clients/frame-client.ts';
import type { Field } from '../../../support/clients/hpack-blocks.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let server: Server;
let sockets: WebSocketServer;
let gateway: TestGateway;
let session: ClientHttp2Session;

beforeAll(async () => {
  server = createServer((request, response) => {
    response.statusCode = Number(new URL(request.url!, 'http://backend').searchParams.get('status') ?? 200);
    response.end('no WebSocket here');
  });
  sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });
  server.on('upgrade', (request, socket, head) => {
    if (request.url === '/refused') socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
    else if (request.url === '/wrong') {
      socket.end(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n',
      );
    } else if (request.url === '/plain') socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain');
    else {
      sockets.handleUpgrade(request, socket, head, (peer) => {
        if (request.url === '/bye') peer.close(1000, 'bye');
        peer.on('message', (data, isBinary) => peer.send(data, { binary: isBinary }));
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  gateway = await startGateway({
    backend: { destination: { host: '127.0.0.1', port }, upgrades: ['websocket'] },
    handler: (forward) => (exchange) =>
      exchange.request.upgrade === null
        ? forward(exchange)
        : openWebSocket(exchange, forward, DEFAULT_WEBSOCKETS, () => {}),
  });
});
afterAll(async () => {
  await gateway.close();
  for (const peer of sockets.clients) peer.terminate();
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  session = connect(`http://127.0.0.1:${gateway.port}`);
  await once(session, 'remoteSettings');
});
afterEach(() => {
  session.destroy();
});

function open(path: string, headers: Record<string, string> = {}): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'CONNECT',
    ':protocol': 'websocket',
    ':path': path,
    'sec-websocket-version': '13',
    ...headers,
  });
  stream.on('error', () => {});
  return stream;
}

async function answerOf(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  return headers;
}

/** A frame as a client sends it: masked, with a mask of zeros. */
function clientFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : 10);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (length < 126 ? length : 127);
  if (length >= 126) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

/** Reads until as many bytes have come. */
async function read(stream: ClientHttp2Stream, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let got = 0; got < length; ) {
    const chunk = stream.read() as Buffer | null;
    if (chunk === null) await once(stream, 'readable');
    else {
      chunks.push(chunk);
      got += chunk.length;
    }
  }
  return Buffer.concat(chunks);
}

it('is offered', () => {
  expect(session.remoteSettings.enableConnectProtocol).toBe(true);
});

describe('a WebSocket on a stream', () => {
  it('echoes beside other requests, and closes cleanly', async () => {
    const stream = open('/echo', { 'sec-websocket-protocol': 'chat' });
    const headers = await answerOf(stream);
    expect(headers[':status']).toBe(200);
    expect(headers['sec-websocket-protocol']).toBe('chat');
    expect(headers).not.toHaveProperty('sec-websocket-accept');
    expect(headers).not.toHaveProperty('upgrade');
    stream.write(clientFrame(1, Buffer.from('hello')));
    expect((await read(stream, 7)).toString('latin1')).toBe('\x81\x05hello');
    const plain = session.request({ ':path': '/' });
    expect((await answerOf(plain))[':status']).toBe(200);
    plain.resume();
    stream.write(clientFrame(8, Buffer.from([3, 232])));
    expect((await read(stream, 4)).toString('hex')).toBe('880203e8');
    stream.end();
    stream.resume();
    await once(stream, 'close');
    expect(gateway.finished.find(({ path }) => path === '/echo')).toMatchObject({ method: 'GET', status: 200 });
  });

  it.each([
    ['the proof that the client asks for', 'dGhlIHNhbXBsZSBub25jZQ==', 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='],
    ['none for what is no key', 'anything', undefined],
  ])('is answered with %s', async (_case, key, accept) => {
    const stream = open('/echo', { 'sec-websocket-key': key });
    const headers = await answerOf(stream);
    expect([headers[':status'], headers['sec-websocket-accept']]).toEqual([200, accept]);
    stream.write(clientFrame(1, Buffer.from('hello')));
    expect((await read(stream, 7)).toString('latin1')).toBe('\x81\x05hello');
    stream.close();
  });

  it('transfers data sent before the handshake ended, and more than all windows allow', async () => {
    const stream = open('/echo');
    const payload = Buffer.alloc(3_000_000, 'abcdefghij');
    stream.write(clientFrame(2, payload));
    expect((await answerOf(stream))[':status']).toBe(200);
    const echo = await read(stream, payload.length + 10);
    expect(echo.subarray(10).equals(payload)).toBe(true);
    stream.close();
  });

  it('ends when the backend ends it', async () => {
    const stream = open('/bye');
    await answerOf(stream);
    expect((await read(stream, 7)).subarray(4).toString()).toBe('bye');
    stream.write(clientFrame(8, Buffer.from([3, 232])));
    stream.resume();
    await once(stream, 'close');
  });

  it('ends at the backend when the client ended it with its first frame', async () => {
    const client = await FrameClient.connect(gateway.port);
    const upgrade = once(server, 'upgrade');
    const asked: Field[] = [[':method', 'CONNECT'], [':protocol', 'websocket'], ...GET.slice(1)];
    client.send(headersFrame(1, [...asked, ['sec-websocket-version', '13']], FLAG.END_HEADERS | FLAG.END_STREAM));
    const [, backend] = (await upgrade) as [unknown, Socket];
    await once(backend, 'close');
    await client.whole(1);
    client.raw.destroy();
  });

  it('ends at the backend when the client resets the stream', async () => {
    const stream = open('/echo');
    await answerOf(stream);
    const [peer] = [...sockets.clients].slice(-1);
    const closed = once(peer!, 'close');
    stream.close(constants.NGHTTP2_CANCEL);
    await closed;
  });
});

it('a WebSocket gets a Close frame when the gateway stops', async () => {
  const { port } = server.address() as AddressInfo;
  const stopping = await startGateway({
    backend: { destination: { host: '127.0.0.1', port }, upgrades: ['websocket'] },
    handler: (forward) => (exchange) => openWebSocket(exchange, forward, DEFAULT_WEBSOCKETS, () => {}),
  });
  session.destroy();
  session = connect(`http://127.0.0.1:${stopping.port}`);
  session.on('error', () => {});
  await once(session, 'remoteSettings');
  const stream = open('/echo');
  await answerOf(stream);
  const [peer] = [...sockets.clients].slice(-1);
  const closed = once(peer!, 'close');
  expect(await stopping.listener.drain(1)).toBe(1);
  const word = await read(stream, 4);
  expect([word[0], word.readUInt16BE(2)]).toEqual([0x88, 1001]);
  expect(((await closed) as [number])[0]).toBe(1001);
  await stopping.close();
});

describe('a CONNECT that is not a WebSocket', () => {
  it.each([
    ['/refused', 403],
    ['/wrong', 502],
    ['/plain', 502],
  ])('%s is answered with %i', async (path, status) => {
    const stream = open(path);
    expect((await answerOf(stream))[':status']).toBe(status);
    stream.resume();
    await once(stream, 'close');
  });

  it.each<[string, Record<string, string>, number]>([
    ['another version', { 'sec-websocket-version': '12' }, 426],
    ['another protocol', { ':protocol': 'connect-udp' }, 405],
  ])('%s is refused', async (_what, headers, status) => {
    expect((await answerOf(open('/echo', headers)))[':status']).toBe(status);
  });

  it('a tunnel with a length is malformed', async () => {
    const client = await FrameClient.connect(gateway.port);
    client.send(
      headersFrame(
        1,
        [[':method', 'CONNECT'], [':protocol', 'websocket'], ...GET.slice(1), ['content-length', '5']],
        FLAG.END_HEADERS,
      ),
    );
    expect(await client.outcome(1)).toBe(`reset ${ERROR.PROTOCOL_ERROR}`);
    client.raw.destroy();
  });
});
