import { expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { limitedAccount } from '../../support/cluster/limited-account.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import { CREST_WORDS, crestClient } from '../../support/crest/cluster-client.ts';
import { routesUser } from '../../support/crest/cluster-users.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const QUERY = '/api/planes?_queryFilter=true&_sortKeys=name&_fields=';

it('all controllers show the data planes of all, to users who may get /status', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const { token: operator } = await limitedAccount(cluster, 'operator', [
    { nonResourceURLs: ['/status'], verbs: ['get'] },
  ]);
  const tenant = await routesUser(cluster, 'tenant', 'all');
  const leader = await gateway.startController(CREST_WORDS);
  await leader.process.line(({ isLeader }) => isLeader === true);
  const follower = await gateway.startController(CREST_WORDS);
  await follower.process.line(({ isLeader }) => isLeader === false);
  const clients = [await crestClient(gateway, leader), await crestClient(gateway, follower)];
  onTestFinished(async () => {
    for (const client of clients) await client.close();
  });
  await gateway.apply(routeManifest(shop, 'orders', 'one'));
  const planes = [
    await gateway.startPlane({ controllers: [leader] }),
    await gateway.startPlane({ controllers: [follower] }),
  ];
  const names = planes.map(({ name }) => name).toSorted();
  const holders = new Map([
    [planes[0]!.name, leader.name],
    [planes[1]!.name, follower.name],
  ]);
  await vi.waitFor(async () => {
    for (const client of clients) {
      const { status, body } = await client.ask(operator, 'GET', QUERY);
      expect([status, body['results']]).toMatchObject([
        200,
        names.map((name) => ({
          ...{ _id: `${gateway.namespace}.${name}`, _rev: expect.any(String), name, namespace: gateway.namespace },
          ...{ state: 'current', isCurrent: true, ready: true, routes: 1, problems: [], problemCount: 0 },
          ...{ controller: holders.get(name), connectedSince: expect.stringMatching(/Z$/), units: 1, unitsServing: 1 },
          ...{ memory: expect.any(Number), snapshotAge: expect.any(Number), version: expect.any(String) },
        })),
      ]);
    }
  }, PATIENCE);
  const id = `${gateway.namespace}.${names[0]}`;
  for (const client of clients) {
    expect((await client.ask(operator, 'GET', `/api/planes/${id}`)).body).toMatchObject({ _id: id, name: names[0] });
    expect((await client.ask(operator, 'GET', `/api/planes/${gateway.namespace}.none`)).status).toBe(404);
    expect((await client.ask(tenant, 'GET', `/api/planes/${id}`)).status).toBe(403);
    expect((await client.ask(tenant, 'GET', QUERY)).status).toBe(403);
    expect((await client.ask('unknown', 'GET', QUERY)).status).toBe(401);
  }
});
