import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { EchoBackend } from '../support/backends/echo-backend.ts';
import { ClosedLoopClient } from '../support/clients/closed-loop-client.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';

const CONNECTIONS = 1000;

/** Answers to requests while the test holds them back. */
interface HoldingBackend {
  held: (() => void)[] | null;
  release(): void;
}

/** A gateway without time-outs, so that a busy machine fails no request, before a backend that can hold its answers. */
async function start(words: readonly string[] = []) {
  const answers: HoldingBackend = {
    held: null,
    release() {
      for (const answer of this.held ?? []) answer();
      this.held = null;
    },
  };
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (request, response) => {
    const answer = (): void => void response.end(`answer to ${request.url}`);
    if (answers.held === null) answer();
    else answers.held.push(answer);
  });
  onTestFinished(() => backend.close());
  const config = { connections: CONNECTIONS, soTimeout: 'zero', connectionTimeout: 'zero' };
  const handler = { type: 'ReverseProxyHandler', baseURI: backend.url, config };
  const folder = new InstanceFolder({ 'config/config.json': { handler } });
  onTestFinished(() => folder[Symbol.dispose]());
  const patience = ['--limits', 'headTimeout=5m,idleTimeout=5m', '--drain-timeout', '5m'];
  const gateway = await GatewayProcess.run(folder.path, [...patience, ...words]);
  onTestFinished(async () => void (await gateway.stop()));
  return { answers, gateway };
}

function connectOutcome(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve('connected');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
}

it('stops 1,000 connections under load without losing a request or a line of the log', async () => {
  const log = new InstanceFolder();
  onTestFinished(() => log[Symbol.dispose]());
  const { answers, gateway } = await start(['--units', '2', '--access-log', log.at('access.log')]);
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, i) => ClosedLoopClient.connect(gateway.port, `client-${i}`)),
  );
  const running = clients.map((client) => client.run());
  await vi.waitFor(() => {
    expect(clients.filter(({ problem }) => problem !== null).map(({ problem }) => problem)).toEqual([]);
    expect(Math.min(...clients.map(({ answered }) => answered))).toBeGreaterThan(3);
  });

  // every client waits for an answer when the gateway stops: one that is late with its next request would lose it
  answers.held = [];
  await vi.waitFor(() => expect(answers.held).toHaveLength(CONNECTIONS));
  gateway.signal('SIGTERM');
  await vi.waitFor(async () => expect(await connectOutcome(gateway.port)).toBe('ECONNREFUSED'));
  answers.release();
  await Promise.all(running);
  expect(await gateway.ended()).toBe(0);

  expect(clients.filter(({ problem }) => problem !== null).map(({ problem }) => problem)).toEqual([]);
  for (const client of clients) {
    expect(client.answered).toBe(client.sent);
    expect(client.told).toBe(true);
  }
  const lines = readFileSync(log.at('access.log'), 'latin1').trim().split('\n');
  const paths = lines.map((line) => (JSON.parse(line) as { path: string }).path);
  const answered = clients.flatMap((client, i) =>
    Array.from({ length: client.answered }, (_, n) => `/client-${i}/${n + 1}`),
  );
  expect(paths.toSorted()).toEqual(answered.toSorted());
  expect(gateway.said.map(({ msg }) => msg)).toEqual(['listening', 'draining', 'stopped']);
});

it('is not ready while it drains, and reports it on the admin port until the end', async () => {
  const { answers, gateway } = await start();
  expect((await gateway.admin('/health/ready')).status).toBe(200);
  answers.held = [];
  const answer = fetch(`http://127.0.0.1:${gateway.port}/last`);
  await vi.waitFor(() => expect(answers.held).toHaveLength(1));
  gateway.signal('SIGTERM');
  await vi.waitFor(async () => expect((await gateway.admin('/health/ready')).status).toBe(503));
  expect((await gateway.admin('/health/live')).status).toBe(200);
  expect(JSON.parse((await gateway.admin('/')).text)).toMatchObject({ draining: true });
  answers.release();
  expect(await (await answer).text()).toBe('answer to /last');
  expect(await gateway.ended()).toBe(0);
});
