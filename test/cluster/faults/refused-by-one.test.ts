import { mkdirSync } from 'node:fs';
import { beforeEach, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { olderProgram } from '../../support/channel/older-program.ts';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { deployedObject, said, sayingHandler, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { spoken } from '../../support/cluster/keeping-planes.ts';
import type { DeployedGateway } from '../../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const patience = { timeout: 60_000, interval: 50 };
let shop = '';

beforeEach(async () => {
  shop = await cluster.namespace('shop');
});

async function deployed(): Promise<DeployedGateway> {
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  return gateway;
}

interface Shown {
  readonly programmed: string;
  readonly message: string;
}

/** What the Route `name` says about planes. */
async function shown(gateway: DeployedGateway, name: string): Promise<Shown> {
  const words = ['get', 'routes.gatewarden.io', name, '-n', shop, '-o', 'json'];
  const { status } = JSON.parse(await gateway.kubectl(words)) as {
    status: { programmed: string; conditions: { type: string; message: string }[] };
  };
  const condition = status.conditions.find(({ type }) => type === 'Programmed');
  return { programmed: status.programmed, message: condition?.message ?? '' };
}

async function untilShown(gateway: DeployedGateway, name: string, programmed: string): Promise<Shown> {
  return vi.waitFor(
    async () => {
      const status = await shown(gateway, name);
      expect(status.programmed).toBe(programmed);
      return status;
    },
    { ...patience, interval: 300 },
  );
}

it('a data plane without a type keeps the previous version, and the Route reports it', async () => {
  const gateway = await deployed();
  const old = olderProgram(gateway.at('old'), 'uriPathRewriteFilter');
  await gateway.apply(sayingRoute(shop, 'hello', 'first'));
  await gateway.apply(sayingRoute(shop, 'other', 'other'));
  await gateway.startController();
  const planes = await Promise.all([
    gateway.startPlane(),
    gateway.startPlane(),
    gateway.startPlane({ command: [old] }),
  ]);
  const [, , older] = planes;
  await untilShown(gateway, 'hello', '3/3');
  const clients = planes.map(({ port }) => new SteadyClient(port, '/hello', (text) => /^(first|second)$/.test(text)));

  const rewrite = { type: 'UriPathRewriteFilter', config: { mappings: { '/hello': '/' } } };
  const handler: JsonObject = { type: 'Chain', config: { filters: [rewrite], handler: sayingHandler('second') } };
  await gateway.apply(sayingRoute(shop, 'hello', 'second', { handler }));
  await gateway.untilReason(shop, 'route/hello', 'Programmed', 'PlaneRefused');
  const { message } = await untilShown(gateway, 'hello', '2/3');
  expect(message).toContain(`plane ${gateway.namespace}/${older.name}: `);
  expect(message).toContain('UriPathRewriteFilter');
  expect(await Promise.all(planes.map(({ port }) => said(port, '/hello')))).toEqual([
    '200 second',
    '200 second',
    '200 first',
  ]);

  await gateway.apply(sayingRoute(shop, 'other', 'changed'));
  for (const { port } of planes) {
    await vi.waitFor(async () => expect(await said(port, '/other')).toBe('200 changed'), patience);
  }
  await untilShown(gateway, 'other', '3/3');
  for (const client of clients) {
    expect(await client.stop()).toEqual([]);
    expect(client.answered).toBeGreaterThan(0);
  }

  await gateway.apply(sayingRoute(shop, 'hello', 'third'));
  await untilShown(gateway, 'hello', '3/3');
  expect(await said(older.port, '/hello')).toBe('200 third');
});

it('a data plane that cannot build a base rejects it completely and continues, also with new Routes', async () => {
  const gateway = await deployed();
  mkdirSync(gateway.at('site'));
  await gateway.apply(sayingRoute(shop, 'hello', 'first'));
  await gateway.startController([], { env: { SITE: gateway.at('site') } });
  const planes = await Promise.all([
    gateway.startPlane({ env: { SITE: gateway.at('site') } }),
    gateway.startPlane({ env: { SITE: gateway.at('site') } }),
    gateway.startPlane({ env: { SITE: gateway.at('missing') } }),
  ]);
  const [, , without] = planes;
  await untilShown(gateway, 'hello', '3/3');
  const clients = planes.map(({ port }) => new SteadyClient(port, '/hello', (text) => text === 'first'));

  const site = { name: 'site', type: 'ResourceHandler', config: { directories: [`\${env['SITE']}`] } };
  const router = { name: '_router', type: 'Router', config: {} };
  await gateway.configure({}, { 'config.json': { heap: [site, router], handler: '_router' } });
  await without.process.line(spoken('revision rejected'));
  await gateway.apply(deployedObject('Route', shop, 'late', { handler: sayingHandler('late') }));
  const { message } = await untilShown(gateway, 'late', '2/3');
  expect(message).toContain(`plane ${gateway.namespace}/${without.name}: `);
  expect(message).toContain('missing');
  await gateway.untilReason(shop, 'route/late', 'Programmed', 'PlaneRefused');
  expect(await Promise.all(planes.map(({ port }) => said(port, '/anything')))).toEqual([
    '200 late',
    '200 late',
    expect.stringMatching(/^404/),
  ]);
  for (const client of clients) {
    expect(await client.stop()).toEqual([]);
    expect(client.answered).toBeGreaterThan(0);
  }

  mkdirSync(gateway.at('missing'));
  await gateway.apply(sayingRoute(shop, 'more', 'more'));
  await untilShown(gateway, 'late', '3/3');
  expect(await said(without.port, '/anything')).toBe('200 late');
});
