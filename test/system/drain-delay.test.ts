import { once } from 'node:events';
import { createServer } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { EchoBackend } from '../support/backends/echo-backend.ts';
import { SteadyClient } from '../support/clients/steady-client.ts';
import { TcpBalancer } from '../support/clients/tcp-balancer.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';

let backend: EchoBackend;

beforeAll(async () => {
  backend = await EchoBackend.start();
});
afterAll(async () => {
  await backend.close();
});

async function started(to: string, ...words: string[]): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(to, words);
  onTestFinished(async () => {
    gateway.signal('SIGTERM');
    gateway.signal('SIGINT'); // two of a kind may arrive as one
    await gateway.ended();
  });
  return gateway;
}

/** Asks over and over on one session of HTTP/2, and on a new one when it is told to go. */
class SteadyHttp2Client {
  answered = 0;
  sessions = 0;
  readonly wrong: string[] = [];
  private isStopped = false;
  private readonly running: Promise<void>;

  constructor(port: number) {
    this.running = this.run(port);
    onTestFinished(async () => void (await this.stop()));
  }

  async stop(): Promise<readonly string[]> {
    this.isStopped = true;
    await this.running;
    return this.wrong;
  }

  private async run(port: number): Promise<void> {
    let session: ClientHttp2Session | null = null;
    while (!this.isStopped && this.wrong.length < 10) {
      if (session === null || session.closed || session.destroyed) {
        session = connectHttp2(`http://127.0.0.1:${port}`);
        session.on('error', (error) => this.wrong.push(`session: ${error}`));
        this.sessions++;
      }
      await this.ask(session).catch((error: unknown) => this.wrong.push(String(error)));
      this.answered++;
    }
    session?.close();
  }

  private async ask(session: ClientHttp2Session): Promise<void> {
    const stream = session.request({ ':path': '/steady' });
    stream.on('error', () => {}); // 'close' follows
    let status: unknown;
    let text = '';
    stream.on('response', (fields) => (status = fields[':status']));
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
    stream.end();
    await new Promise((resolve) => stream.once('close', resolve));
    // a request that met the farewell on its way out was not sent, and a client of HTTP/2 sends it elsewhere
    if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM && status === undefined) session.close();
    else if (status !== 200 || text !== 'answer to /steady') this.wrong.push(`${status} ${stream.rstCode} ${text}`);
  }
}

it('replaces data planes one after the other without a lost request', async () => {
  const balancer = await TcpBalancer.start();
  onTestFinished(() => balancer.close());
  const words = ['--drain-delay', '3s'];
  const planes = [await started(backend.url, ...words), await started(backend.url, ...words)];
  for (const plane of planes) await balancer.add(plane);
  const isRight = (text: string): boolean => text === 'answer to /steady';
  const plain = Array.from({ length: 6 }, () => new SteadyClient(balancer.port, '/steady', isRight));
  const http2 = Array.from({ length: 4 }, () => new SteadyHttp2Client(balancer.port));
  const busy = async (): Promise<void> => {
    const before = [...plain, ...http2].map(({ answered }) => answered);
    await vi.waitFor(() => {
      for (const [at, client] of [...plain, ...http2].entries())
        expect(client.answered).toBeGreaterThan(before[at]! + 5);
    }, 20_000);
  };
  await busy();
  for (const plane of planes) {
    plane.signal('SIGTERM');
    await vi.waitFor(() => expect(balancer.ready).not.toContain(plane), 10_000);
    await busy();
    expect(await plane.ended()).toBe(0);
    await busy();
    await balancer.add(await started(backend.url, ...words));
  }
  await busy();
  for (const client of [...plain, ...http2]) expect(await client.stop()).toEqual([]);
  for (const { sessions } of http2) expect(sessions).toBeGreaterThan(1);
  for (const plane of planes) expect(plane.said.map(({ msg }) => msg)).toEqual(['listening', 'draining', 'stopped']);
});

it('becomes unready at once, accepts during the delay, closes after each response, and keeps tunnels', async () => {
  const server = createServer((request, response) => response.end(`answer to ${request.url}`)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  new WebSocketServer({ server }).on('connection', (socket) => socket.on('message', (data) => socket.send(`${data}!`)));
  await once(server, 'listening');
  const plane = await started(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, '--drain-delay', '10m');
  const tunnel = new WebSocket(`ws://127.0.0.1:${plane.port}/socket`);
  tunnel.on('error', () => {});
  await once(tunnel, 'open');
  plane.signal('SIGTERM');
  await vi.waitFor(async () => expect((await plane.admin('/health/ready')).status).toBe(503), 10_000);
  expect((await plane.admin('/health/live')).status).toBe(200);
  expect(JSON.parse((await plane.admin('/')).text)).toMatchObject({ draining: true });
  const answer = await fetch(`http://127.0.0.1:${plane.port}/late`);
  const told = [answer.status, answer.headers.get('connection'), await answer.text()];
  expect(told).toEqual([200, 'close', 'answer to /late']);
  tunnel.send('still here');
  expect(String((await once(tunnel, 'message'))[0])).toBe('still here!');
  expect((await plane.admin('/units/0/restart', 'POST')).status).toBe(202);
  await vi.waitFor(async () => {
    const after = await fetch(`http://127.0.0.1:${plane.port}/later`);
    expect(after.headers.get('connection')).toBe('close');
    await after.text();
  }, 10_000);
  plane.signal('SIGINT');
  expect(await plane.ended()).toBe(130);
});
