import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { EchoBackend } from '../support/backends/echo-backend.ts';
import { ClosedLoopClient } from '../support/clients/closed-loop-client.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';

let backend: EchoBackend;
const folder = mkdtempSync(join(tmpdir(), 'gatewarden-'));

beforeAll(async () => {
  backend = await EchoBackend.start();
});
afterAll(async () => {
  await backend.close();
  rmSync(folder, { recursive: true });
});

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
  const file = join(folder, 'access.log');
  const gateway = await GatewayProcess.start(backend.url, ['--units', '2', '--access-log', file]);
  const clients = await Promise.all(
    Array.from({ length: 1000 }, (_, i) => ClosedLoopClient.connect(gateway.port, `client-${i}`)),
  );
  const running = clients.map((client) => client.run());
  await vi.waitFor(() => expect(Math.min(...clients.map(({ answered }) => answered))).toBeGreaterThan(3), 20_000);

  gateway.signal('SIGTERM');
  await vi.waitFor(async () => expect(await connectOutcome(gateway.port)).toBe('ECONNREFUSED'), 10_000);
  await Promise.all(running);
  expect(await gateway.ended()).toBe(0);

  expect(clients.filter(({ problem }) => problem !== null).map(({ problem }) => problem)).toEqual([]);
  for (const client of clients) {
    expect(client.answered).toBe(client.sent);
    expect(client.told).toBe(true);
  }
  const lines = readFileSync(file, 'latin1').trim().split('\n');
  const paths = lines.map((line) => (JSON.parse(line) as { path: string }).path);
  const answered = clients.flatMap((client, i) =>
    Array.from({ length: client.answered }, (_, n) => `/client-${i}/${n + 1}`),
  );
  expect(paths.toSorted()).toEqual(answered.toSorted());
  expect(gateway.said.map(({ msg }) => msg)).toEqual(['listening', 'draining', 'stopped']);
});

it('is not ready while it drains, and reports it on the admin port until the end', async () => {
  let finish = (): void => {};
  const held = await EchoBackend.start({ host: '127.0.0.1' }, (_request, response) => {
    finish = () => response.end('at last');
  });
  const gateway = await GatewayProcess.start(held.url);
  expect((await gateway.admin('/health/ready')).status).toBe(200);
  const answer = fetch(`http://127.0.0.1:${gateway.port}/`);
  await vi.waitFor(() => expect(held.requests).toHaveLength(1));
  gateway.signal('SIGTERM');
  await vi.waitFor(async () => expect((await gateway.admin('/health/ready')).status).toBe(503));
  expect((await gateway.admin('/health/live')).status).toBe(200);
  expect(JSON.parse((await gateway.admin('/')).text)).toMatchObject({ draining: true });
  finish();
  expect(await (await answer).text()).toBe('at last');
  expect(await gateway.ended()).toBe(0);
  await held.close();
});
