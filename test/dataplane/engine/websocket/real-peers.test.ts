import { once } from 'node:events';
import { connect } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { Backend } from '../../../../dataplane/engine/backend/backend.ts';
import type { Next } from '../../../../dataplane/engine/message/exchange.ts';
import { DEFAULT_WEBSOCKETS, openWebSocket } from '../../../../dataplane/engine/websocket/open.ts';
import { untilTrue } from '../../../support/clients/event-loop.ts';
import { CLOSE, clientFrame, closeCode, closePayload, framesIn } from '../../../support/clients/websocket-frames.ts';
import { tunnels } from '../../../support/clients/websocket-upgrade.ts';
import { startConfigured } from '../../../support/gateways/configured-gateway.ts';
import { startSecure } from '../../../support/gateways/secure-gateway.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';
import { changingKeys } from '../../../support/identity/changing-tls-secrets.ts';

const ca = certificateAuthority('sockets');
const certified = ca.issue({ names: ['gateway.test', 'localhost'] });

interface Served {
  readonly server: WebSocketServer;
  readonly port: number;
}

/** A server that sends every message back. */
async function startEcho(secure = false): Promise<Served> {
  const https = secure ? createServer({ key: certified.key, cert: certified.chain }).listen(0, '127.0.0.1') : null;
  const server = new WebSocketServer({
    ...(https === null ? { port: 0, host: '127.0.0.1' } : { server: https }),
    perMessageDeflate: { threshold: 0 },
    handleProtocols: (offered) => [...offered].at(-1) ?? false,
  });
  server.on('connection', (socket) => {
    socket.on('message', (message, isBinary) => socket.send(message, { binary: isBinary }));
    socket.on('error', () => {});
  });
  if (https === null || !https.listening) await once(https ?? server, 'listening');
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
    https?.close();
  });
  return { server, port: ((https ?? server).address() as AddressInfo).port };
}

/** The gateway before it, as a user would configure it. */
async function startBefore(baseURI: string, tls = {}): Promise<number> {
  const gateway = await startConfigured({
    handler: { type: 'ReverseProxyHandler', baseURI, config: { websocket: { enabled: true, ...tls } } },
  });
  onTestFinished(async () => {
    await gateway.close();
    expect(gateway.faults).toEqual([]);
  });
  return gateway.port;
}

async function opened(socket: WebSocket): Promise<WebSocket> {
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

async function said(socket: WebSocket, message: string | Buffer): Promise<string> {
  const heard = once(socket, 'message');
  socket.send(message);
  return String((await heard)[0]);
}

describe('a real client and a real server', () => {
  it('speak through the gateway, compressed, in a subprotocol', async () => {
    const { port } = await startEcho();
    const at = `ws://127.0.0.1:${await startBefore(`http://127.0.0.1:${port}`)}/`;
    const client = await opened(new WebSocket(at, ['chat', 'soap'], { perMessageDeflate: { threshold: 0 } }));
    expect(client.protocol).toBe('soap');
    expect(client.extensions).toContain('permessage-deflate');
    for (const length of [0, 1, 125, 126, 65_535, 65_536, 1_000_000]) {
      const message = 'a WebSocket '.repeat(length / 12 + 1).slice(0, length);
      expect(await said(client, message)).toBe(message);
    }
    const pong = once(client, 'pong');
    client.ping('still there?');
    expect(String((await pong)[0])).toBe('still there?');
    client.close(4321, 'enough');
    const [code, reason] = await once(client, 'close');
    expect([code, String(reason)]).toEqual([4321, 'enough']);
    await untilTrue(() => tunnels() === 0);
  });

  it('see the end of the other side', async () => {
    const { server, port } = await startEcho();
    const at = `ws://127.0.0.1:${await startBefore(`http://127.0.0.1:${port}`)}/`;
    const first = await opened(new WebSocket(at));
    for (const socket of server.clients) socket.close(3001, 'later');
    expect((await once(first, 'close'))[0]).toBe(3001);
    const second = await opened(new WebSocket(at));
    for (const socket of server.clients) socket.terminate();
    expect((await once(second, 'close'))[0]).toBe(1011);
    const third = await opened(new WebSocket(at));
    const [served] = server.clients;
    third.terminate();
    expect((await once(served!, 'close'))[0]).toBe(1001);
    await untilTrue(() => tunnels() === 0);
  });

  it.each(['wss', 'https'])('speak over TLS to a backend by %s', async (scheme) => {
    const { port } = await startEcho(true);
    const gateway = await startBefore(`${scheme}://localhost:${port}`, {
      tls: { type: 'ClientTlsOptions', config: { trustManager: { type: 'TrustAllManager' } } },
    });
    const client = await opened(new WebSocket(`ws://127.0.0.1:${gateway}/`));
    expect(await said(client, 'hello')).toBe('hello');
    client.close(1000);
    expect((await once(client, 'close'))[0]).toBe(1000);
    await untilTrue(() => tunnels() === 0);
  });

  it('speak over TLS from a client', async () => {
    const { server, port } = await startEcho();
    const gateway = await startSecure({
      keys: [changingKeys(certified).manager],
      handler: () => relayed(port),
    });
    const client = await opened(new WebSocket(`wss://localhost:${gateway.port}/`, { ca: ca.certificate }));
    const message = 'x'.repeat(300_000);
    expect(await said(client, message)).toBe(message);
    for (const socket of server.clients) socket.terminate();
    expect((await once(client, 'close'))[0]).toBe(1011);
    await untilTrue(() => tunnels() === 0);
  });

  it('speak from a stream of HTTP/2', async () => {
    const { port } = await startEcho();
    const gateway = await startBefore(`http://127.0.0.1:${port}`);
    const session = connect(`http://127.0.0.1:${gateway}`);
    onTestFinished(() => session.destroy());
    const [settings] = await once(session, 'remoteSettings');
    expect(settings).toMatchObject({ enableConnectProtocol: true });
    const stream = session.request({
      ':method': 'CONNECT',
      ':protocol': 'websocket',
      ':path': '/',
      ':authority': 'gateway.test',
      'sec-websocket-version': '13',
    });
    let text = '';
    stream.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
    });
    const [headers] = await once(stream, 'response');
    expect(headers[':status']).toBe(200);
    stream.write(clientFrame({ payload: 'hello' }));
    stream.write(clientFrame({ opcode: CLOSE, payload: closePayload(4999) }));
    await once(stream, 'end');
    expect(framesIn(text)[0]!.payload).toBe('hello');
    expect(closeCode(framesIn(text))).toBe(4999);
    stream.close();
    await untilTrue(() => tunnels() === 0);
  });
});

/** Sends WebSockets on to a port. */
function relayed(port: number): Next {
  const backend = new Backend({ destination: { host: '127.0.0.1', port }, upgrades: ['websocket'] });
  onTestFinished(() => backend.close());
  return (exchange) => openWebSocket(exchange, backend.handle, DEFAULT_WEBSOCKETS, () => {});
}
