import { expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { theCluster } from '../support/cluster/cluster.ts';
import { routeManifest } from '../support/cluster/route-manifest.ts';
import { CREST_WORDS, type CrestClient, crestClient } from '../support/crest/cluster-client.ts';
import { routesUser } from '../support/crest/cluster-users.ts';
import type { DeployedGateway, RunningController } from '../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const PATIENCE = { timeout: 60_000, interval: 100 };

async function started(
  gateway: DeployedGateway,
  words: readonly string[] = [],
): Promise<[RunningController, CrestClient]> {
  const controller = await gateway.startController([...CREST_WORDS, ...words]);
  await controller.process.line(({ msg }) => msg === 'initial list complete');
  const client = await crestClient(gateway, controller);
  onTestFinished(() => client.close());
  return [controller, client];
}

/** What a version says: who made it, and the text that it answers with. */
const said = ({ body }: { readonly body: JsonObject }): string[] =>
  ((body['results'] ?? []) as JsonObject[]).map(({ by, document }) => {
    const { handler } = document as { readonly handler: { readonly config: { readonly entity: string } } };
    return `${String(by)}: ${handler.config.entity}`;
  });

it('versions of a Route survive controllers, tell who made them, and are for those who may get the Route', async () => {
  const [shop, bank] = [await cluster.namespace('shop'), await cluster.namespace('bank')];
  const gateway = await testedGateway({ access: cluster, namespaces: [shop, bank] });
  const editor = await routesUser(cluster, 'editor', [shop]);
  const stranger = await routesUser(cluster, 'stranger', [bank]);
  const [first, client] = await started(gateway);
  await first.process.line(({ isLeader }) => isLeader === true);
  const path = `/api/routes/${shop}.orders`;
  const versions = `${path}/versions?_queryFilter=true&_sortKeys=number`;
  const stored = (): Promise<string> =>
    gateway.kubectl(['get', 'routehistories', '-n', shop, '-o', 'jsonpath={.items[*].newest.generation}']);

  await gateway.apply(routeManifest(shop, 'orders', 'one'));
  await gateway.apply(routeManifest(shop, 'still', 'never changed'));
  await vi.waitFor(async () => expect(said(await client.ask(editor, 'GET', versions))).toHaveLength(1), PATIENCE);
  const now = (await client.ask(editor, 'GET', path)).body;
  const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: 'two' } };
  expect((await client.ask(editor, 'PUT', path, { body: { ...now, handler } })).status).toBe(200);
  expect(said(await client.ask(editor, 'GET', versions))).toEqual([
    expect.stringMatching(/^kubectl.*: one$/),
    'gatewarden-common-rest: two',
  ]);
  // Only the Route that was changed has a history.
  await vi.waitFor(async () => expect(await stored()).toBe('2'), PATIENCE);
  const owned = ['get', 'routehistories', 'orders', '-n', shop, '-o', 'jsonpath={.metadata.ownerReferences[0].kind}'];
  expect(await gateway.kubectl(owned)).toBe('Route');

  // A controller that comes later knows what another one wrote, and what was changed while nobody looked.
  await first.process.stop('SIGKILL');
  await gateway.apply(routeManifest(shop, 'orders', 'three'));
  const [, second] = await started(gateway);
  await vi.waitFor(async () => expect(await stored()).toBe('3'), PATIENCE);
  expect(said(await second.ask(editor, 'GET', versions))).toEqual([
    expect.stringMatching(/: one$/),
    expect.stringMatching(/: two$/),
    expect.stringMatching(/: three$/),
  ]);
  expect((await second.ask(stranger, 'GET', versions)).status).toBe(403);
  expect((await second.ask(stranger, 'GET', `${path}/versions/1`)).status).toBe(403);

  // Undo is a deployment like any other.
  const [oldest] = (await second.ask(editor, 'GET', versions)).body['results'] as JsonObject[];
  const undo = await second.ask(editor, 'PUT', path, { body: oldest!['document'] });
  expect(undo).toMatchObject({ status: 200, body: { handler: { config: { entity: 'one' } } } });
  await vi.waitFor(async () => expect(await stored()).toBe('4'), PATIENCE);
});

it('a controller with --route-versions off keeps no versions', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const editor = await routesUser(cluster, 'editor', [shop]);
  const [controller, client] = await started(gateway, ['--route-versions', 'off']);
  await controller.process.line(({ isLeader }) => isLeader === true);
  const path = `/api/routes/${shop}.orders`;
  const { spec } = routeManifest(shop, 'orders', 'one') as { readonly spec: JsonObject };
  expect((await client.ask(editor, 'PUT', path, { body: spec })).status).toBe(201);
  expect((await client.ask(editor, 'PUT', path, { body: { ...spec, name: 'other' } })).status).toBe(200);
  expect((await client.ask(editor, 'GET', `${path}/versions?_queryFilter=true`)).status).toBe(404);
  await gateway.kubectl([
    'wait',
    'routes.gatewarden.io/orders',
    '-n',
    shop,
    '--for=condition=Accepted',
    '--timeout=300s',
  ]);
  expect(await gateway.kubectl(['get', 'routehistories', '-n', shop, '-o', 'name'])).toBe('');
});
