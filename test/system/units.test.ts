import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EchoBackend } from '../support/backends/echo-backend.ts';
import { ask } from '../support/clients/answers.ts';
import { ClosedLoopClient } from '../support/clients/closed-loop-client.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';

let backend: EchoBackend;
let gateway: GatewayProcess;
let read = 0;
let served = new Map<string, number>();

beforeEach(async () => {
  read = 0;
  served = new Map();
  backend = await EchoBackend.start();
  gateway = await GatewayProcess.start(backend.url, ['--units', '2', '--access-log', '-']);
});
afterEach(async () => {
  await gateway.stop();
  await backend.close();
});

/** Which unit served which client, by the lines of the access log that have come so far. */
function unitsByClient(): Map<string, number> {
  const end = gateway.stdout.lastIndexOf('\n') + 1;
  for (const line of gateway.stdout.slice(read, end).split('\n')) {
    if (line === '') continue;
    const { path, unit } = JSON.parse(line) as { path: string; unit: number };
    served.set(path.split('/')[1]!, unit);
  }
  read = end;
  return served;
}

async function startClients(count: number, prefix: string): Promise<{ clients: ClosedLoopClient[]; names: string[] }> {
  const names = Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
  const clients = await Promise.all(names.map((name) => ClosedLoopClient.connect(gateway.port, name)));
  return { clients, names };
}

it('shares connections among the units', async () => {
  const { clients, names } = await startClients(100, 'client');
  const running = clients.map((client) => client.run());
  await vi.waitFor(() => expect(unitsByClient().size).toBe(names.length), 10_000);
  for (const client of clients) client.stop();
  await Promise.all(running);
  const units = [...unitsByClient().values()];
  for (const unit of [0, 1]) expect(units.filter((served) => served === unit).length).toBeGreaterThan(20);
  expect(await gateway.figure('gatewarden_units')).toBe(2);
});

it('loses the connections of a unit that dies and nothing else, and replaces it', async () => {
  const { clients, names } = await startClients(100, 'client');
  const running = clients.map((client) => client.run());
  await vi.waitFor(() => expect(unitsByClient().size).toBe(names.length), 10_000);
  const units = new Map(unitsByClient());

  let watching = true;
  const figures: number[][] = [];
  const watched = (async () => {
    while (watching) {
      const { text } = await gateway.admin('/metrics');
      const names = [
        'gatewarden_requests_total{status="2xx"}',
        'gatewarden_connections_total',
        'gatewarden_response_bytes_total',
      ];
      figures.push(
        names.map((name) =>
          Number(
            text
              .split('\n')
              .find((line) => line.startsWith(`${name} `))
              ?.split(' ')[1],
          ),
        ),
      );
    }
  })();

  expect((await gateway.admin('/units/0/restart', 'POST')).status).toBe(202);
  await vi.waitFor(
    () => expect(gateway.said.map(({ msg }) => msg)).toContain('gateway unit exited; starting a replacement'),
    10_000,
  );
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => ask(gateway.port, `GET /new-${i}/1 HTTP/1.1\r\nHost: h\r\n`)),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));

  const before = clients.map(({ answered }) => answered);
  const waiting = (): boolean =>
    clients.some((client, i) => client.problem === null && client.answered <= before[i]! + 5);
  await vi.waitFor(() => expect(waiting()).toBe(false), 10_000);
  const lost = names.filter((_, i) => clients[i]!.problem !== null);
  expect(lost).toEqual(names.filter((name) => units.get(name) === 0));
  expect(lost.length).toBeGreaterThan(0);

  await vi.waitFor(async () => expect(await gateway.figure('gatewarden_units')).toBe(2), 10_000);
  expect(await gateway.figure('gatewarden_unit_restarts_total')).toBe(1);
  const later = await startClients(100, 'later');
  const laterRunning = later.clients.map((client) => client.run());
  await vi.waitFor(() => expect(later.names.every((name) => unitsByClient().has(name))).toBe(true), 10_000);
  const servedBy = later.names.map((name) => unitsByClient().get(name));
  expect(servedBy).toContain(0);
  expect(servedBy).toContain(1);

  await vi.waitFor(() => expect(figures.length).toBeGreaterThan(3));
  watching = false;
  await watched;
  for (const client of [...clients, ...later.clients]) client.stop();
  await Promise.all([...running, ...laterRunning]);
  for (const [i, row] of figures.slice(1).entries()) {
    for (const [column, figure] of row.entries()) expect(figure).toBeGreaterThanOrEqual(figures[i]![column]!);
  }
  await expect.poll(() => gateway.figure('gatewarden_connections_open')).toBeLessThanOrEqual(1);
  await expect.poll(() => gateway.figure('gatewarden_requests_active')).toBe(0);
  for (const client of later.clients) expect(client.problem).toBe(null);
});
