import { afterEach, expect, it, vi } from 'vitest';
import { plainAnswer, ScriptedBackend } from '../support/backends/scripted-backend.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';

let folder: InstanceFolder;
let gateway: GatewayProcess | undefined;
let app: ScriptedBackend;
/** Whether the backend answers. */
let answers: boolean;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await app.close();
  folder[Symbol.dispose]();
});

function route(circuitBreaker: object, more: object = {}): object {
  const config = { circuitBreaker, ...more };
  return { handler: { type: 'ReverseProxyHandler', baseURI: `http://127.0.0.1:${app.port}`, config } };
}

/** Two units in front of a backend that does not answer. */
async function start(circuitBreaker: object): Promise<void> {
  answers = false;
  app = await ScriptedBackend.start(async (peer) => {
    while ((await peer.request()) !== null) {
      if (answers) peer.send(plainAnswer('good'));
      else peer.close();
    }
  });
  folder = new InstanceFolder({ 'config/routes/app.json': route(circuitBreaker) });
  gateway = await GatewayProcess.run(folder.path, ['--units', '2']);
}

/** Asks on a connection of its own, which the kernel gives to any unit. */
async function ask(): Promise<number> {
  const headers = { connection: 'close' };
  const response = await fetch(`http://127.0.0.1:${gateway!.port}/`, { method: 'POST', headers });
  await response.text();
  return response.status;
}

async function askAll(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => ask()));
}

const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);
const labels = (more = ''): string => {
  const name = '{ReverseProxyHandler}/handler';
  return `{fully_qualified_name="gateway._router.app.${name}",name="${name}",route="app",router="gateway._router"${more}}`;
};

async function shows(figure: string, value: number): Promise<void> {
  const read = async (): Promise<number> => gateway!.figure(figure).catch(() => Number.NaN);
  await vi.waitFor(async () => expect(await read()).toBe(value), { timeout: 20_000, interval: 50 });
}

const breaker = { maxFailures: 6, openDuration: '1 hour', slidingCounter: { size: 100 } };

it('units share one circuit, which outlives changes of the configuration and units', async () => {
  await start(breaker);
  await shows(`gw_circuit_breaker_open${labels()}`, 0);
  for (let count = 0; count < 6; count++) expect(await ask()).toBe(502);
  const errors = 'gw_route_response_error_total{name="app",route="app",router="gateway._router"}';
  const errorsBefore = await gateway!.figure(errors);
  expect(await askAll(20)).toEqual(times(20, 500));
  expect(app.requests).toHaveLength(6);
  answers = true;
  await vi.waitFor(() =>
    expect(gateway!.said.filter(({ msg }) => /circuit/.test(String(msg)))).toMatchObject([
      { level: 40, msg: 'circuit breaker opened', failures: 6 },
    ]),
  );
  await shows(`gw_circuit_breaker_open${labels()}`, 1);
  await shows(`gw_circuit_breaker_transitions_total${labels(',to="open"')}`, 1);
  await shows(`gw_circuit_breaker_rejected_total${labels()}`, 20);
  await shows(errors, errorsBefore + 20);

  // a unit that dies comes back to the same circuit
  expect((await gateway!.admin('/units/0/restart', 'POST')).status).toBeLessThan(300);
  await shows('gatewarden_unit_restarts_total', 1);
  await shows('gatewarden_units', 2);
  expect(await askAll(20)).toEqual(times(20, 500));

  // other numbers are another circuit
  folder.replace('config/routes/app.json', route({ ...breaker, maxFailures: 7 }));
  await vi.waitFor(async () => expect(await askAll(20)).toEqual(times(20, 200)), { timeout: 20_000 });
  await shows(`gw_circuit_breaker_open${labels()}`, 0);
});

it('stays open when something else of the object changes', async () => {
  await start({ ...breaker, openHandler: { type: 'StaticResponseHandler', config: { status: 218 } } });
  for (let count = 0; count < 6; count++) await ask();
  expect(await askAll(10)).toEqual(times(10, 218));
  answers = true;
  const openHandler = { type: 'StaticResponseHandler', config: { status: 219 } };
  folder.replace('config/routes/app.json', route({ ...breaker, openHandler }, { connections: 5 }));
  await vi.waitFor(async () => expect(await askAll(10)).toEqual(times(10, 219)), { timeout: 20_000 });
  expect(app.requests).toHaveLength(6);
});

it('is closed for all units after its open time', async () => {
  await start({ maxFailures: 6, openDuration: '50 ms' });
  for (let count = 0; count < 6; count++) await ask();
  answers = true;
  await vi.waitFor(async () => expect(await askAll(10)).toEqual(times(10, 200)), { timeout: 20_000, interval: 10 });
  const said = (): unknown[] => gateway!.said.map(({ msg }) => msg).filter((msg) => /circuit/.test(String(msg)));
  await vi.waitFor(() => expect(said()).toEqual(['circuit breaker opened', 'circuit breaker closed']));
  await shows(`gw_circuit_breaker_transitions_total${labels(',to="closed"')}`, 1);
});
