import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { certifiers, PeerGateway } from '../../support/gateways/peer-gateway.ts';
import { curl } from '../../support/programs/curl.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { NginxPeer } from '../../support/programs/nginx-peer.ts';
import { freePort, ServerProgram } from '../../support/programs/server-program.ts';

const who = certifiers();
const proxy = new ServerProgram('tinyproxy');
let plain: EchoBackend;
let nginx: NginxPeer;
let sockets: Server;
let gateway: PeerGateway;

beforeAll(async () => {
  await installPrograms(['tinyproxy', 'nginx', 'curl']);
  const certified = who.backends.issue({ names: ['localhost'] });
  plain = await EchoBackend.start();
  nginx = await NginxPeer.start({ certified, locations: 'return 200 "$server_protocol $request_uri";' });
  sockets = createServer({ cert: certified.chain, key: certified.key }).listen(0, '127.0.0.1');
  await once(sockets, 'listening');
  new WebSocketServer({ server: sockets }).on('connection', (socket) => {
    socket.on('message', (data: Buffer) => socket.send(data));
  });
  const { port: socketPort } = sockets.address() as AddressInfo;
  const port = await freePort();
  const file = proxy.write('tinyproxy.conf', configuration(port, [nginx.tls, socketPort]));
  await proxy.start(['-d', '-c', file], [port]);
  const through = (options: object): object => ({
    stateTrackingEnabled: false,
    proxyOptions: { type: 'CustomProxyOptions', config: { uri: `http://127.0.0.1:${port}`, ...options } },
  });
  const known = through({ username: 'gateway', passwordSecretId: 'proxy.password', secretsProvider: 'passwords' });
  const wrong = through({ username: 'gateway', passwordSecretId: 'wrong.password', secretsProvider: 'passwords' });
  const https = `https://localhost:${nginx.tls}`;
  gateway = await PeerGateway.start(who, {
    routes: {
      http: { to: plain.url, config: known },
      https: { to: https, config: known },
      https1: { to: https, config: { ...known, protocolVersion: 'HTTP/1.1' } },
      socket: { to: `https://localhost:${socketPort}`, config: { ...known, websocket: { enabled: true } } },
      unknown: { to: https, config: through({}) },
      wrong: { to: https, config: wrong },
      wrongHttp: { to: plain.url, config: wrong },
      forbidden: { to: `https://localhost:${nginx.plain}`, config: known },
    },
    heap: [
      {
        name: 'passwords',
        type: 'FileSystemSecretStore',
        config: { directory: '&{ig.instance.dir}/passwords', format: 'PLAIN' },
      },
    ],
    files: { 'passwords/proxy.password': 's3cretWord', 'passwords/wrong.password': 'guessed' },
  });
}, INSTALLATION);

afterAll(async () => {
  await gateway?.stop();
  await proxy.stop();
  sockets?.closeAllConnections();
  sockets?.close();
  await nginx?.stop();
  await plain?.close();
});

const configuration = (port: number, tunnels: readonly number[]): string => `
Port ${port}
Listen 127.0.0.1
Timeout 60
LogLevel Connect
MaxClients 50
ViaProxyName "tinyproxy"
BasicAuth gateway s3cretWord
${tunnels.map((allowed) => `ConnectPort ${allowed}`).join('\n')}
`;

const ask = (path: string): ReturnType<typeof curl> => curl(`http://127.0.0.1:${gateway.plain}${path}`);

it('leads to http backends', async () => {
  const { status, body, headers } = await ask('/http/hello?x');
  expect([status, body]).toEqual([200, 'answer to /http/hello?x']);
  expect(headers['via']?.join()).toContain('tinyproxy');
  expect(plain.requests.at(-1)!.headers).not.toHaveProperty('proxy-authorization');
});

it('leads to https backends, in HTTP/2 and in HTTP/1.1', async () => {
  expect((await ask('/https/hello')).body).toBe('HTTP/2.0 /https/hello');
  expect((await ask('/https1/hello')).body).toBe('HTTP/1.1 /https1/hello');
  await vi.waitFor(() => expect(proxy.said).toContain(`CONNECT localhost:${nginx.tls}`));
});

it('leads to WebSockets', async () => {
  const client = new WebSocket(`ws://127.0.0.1:${gateway.plain}/socket/x`);
  await once(client, 'open');
  client.send('hello');
  expect(((await once(client, 'message')) as [Buffer])[0].toString()).toBe('hello');
  client.close();
  await once(client, 'close');
});

it.each([
  ['/unknown/x', 'backend-proxy-credentials', 'rejected our credentials'],
  ['/wrong/x', 'backend-proxy', '401'],
  ['/forbidden/x', 'backend-proxy', '403'],
])('that rejects %s gives 502, the metric %s and a log line with the reason', async (path, refusal, reason) => {
  const before = await gateway.refusals(refusal);
  const said = gateway.process.said.length;
  expect((await ask(path)).status).toBe(502);
  await expect.poll(() => gateway.refusals(refusal)).toBe(before + 1);
  await vi.waitFor(() => {
    const lines = gateway.process.said.slice(said).map((line) => JSON.stringify(line));
    expect(lines.filter((line) => line.includes(refusal) && line.includes(reason))).toHaveLength(1);
  });
  expect((await ask('/https/again')).status).toBe(200);
});

it('gets passwords that are never logged', async () => {
  expect((await ask('/wrongHttp/x')).status).toBe(401); // this proxy answers as a backend would
  const said = gateway.process.said.map((line) => JSON.stringify(line)).join();
  for (const secret of ['s3cretWord', 'guessed']) {
    expect(said).not.toContain(secret);
    expect(said).not.toContain(Buffer.from(`gateway:${secret}`).toString('base64'));
  }
});
