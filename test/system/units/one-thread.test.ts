import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A gateway with so many routes: /0/, /1/ and so on. */
async function start(routes: number, words: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const folder = new InstanceFolder({
    'config/config.json': { handler: { type: 'Router' } },
    ...Object.fromEntries(Array.from({ length: routes }, (_, i) => [`config/routes/${i}.json`, route(i)])),
  });
  closing.push(() => folder[Symbol.dispose]());
  const gateway = await GatewayProcess.run(folder.path, words, env);
  closing.push(() => gateway.stop());
  return { folder, gateway };
}

function route(i: number): object {
  return {
    condition: `\${find(request.uri.path, '^/${i}/')}`,
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: `route ${i}` } },
  };
}

/** The threads of a process that are units. */
function unitThreads({ pid }: GatewayProcess): string[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const names = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').trim());
  return names.filter((name) => name.startsWith('unit')).sort();
}

async function get({ port }: GatewayProcess, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  return `${response.status} ${await response.text()}`;
}

it.each([
  ['no thread for one unit', 1, '1', []],
  ['no thread for one unit with 100 routes', 100, '1', []],
  ['a thread for one unit with 101 routes', 101, '1', ['unit 0']],
  ['a thread for each of two units', 1, '2', ['unit 0', 'unit 1']],
])('a gateway has %s', async (_, routes, units, threads) => {
  const { gateway } = await start(routes, ['--units', units]);
  expect(unitThreads(gateway)).toEqual(threads);
  expect(await get(gateway, '/0/')).toBe('200 route 0');
  expect(await gateway.figure('gatewarden_units')).toBe(Number(units));
  await expect.poll(() => gateway.figure('gatewarden_requests_total{status="2xx"}')).toBe(1);
});

it('a proxy with one unit has no thread for it', async () => {
  const backend = await EchoBackend.start();
  closing.push(() => backend.close());
  const gateway = await GatewayProcess.start(backend.url);
  closing.push(() => gateway.stop());
  expect(unitThreads(gateway)).toEqual([]);
  expect(await get(gateway, '/a')).toBe('200 answer to /a');
});

it('an uncaught exception beside a unit in the same thread ends the process with its cause in the log', async () => {
  const crash = `process.on('SIGUSR2', () => { throw new Error('broken on purpose'); });`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(crash)}` };
  const { gateway } = await start(1, [], env);
  process.kill(gateway.pid, 'SIGUSR2');
  expect(await gateway.ended()).toBe(1);
  expect(gateway.said.find(({ msg }) => msg === 'uncaught exception; the process exits')).toMatchObject({
    level: 50,
    error: expect.stringContaining('broken on purpose'),
  });
});

it('an unhandled rejection beside a unit in the same thread ends neither the process nor a connection', async () => {
  const reject = `process.on('SIGUSR2', () => { Promise.reject(new Error('forgotten on purpose')); });`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(reject)}` };
  const { gateway } = await start(1, [], env);
  process.kill(gateway.pid, 'SIGUSR2');
  await vi.waitFor(() =>
    expect(gateway.said).toContainEqual(
      expect.objectContaining({ msg: 'request failed', error: expect.stringContaining('forgotten on purpose') }),
    ),
  );
  expect(await get(gateway, '/0/')).toBe('200 route 0');
});

it('a stop lets the requests of a unit in the same thread finish', async () => {
  const held = Promise.withResolvers<() => void>();
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (_, response) =>
    held.resolve(() => response.end('late')),
  );
  closing.push(() => backend.close());
  const gateway = await GatewayProcess.start(backend.url, ['--drain-timeout', '5m']);
  closing.push(() => gateway.stop());
  const answer = get(gateway, '/slow');
  const finish = await held.promise;
  gateway.signal('SIGTERM');
  await vi.waitFor(() => expect(gateway.said.map(({ msg }) => msg)).toContain('draining'));
  finish();
  expect(await answer).toBe('200 late');
  expect(await gateway.ended()).toBe(0);
  expect(gateway.said.at(-1)).toMatchObject({ msg: 'stopped' });
});

it('a unit in the same thread that is restarted gets a thread, and keeps its figures', async () => {
  const { gateway } = await start(1);
  expect(await get(gateway, '/0/')).toBe('200 route 0');
  expect((await gateway.admin('/units/0/restart', 'POST')).status).toBe(202);
  await vi.waitFor(() => expect(unitThreads(gateway)).toEqual(['unit 0']));
  await vi.waitFor(async () => expect(await gateway.figure('gatewarden_units')).toBe(1));
  expect(await get(gateway, '/0/')).toBe('200 route 0');
  expect(await gateway.figure('gatewarden_unit_restarts_total')).toBe(1);
  await expect.poll(() => gateway.figure('gatewarden_requests_total{status="2xx"}')).toBe(2);
});

it('a promise that a restarted unit left behind in the thread of its supervisor does not end the process', async () => {
  const reject = `process.on('SIGUSR2', () => { Promise.reject(new Error('left behind on purpose')); });`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(reject)}` };
  const { gateway } = await start(1, [], env);
  await gateway.admin('/units/0/restart', 'POST');
  await vi.waitFor(() => expect(unitThreads(gateway)).toEqual(['unit 0']));
  await vi.waitFor(async () => expect(await gateway.figure('gatewarden_units')).toBe(1));
  process.kill(gateway.pid, 'SIGUSR2');
  await vi.waitFor(() =>
    expect(gateway.said).toContainEqual(
      expect.objectContaining({ msg: 'request failed', error: expect.stringContaining('left behind on purpose') }),
    ),
  );
  expect(await get(gateway, '/0/')).toBe('200 route 0');
});

it('a gateway warns once when it gets more routes than one thread should serve', async () => {
  const { folder, gateway } = await start(100, ['--watch']);
  const warnings = () => gateway.said.filter(({ msg }) => msg.startsWith('too many routes for one thread'));
  folder.write('config/routes/100.json', route(100));
  await vi.waitFor(async () => expect(await get(gateway, '/100/')).toBe('200 route 100'));
  await vi.waitFor(() => expect(warnings()).toMatchObject([{ level: 40, routes: 101, most: 100 }]));
  folder.write('config/routes/101.json', route(101));
  await vi.waitFor(async () => expect(await get(gateway, '/101/')).toBe('200 route 101'));
  await gateway.stop();
  expect(warnings()).toHaveLength(1);
});
