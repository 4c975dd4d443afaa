import { beforeEach, expect, it, vi } from 'vitest';
import { CONSENT_LABEL } from '../../../contract/resources/resource.ts';
import { programWithoutResources } from '../../support/channel/older-program.ts';
import { PATIENCE } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { keepingIn, untilKept } from '../../support/cluster/keeping-planes.ts';
import type { DeployedGateway } from '../../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';
import { guardedRoute, IssuerKey, issuerStore } from '../../support/identity/issuer-key.ts';

const cluster = theCluster();
let shop: string;
let gateway: DeployedGateway;
let key: IssuerKey;

beforeEach(async () => {
  shop = await cluster.namespace('shop');
  gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  await gateway.grantSecrets(shop, ['keys']);
  key = new IssuerKey();
  const items = [key.secret(shop, 'keys'), issuerStore(shop, 'keys'), sayingRoute(shop, 'hello', 'hello')];
  await gateway.apply({ apiVersion: 'v1', kind: 'List', items });
  await gateway.startController();
});

/** Resolves when a data plane answers a request with a good token so. */
async function untilStatus(port: number, path: string, status: number): Promise<void> {
  await vi.waitFor(
    async () => expect(await said(port, path, key.headers)).toMatch(new RegExp(`^${status}\\b`)),
    PATIENCE,
  );
}

async function label(value: string): Promise<void> {
  await gateway.kubectl(['label', 'secret', 'keys', '-n', shop, '--overwrite', value]);
}

it('a Route refuses requests while its Secret has no consent and while its SecretStore is gone, and status says so', async () => {
  await gateway.apply(guardedRoute(shop, 'orders', 'keys'));
  const { port } = await gateway.startPlane();
  await untilStatus(port, '/orders', 200);
  await gateway.untilReason(shop, 'route/orders', 'Programmed', 'Programmed');

  await label(`${CONSENT_LABEL}-`);
  await untilStatus(port, '/orders', 500);
  await gateway.untilReason(shop, 'route/orders', 'ResolvedRefs', 'SecretNotAllowed');
  await gateway.untilReason(shop, 'route/orders', 'Programmed', 'RefusesTraffic');
  expect(await said(port, '/hello')).toBe('200 hello');
  await label(`${CONSENT_LABEL}=allowed`);
  await untilStatus(port, '/orders', 200);
  await gateway.untilReason(shop, 'route/orders', 'Programmed', 'Programmed');

  await gateway.kubectl(['delete', 'secretstores.gatewarden.io', 'keys', '-n', shop]);
  await untilStatus(port, '/orders', 500);
  await gateway.untilReason(shop, 'route/orders', 'ResolvedRefs', 'StoreNotFound');
  await gateway.untilReason(shop, 'route/orders', 'Programmed', 'RefusesTraffic');
  await gateway.apply(issuerStore(shop, 'keys'));
  await untilStatus(port, '/orders', 200);
  await gateway.untilReason(shop, 'route/orders', 'Programmed', 'Programmed');
});

it('a data plane that is restarted without a controller verifies tokens with the shared store of its snapshot', async () => {
  await gateway.apply(guardedRoute(shop, 'orders', 'keys'));
  await gateway.apply(guardedRoute(shop, 'bills', 'keys'));
  const keeping = keepingIn(gateway, 'kept');
  const before = await gateway.startPlane({ words: keeping.words });
  for (const path of ['/orders', '/bills']) await untilStatus(before.port, path, 200);
  await untilKept(keeping.file);
  for (const { process } of [...gateway.controllers, before]) await process.stop();

  const { port } = await gateway.startPlane({ words: keeping.words, name: before.name });
  const other = new IssuerKey();
  for (const path of ['/orders', '/bills']) {
    await untilStatus(port, path, 200);
    expect(await said(port, path, other.headers)).toMatch(/^401\b/);
  }
});

it('a data plane that does not know shared resources refuses the Routes that use them, and serves the others', async () => {
  await gateway.apply(sayingRoute(shop, 'orders', 'open'));
  const command = [programWithoutResources(gateway.at('older'))] as const;
  const { port } = await gateway.startPlane({ command });
  await untilStatus(port, '/orders', 200);

  // one that it had in another version, and one that it never had
  await gateway.apply(guardedRoute(shop, 'orders', 'keys'));
  await gateway.apply(guardedRoute(shop, 'bills', 'keys'));
  for (const route of ['orders', 'bills']) {
    await gateway.untilReason(shop, `route/${route}`, 'Programmed', 'PlaneRefused');
    await gateway.untilReason(shop, `route/${route}`, 'Accepted', 'Accepted');
  }
  expect(await said(port, '/orders')).toBe('200 open');
  await untilStatus(port, '/bills', 500);
  await gateway.apply(sayingRoute(shop, 'hello', 'again'));
  await vi.waitFor(async () => expect(await said(port, '/hello')).toBe('200 again'), PATIENCE);

  await label(`${CONSENT_LABEL}-`);
  await untilStatus(port, '/orders', 500);
  await gateway.untilReason(shop, 'route/orders', 'Programmed', 'RefusesTraffic');
});
