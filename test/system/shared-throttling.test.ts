import { afterEach, expect, it, vi } from 'vitest';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';

let folder: InstanceFolder;
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  folder[Symbol.dispose]();
});

const throttling = {
  requestGroupingPolicy: "${request.headers['X-User'][0]}",
  rate: { numberOfRequests: 20, duration: '10 hours' },
};

function route(config: object, status = 200): object {
  const filters = [{ type: 'ThrottlingFilter', config }];
  return {
    handler: { type: 'Chain', config: { filters, handler: { type: 'StaticResponseHandler', config: { status } } } },
  };
}

/** Two units behind one port. */
async function start(config: object): Promise<void> {
  folder = new InstanceFolder({ 'config/routes/app.json': route(config) });
  gateway = await GatewayProcess.run(folder.path, ['--units', '2']);
}

/** How often each status came for this many requests, each on a connection of its own, which goes to any unit. */
async function askAll(user: string, count: number): Promise<Record<number, number>> {
  const headers = { connection: 'close', 'x-user': user };
  const ask = async (): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${gateway!.port}/`, { headers });
    await response.text();
    return response.status;
  };
  const statuses: Record<number, number> = {};
  for (const status of await Promise.all(Array.from({ length: count }, ask))) {
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

const name = '{ThrottlingFilter}/handler/config/filters/0';
const labels = `{fully_qualified_name="gateway._router.app.${name}",name="${name}",route="app",router="gateway._router"}`;

async function shows(figure: string, value: number): Promise<void> {
  const read = async (): Promise<number> => gateway!.figure(figure).catch(() => Number.NaN);
  await vi.waitFor(async () => expect(await read()).toBe(value), { timeout: 20_000, interval: 50 });
}

it('units together pass exactly the rate, also after changes and after a unit died', async () => {
  await start(throttling);
  expect(await askAll('a', 60)).toEqual({ 200: 20, 429: 40 });
  expect(await askAll('b', 10)).toEqual({ 200: 10 });
  await shows(`gw_throttled_total${labels}`, 40);
  await shows(`gw_throttling_partitions${labels}`, 2);

  // a unit that dies comes back to the same partitions
  expect((await gateway!.admin('/units/0/restart', 'POST')).status).toBeLessThan(300);
  await shows('gatewarden_unit_restarts_total', 1);
  await shows('gatewarden_units', 2);
  expect(await askAll('a', 20)).toEqual({ 429: 20 });
  expect(await askAll('b', 30)).toEqual({ 200: 10, 429: 20 });

  // what else changes does not count
  folder.replace('config/routes/app.json', route({ ...throttling, cleaningInterval: '1 minute' }, 218));
  await vi.waitFor(async () => expect(await askAll(`${Math.random()}`, 8)).toEqual({ 218: 8 }), { timeout: 20_000 });
  expect(await askAll('a', 20)).toEqual({ 429: 20 });

  // another rate begins anew
  folder.replace(
    'config/routes/app.json',
    route({ ...throttling, rate: { numberOfRequests: 5, duration: '10 hours' } }, 219),
  );
  await vi.waitFor(async () => expect(await askAll(`${Math.random()}`, 5)).toEqual({ 219: 5 }), { timeout: 20_000 });
  expect(await askAll('a', 20)).toEqual({ 219: 5, 429: 15 });
});

it('partitions that are full again disappear', async () => {
  await start({ ...throttling, rate: { numberOfRequests: 5, duration: '5 s' }, cleaningInterval: '50 ms' });
  // asked again until both are counted: on a busy machine a partition is full again before its figure is read
  await vi.waitFor(async () => {
    await Promise.all([askAll('a', 1), askAll('b', 1)]);
    expect(await gateway!.figure(`gw_throttling_partitions${labels}`)).toBe(2);
  });
  await shows(`gw_throttling_partitions${labels}`, 0);
});
