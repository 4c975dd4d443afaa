import { expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import { CREST_WORDS, crestClient } from '../../support/crest/cluster-client.ts';
import { routesUser } from '../../support/crest/cluster-users.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const QUERY = '/api/route-states?_queryFilter=true';

it('all controllers show Routes with the figures of all data planes, to users who may list them', async () => {
  const [shop, bank] = [await cluster.namespace('shop'), await cluster.namespace('bank')];
  const gateway = await testedGateway({ access: cluster, namespaces: [shop, bank] });
  const tenant = await routesUser(cluster, 'tenant', [shop], ['get', 'list']);
  const leader = await gateway.startController(CREST_WORDS);
  await leader.process.line(({ isLeader }) => isLeader === true);
  const follower = await gateway.startController(CREST_WORDS);
  await follower.process.line(({ isLeader }) => isLeader === false);
  const clients = [await crestClient(gateway, leader), await crestClient(gateway, follower)];
  onTestFinished(async () => {
    for (const client of clients) await client.close();
  });
  for (const route of [routeManifest(shop, 'orders', 'one'), routeManifest(bank, 'pay', 'two')])
    await gateway.apply(route);
  const planes = [
    await gateway.startPlane({ controllers: [leader] }),
    await gateway.startPlane({ controllers: [follower] }),
  ];
  for (const plane of planes) {
    await vi.waitFor(async () => {
      const answer = await fetch(`http://127.0.0.1:${plane.port}/orders`);
      expect([answer.status, await answer.text()]).toEqual([200, 'one']);
    }, PATIENCE);
  }
  await vi.waitFor(async () => {
    for (const client of clients) {
      const { status, body } = await client.ask(tenant, 'GET', QUERY);
      const states = body['results'] as { figures: { answered: number; p99: number } | null }[];
      expect([status, states]).toMatchObject([
        200,
        [
          {
            ...{ _id: `${shop}.orders`, namespace: shop, position: 1, serves: 'this', errors: 0 },
            planes: { current: 2, of: 2 },
          },
        ],
      ]);
      expect(states[0]!.figures?.answered).toBeGreaterThanOrEqual(2);
      expect(states[0]!.figures?.p99).toBeGreaterThan(0);
    }
  }, PATIENCE);
  for (const client of clients) {
    expect((await client.ask(tenant, 'GET', `/api/route-states/${bank}.pay`)).status).toBe(403);
    const { body } = await client.ask(tenant, 'GET', `/api/permissions/${shop}.orders`);
    expect(body['routes']).toMatchObject({
      explain: { allowed: true, reason: null },
      update: { allowed: false, reason: expect.stringContaining(`may not update the Route '${shop}.orders'`) },
    });
  }
});
