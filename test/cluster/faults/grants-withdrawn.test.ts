import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CONSENT_LABEL } from '../../../contract/resources/resource.ts';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import type { DeployedGateway } from '../../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';
import { guardedRoute, IssuerKey, issuerStore, SECRET_KEY } from '../../support/identity/issuer-key.ts';

const cluster = theCluster();
const patience = { timeout: 60_000, interval: 50 };
const issuer = new IssuerKey();
let shop = '';
let platform = '';

beforeAll(async () => {
  shop = await cluster.namespace('shop');
  platform = await cluster.namespace('platform');
});

interface Withdrawal {
  /** The name of the Route, of its store and of the Secret. */
  readonly name: string;
  readonly reason: string;
  readonly namespace: () => string;
  withdraw(gateway: DeployedGateway): Promise<unknown>;
  giveBack(gateway: DeployedGateway): Promise<unknown>;
}

const kubectl = (gateway: DeployedGateway, words: string, namespace = shop): Promise<string> =>
  gateway.kubectl([...words.split(' '), '-n', namespace]);

const withdrawals: readonly Withdrawal[] = [
  {
    name: 'label',
    reason: 'SecretNotAllowed',
    namespace: () => shop,
    withdraw: (gateway) => kubectl(gateway, `label secret label ${CONSENT_LABEL}-`),
    giveBack: (gateway) => kubectl(gateway, `label secret label ${CONSENT_LABEL}=allowed`),
  },
  {
    name: 'secret',
    reason: 'SecretNotFound',
    namespace: () => shop,
    withdraw: (gateway) => kubectl(gateway, 'delete secret secret'),
    giveBack: (gateway) => gateway.apply(issuer.secret(shop, 'secret')),
  },
  {
    name: 'key',
    reason: 'SecretKeyNotFound',
    namespace: () => shop,
    withdraw: (gateway) =>
      kubectl(gateway, `patch secret key --type=json -p=[{"op":"remove","path":"/data/${SECRET_KEY}"}]`),
    giveBack: (gateway) => gateway.apply(issuer.secret(shop, 'key')),
  },
  {
    name: 'store',
    reason: 'StoreNotFound',
    namespace: () => shop,
    withdraw: (gateway) => kubectl(gateway, 'delete secretstores.gatewarden.io store'),
    giveBack: (gateway) => gateway.apply(issuerStore(shop, 'store')),
  },
  {
    name: 'grant',
    reason: 'StoreNotGranted',
    namespace: () => platform,
    withdraw: (gateway) => gateway.apply(issuerStore(platform, 'grant', { allowedNamespaces: ['other'] })),
    giveBack: (gateway) => gateway.apply(issuerStore(platform, 'grant', { allowedNamespaces: [shop] })),
  },
];

async function deployed(trust: Readonly<Record<string, unknown>> = {}): Promise<DeployedGateway> {
  const gateway = await testedGateway({ access: cluster, namespaces: [shop, platform], trust });
  return gateway;
}

async function untilSaid(port: number, path: string, expected: RegExp): Promise<void> {
  await vi.waitFor(async () => expect(await said(port, path, issuer.headers)).toMatch(expected), patience);
}

describe('a permission of a Route', () => {
  it('rejects requests when withdrawn, recovers when restored, and does not affect others', async () => {
    const gateway = await deployed();
    for (const namespace of [shop, platform]) {
      await gateway.grantSecrets(
        namespace,
        withdrawals.map(({ name }) => name),
      );
    }
    await gateway.apply({
      apiVersion: 'v1',
      kind: 'List',
      items: [
        sayingRoute(shop, 'hello', 'hello'),
        ...withdrawals.flatMap(({ name, namespace }) => {
          const isOwn = namespace() === shop;
          const more = isOwn ? {} : { allowedNamespaces: [shop] };
          const store = isOwn ? name : `${namespace()}/${name}`;
          return [
            issuer.secret(namespace(), name),
            issuerStore(namespace(), name, more),
            guardedRoute(shop, name, store),
          ];
        }),
      ],
    });
    await gateway.startController();
    const { port } = await gateway.startPlane();
    await untilSaid(port, '/hello', /^200 hello$/);
    const others = new SteadyClient(port, '/hello', (text) => text === 'hello');
    await Promise.all(
      withdrawals.map(async ({ name, reason, withdraw, giveBack }) => {
        await untilSaid(port, `/${name}`, /^200 in$/);
        await withdraw(gateway);
        await untilSaid(port, `/${name}`, /^500 .*route-unsound/);
        await gateway.untilReason(shop, `route/${name}`, 'ResolvedRefs', reason);
        await gateway.untilReason(shop, `route/${name}`, 'Programmed', 'RefusesTraffic');
        expect(await said(port, `/${name}`, issuer.headers)).toMatch(/^500 /);
        await giveBack(gateway);
        await untilSaid(port, `/${name}`, /^200 in$/);
        await gateway.untilReason(shop, `route/${name}`, 'Programmed', 'Programmed');
      }),
    );
    expect(await others.stop()).toEqual([]);
    expect(others.answered).toBeGreaterThan(0);
  });

  it('stops traffic when its namespace leaves trust.json, until it is back', async () => {
    const tenants = [{ name: 'platform', namespaces: [platform], hosts: ['*'] }];
    const both = [...tenants, { name: 'shop', namespaces: [shop], hosts: ['shop.example.com'] }];
    const gateway = await deployed({ tenants: both });
    await gateway.apply(sayingRoute(shop, 'mine', 'of the shop'));
    await gateway.apply(sayingRoute(platform, 'theirs', 'of the platform'));
    await gateway.startController();
    const { port } = await gateway.startPlane();
    const ask = (path: string): Promise<string> => said(port, path, { host: 'shop.example.com' });
    await vi.waitFor(async () => expect(await ask('/mine')).toBe('200 of the shop'), patience);
    const others = new SteadyClient(port, '/theirs', (text) => text === 'of the platform');

    await gateway.configure({ tenants });
    await vi.waitFor(async () => expect(await ask('/mine')).toMatch(/^404/), patience);
    await gateway.untilReason(shop, 'route/mine', 'Accepted', 'HostNotGranted');
    await gateway.untilReason(shop, 'route/mine', 'Programmed', 'TakesNoTraffic');

    await gateway.configure({ tenants: both });
    await vi.waitFor(async () => expect(await ask('/mine')).toBe('200 of the shop'), patience);
    await gateway.untilReason(shop, 'route/mine', 'Programmed', 'Programmed');
    expect(await others.stop()).toEqual([]);
    expect(others.answered).toBeGreaterThan(0);
  });
});
