import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket, { type ClientOptions, WebSocketServer } from 'ws';
import { certifiers, PeerGateway } from '../../support/gateways/peer-gateway.ts';

const who = certifiers();
const servers: Server[] = [];
/** The ends of connections as the application saw them: code and reason. */
const seen: string[] = [];
let gateway: PeerGateway;
const clients: WebSocket[] = [];

beforeAll(async () => {
  const { chain, key } = who.backends.issue({ names: ['localhost'] });
  const plain = await application(createServer());
  const secure = await application(createSecureServer({ cert: chain, key }));
  const websocket = { enabled: true, soTimeout: '10 minutes' }; // so that nothing ends by itself in time for a test
  const uncompressed = {
    enabled: true,
    vertx: { tryUsePerMessageWebSocketCompression: false, tryUsePerFrameWebSocketCompression: false },
  };
  gateway = await PeerGateway.start(who, {
    routes: {
      ws: { to: `http://127.0.0.1:${plain}`, config: { websocket } },
      wss: { to: `https://localhost:${secure}`, config: { websocket } },
      scheme: { to: `wss://localhost:${secure}`, config: { websocket } },
      uncompressed: { to: `http://127.0.0.1:${plain}`, config: { websocket: uncompressed } },
      silent: { to: `http://127.0.0.1:${plain}`, config: { websocket: { ...websocket, soTimeout: '1 second' } } },
      off: { to: `http://127.0.0.1:${plain}` },
    },
  });
});

afterEach(() => {
  for (const client of clients.splice(0)) client.terminate();
});

afterAll(async () => {
  await gateway?.stop();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a server that echoes messages, and does what some of them say. */
async function application(server: Server): Promise<number> {
  const sockets = new WebSocketServer({
    server,
    perMessageDeflate: true,
    handleProtocols: (offered) => (offered.has('second') ? 'second' : false),
  });
  server.on('request', (_, response) => response.writeHead(426).end());
  sockets.on('connection', (socket, request) => {
    socket.on('message', (data: Buffer, binary) => {
      const said = binary ? '' : data.toString();
      if (said === 'close') socket.close(4001, 'as you wish');
      else if (said === 'die') socket.terminate();
      else if (said === 'ping') socket.ping('are you there');
      else if (said === 'facts')
        socket.send(`${socket.extensions} ${socket.protocol} ${request.headers['x-forwarded-proto']}`);
      else socket.send(data, { binary });
    });
    socket.on('close', (code, reason) => seen.push(`${code} ${reason.toString()}`));
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function open(url: string, protocols: string[] = [], options: ClientOptions = {}): Promise<WebSocket> {
  const client = new WebSocket(url, protocols, { ca: who.gateway.certificate, ...options });
  clients.push(client);
  await once(client, 'open');
  return client;
}

async function answer(client: WebSocket, message: string | Buffer): Promise<Buffer> {
  const reply = once(client, 'message');
  client.send(message);
  return (await reply)[0] as Buffer;
}

const FRONTS = [
  ['ws', () => `ws://127.0.0.1:${gateway.plain}`],
  ['wss', () => `wss://localhost:${gateway.tls}`],
] as const;

describe.each(FRONTS)('a client over %s', (_, front) => {
  it.each(['ws', 'wss', 'scheme', 'uncompressed'])('exchanges messages by the route %s', async (route) => {
    const client = await open(`${front()}/${route}/x`, ['first', 'second']);
    const facts = (await answer(client, 'facts')).toString();
    const extensions = route === 'uncompressed' ? '' : 'permessage-deflate';
    expect(facts).toBe(`${extensions} second ${front().startsWith('wss') ? 'https' : 'http'}`);
    expect([client.extensions, client.protocol]).toEqual([extensions, 'second']);
    for (const message of [randomBytes(1 << 20), Buffer.alloc(1 << 20, 'aaab'), Buffer.alloc(0), Buffer.from('x')]) {
      expect((await answer(client, message)).equals(message)).toBe(true);
    }
    expect((await answer(client, 'größer ☃')).toString()).toBe('größer ☃');
  });

  it.each(['ws', 'wss'])('pings and is pinged, and closes with a code, by the route %s', async (route) => {
    const client = await open(`${front()}/${route}/x`);
    client.ping('hello');
    expect(((await once(client, 'pong')) as [Buffer])[0].toString()).toBe('hello');
    client.send('ping');
    expect(((await once(client, 'ping')) as [Buffer])[0].toString()).toBe('are you there');
    client.send('close');
    const [code, reason] = (await once(client, 'close')) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([4001, 'as you wish']);
    const other = await open(`${front()}/${route}/x`);
    seen.length = 0;
    other.close(4321, 'goodbye');
    await once(other, 'close');
    await vi.waitFor(() => expect(seen).toEqual(['4321 goodbye']), 5000);
  });

  it.each(['ws', 'wss'])('sees the end of the other side, by the route %s', async (route) => {
    const client = await open(`${front()}/${route}/x`);
    client.send('die');
    const [code] = (await once(client, 'close')) as [number];
    expect([1001, 1006, 1011]).toContain(code);
    const other = await open(`${front()}/${route}/x`);
    seen.length = 0;
    other.terminate();
    await vi.waitFor(() => expect(seen).toHaveLength(1), 5000);
    expect(Number(seen[0]!.split(' ')[0])).toSatisfy((found: number) => [1001, 1006, 1011].includes(found));
  });
});

describe("Node's own client", () => {
  beforeAll(() => setDefaultCACertificates([...getCACertificates('default'), who.gateway.certificate]));

  it.each([
    ['ws', () => `ws://127.0.0.1:${gateway.plain}/ws/x`],
    ['wss, which it speaks over HTTP/2', () => `wss://localhost:${gateway.tls}/wss/x`],
  ])('exchanges messages over %s', async (_front, url) => {
    const client = new globalThis.WebSocket(url(), ['first', 'second']);
    client.binaryType = 'arraybuffer';
    const failed = once(client, 'error').then(() => 'failed');
    expect(await Promise.race([once(client, 'open').then(() => 'open'), failed])).toBe('open');
    expect(client.protocol).toBe('second');
    for (const message of ['hello', 'größer ☃', 'a'.repeat(1 << 20)]) {
      const reply = once(client, 'message') as Promise<[MessageEvent]>;
      client.send(message);
      expect((await reply)[0].data).toBe(message);
    }
    const closed = once(client, 'close') as Promise<[CloseEvent]>;
    client.send('close');
    expect((await closed)[0]).toMatchObject({ code: 4001, reason: 'as you wish' });
  });
});

it('sends many messages both ways at once', async () => {
  const client = await open(`wss://localhost:${gateway.tls}/wss/x`);
  let received = 0;
  client.on('message', () => received++);
  for (let i = 0; i < 3000; i++) client.send(Buffer.alloc((i * 37) % 5000, i));
  await vi.waitFor(() => expect(received).toBe(3000), 20_000);
});

it('closes a connection that is silent for too long', async () => {
  const client = await open(`ws://127.0.0.1:${gateway.plain}/silent/x`);
  const [code] = (await once(client, 'close')) as [number];
  expect(code).toBe(1001);
});

it('does not upgrade where that is not allowed', async () => {
  const client = new WebSocket(`ws://127.0.0.1:${gateway.plain}/off/x`);
  const [error] = (await once(client, 'error')) as [Error];
  expect(error.message).toMatch(/Unexpected server response: 426/);
});

it('leaves nothing open', async () => {
  await vi.waitFor(async () => expect(await gateway.process.figure('gw_websockets_open')).toBe(0), 5000);
  expect(gateway.warnings()).toEqual([]);
});
