import { expect, it, onTestFinished, vi } from 'vitest';
import { answering, startApp } from '../../support/backends/endpoint-apps.ts';
import { eachRequest, plainAnswer } from '../../support/backends/scripted-backend.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

const LONG = { timeout: 20_000, interval: 50 };

it('units eject an endpoint together, and a new unit knows of it', async () => {
  const bad = await startApp(eachRequest(() => plainAnswer('bad', '503 Unavailable')));
  const good = await startApp(answering('good'));
  const backends = {
    type: 'Backends',
    config: {
      endpoints: [bad, good].map(({ port }) => ({ uri: `http://127.0.0.1:${port}` })),
      balancing: 'roundRobin',
      passiveHealth: { consecutiveFailures: 6, ejectionTime: '1 hour', maxEjectionTime: '1 hour' },
    },
  };
  const folder = new InstanceFolder({
    'config/routes/app.json': { handler: { type: 'ReverseProxyHandler', config: { backends } } },
  });
  onTestFinished(() => folder[Symbol.dispose]());
  const gateway = await GatewayProcess.run(folder.path, ['--units', '2']);
  onTestFinished(async () => void (await gateway.stop()));
  /** Asks on a connection of its own, which the kernel gives to any unit. */
  const ask = async (): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}/`, { headers: { connection: 'close' } });
    await response.text();
    return response.status;
  };
  const statuses: number[] = [];
  for (let i = 0; i < 24; i++) statuses.push(await ask());
  expect(statuses.filter((status) => status === 503)).toHaveLength(6);
  expect(bad.requests).toHaveLength(6);
  const labels = (state: string): string => {
    const name = '{Backends}/handler/config/backends';
    return `{fully_qualified_name="gateway._router.app.${name}",name="${name}",route="app",router="gateway._router",state="${state}"}`;
  };
  const shows = (state: string, value: number): Promise<void> =>
    vi.waitFor(async () => {
      expect(await gateway.figure(`gw_backends_endpoints${labels(state)}`).catch(() => Number.NaN)).toBe(value);
    }, LONG);
  await shows('ejected', 1);
  await shows('serving', 1);
  await vi.waitFor(async () => {
    const { backends: shown } = JSON.parse((await gateway.admin('/')).text) as { readonly backends: object };
    expect(shown).toMatchObject([
      {
        name: '{Backends}/handler/config/backends',
        route: 'app',
        endpoints: [
          { endpoint: `127.0.0.1:${bad.port}`, state: 'ejected', outstanding: 0, ejections: 1 },
          { endpoint: `127.0.0.1:${good.port}`, state: 'serving', outstanding: 0, ejections: 0 },
        ],
      },
    ]);
  }, LONG);
  expect((await gateway.admin('/units/0/restart', 'POST')).status).toBeLessThan(300);
  await vi.waitFor(async () => expect(await gateway.figure('gatewarden_unit_restarts_total')).toBe(1), LONG);
  await vi.waitFor(async () => expect(await gateway.figure('gatewarden_units')).toBe(2), LONG);
  for (let i = 0; i < 8; i++) expect(await ask()).toBe(200);
  expect(bad.requests).toHaveLength(6);
});
