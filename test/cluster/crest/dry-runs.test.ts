import { request } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { DryRun } from '../../../contract/shown/dry-run.ts';
import { PATIENCE } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import { CREST_WORDS, type CrestClient, type CrestReply, crestClient } from '../../support/crest/cluster-client.ts';
import { routesUser } from '../../support/crest/cluster-users.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const EXPLAIN = '/api/routes?_action=explain';

/** An operator's filter in front of all Routes. */
const CONFIG = {
  heap: [{ name: '_router', type: 'Router' }],
  handler: {
    type: 'Chain',
    config: {
      filters: [
        {
          name: 'operators-mark',
          type: 'HeaderFilter',
          config: { messageType: 'REQUEST', add: { 'X-Zone': ['operators-zone'] } },
        },
      ],
      handler: '_router',
    },
  },
};

/** Answers everything below a path, once a day. */
const limited = (namespace: string, name: string): object =>
  routeManifest(namespace, name, 'done', {
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            name: `${name}-limit`,
            type: 'ThrottlingFilter',
            config: {
              requestGroupingPolicy: "${request.headers['X-Zone'][0]}",
              rate: { numberOfRequests: 1, duration: '1 day' },
            },
          },
        ],
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'done' } },
      },
    },
  });

it('tenants have dry runs of their own Routes on data planes of all controllers, and see no objects of others', async () => {
  const [shop, bank] = [await cluster.namespace('shop'), await cluster.namespace('bank')];
  const gateway = await testedGateway({
    access: cluster,
    namespaces: [shop, bank],
    trust: {
      tenants: [
        { name: 'store', namespaces: [shop], hosts: ['store.test'] },
        { name: 'bank', namespaces: [bank], hosts: ['bank.test'] },
      ],
    },
    base: { 'config.json': CONFIG },
  });
  const leader = await gateway.startController(CREST_WORDS);
  await leader.process.line(({ isLeader }) => isLeader === true);
  const follower = await gateway.startController(CREST_WORDS);
  await follower.process.line(({ isLeader }) => isLeader === false);
  const other = await gateway.startController(CREST_WORDS);
  await other.process.line(({ isLeader }) => isLeader === false);
  const clients = [
    await crestClient(gateway, follower),
    await crestClient(gateway, leader),
    await crestClient(gateway, other),
  ];
  onTestFinished(async () => {
    for (const client of clients) await client.close();
  });
  const operator = await routesUser(cluster, 'operator', 'all', ['explain', 'get', 'list']);
  const keeper = await routesUser(cluster, 'keeper', [shop], ['explain', 'get', 'list']);
  const reader = await routesUser(cluster, 'reader', [shop], ['get', 'list']);
  await gateway.apply(limited(shop, 'orders'));
  await gateway.apply(limited(bank, 'pay'));
  await gateway.apply(
    routeManifest(shop, 'carts', '', { baseURI: 'http://carts.test:8080', handler: 'ReverseProxyHandler' }),
  );
  const ask = (client: CrestClient, token: string, uri: string, path = EXPLAIN): Promise<CrestReply> =>
    client.ask(token, 'POST', path, { body: { uri, dryRun: true } });
  const orders = 'http://store.test/orders/1';
  const without = await ask(clients[0]!, operator, orders);
  expect([without.status, without.text]).toEqual([503, expect.stringContaining('no data plane of the group')]);

  const plane = await gateway.startPlane({ controllers: [follower] });
  await vi.waitFor(async () => expect((await ask(clients[2]!, operator, orders)).status).toBe(200), PATIENCE);

  const answers = await Promise.all(clients.map((client) => ask(client, keeper, orders)));
  for (const { status, body, text } of answers) {
    const { steps, ...dryRun } = body['dryRun'] as DryRun;
    expect([status, body['route']]).toEqual([200, `${shop}.orders`]);
    expect(dryRun).toMatchObject({ plane: plane.name, status: 200, unit: 0 });
    expect(steps).toMatchObject([
      { kind: 'filter', type: '', outcome: 'passed', hidden: true },
      { kind: 'route', name: `${shop}.orders` },
      { type: 'ThrottlingFilter', name: 'orders-limit', outcome: 'passed', values: [{ value: '********' }] },
      { type: 'StaticResponseHandler', outcome: 'answered', status: 200 },
    ]);
    expect(text).not.toMatch(/operators|X-Zone added/);
  }
  for (const client of clients) {
    const { body } = await ask(client, operator, orders);
    expect((body['dryRun'] as DryRun).steps[0]).toMatchObject({
      ...{ type: 'HeaderFilter', name: 'operators-mark', changes: ['request header x-zone added'] },
    });
    const own = await ask(client, keeper, orders, `/api/routes/${shop}.orders?_action=explain`);
    expect(own.body).toMatchObject({ takes: true, dryRun: { plane: plane.name } });

    const refused = await ask(client, reader, orders);
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining(`may not explain the Route '${shop}.orders'`),
    ]);
    const foreign = await ask(client, keeper, 'http://bank.test/pay/1');
    expect(foreign.status).toBe(403);
    expect(foreign.text).not.toContain(bank);
    const permissions = await client.ask(reader, 'GET', `/api/permissions/${shop}.orders`);
    expect(permissions.body).toMatchObject({ routes: { explain: { allowed: true }, dryRun: { allowed: false } } });
  }

  const carts = await ask(clients[0]!, keeper, 'http://store.test/carts/1');
  expect((carts.body['dryRun'] as DryRun).steps.at(-1)).toMatchObject({
    ...{ type: 'ReverseProxyHandler', outcome: 'assumed', backend: 'http://carts.test:8080/carts/1' },
  });

  // no dry run took the one request of the day
  const sent = await request(`http://127.0.0.1:${plane.port}/orders/1`, { headers: { host: 'store.test' } });
  await sent.body.dump();
  expect(sent.statusCode).toBe(200);
  expect((await ask(clients[1]!, keeper, orders)).body['dryRun']).toMatchObject({ status: 429 });

  const made = [follower, leader, other].map(({ process }) =>
    process.said.filter(({ msg }) => msg === 'dry run made over HTTP'),
  );
  expect(made.every((lines) => lines.length >= 3)).toBe(true);
  expect(made[1]).toContainEqual(
    expect.objectContaining({
      ...{ caller: expect.stringMatching(/^system:serviceaccount:.*:keeper$/), route: `${shop}.orders` },
      plane: plane.name,
    }),
  );

  await plane.process.stop('SIGKILL');
  for (const client of clients) {
    await vi.waitFor(async () => {
      const { status, text } = await ask(client, keeper, orders);
      expect([status, text]).toEqual([503, expect.stringMatching(/no data plane of the group|disconnected during/)]);
    }, PATIENCE);
  }
});
