import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ScriptedPlane } from '../../support/channel/scripted-plane.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import type { DeployedGateway } from '../../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';
import { guardedRoute, IssuerKey, issuerStore } from '../../support/identity/issuer-key.ts';

const cluster = theCluster();
const patience = { timeout: 60_000, interval: 50 };
const dataPlanes = { matchLabels: { app: 'orders' } };

it('a data plane gets only the Routes that select it, with their secrets', async () => {
  const shop = await cluster.namespace('shop');
  const bank = await cluster.namespace('bank');
  const keys = { shop: new IssuerKey(), bank: new IssuerKey() };
  const gateway = await testedGateway({ access: cluster, namespaces: [shop, bank] });
  await gateway.kubectl(['create', 'serviceaccount', 'app', '-n', shop]);
  const edge = { name: 'edge', serviceAccounts: [`${gateway.namespace}/plane`] };
  await gateway.configure({ groups: [edge, { name: 'apps', serviceAccounts: [`${shop}/app`], sidecars: true }] });
  const guarded = guardedRoute(shop, 'beside', 'keys');
  await gateway.grantSecrets(shop, ['keys']);
  await gateway.grantSecrets(bank, ['keys']);
  const items = [
    keys.shop.secret(shop, 'keys'),
    keys.bank.secret(bank, 'keys'),
    issuerStore(shop, 'keys'),
    issuerStore(bank, 'keys'),
    { ...guarded, spec: { ...(guarded['spec'] as object), dataPlanes } },
    guardedRoute(bank, 'vault', 'keys'),
    sayingRoute(shop, 'everywhere', 'everywhere'),
    sayingRoute(bank, 'abroad', 'abroad', { dataPlanes }),
  ];
  await gateway.apply({ apiVersion: 'v1', kind: 'List', items });
  await gateway.startController();
  const sidecar = { namespace: shop, account: 'app', labels: { app: 'orders' } };

  const edgeGets = await receivedBy(gateway, await gateway.makePod());
  expect(edgeGets.routes).toEqual([`${bank}.vault`, `${shop}.everywhere`]);
  expect(edgeGets.text).toContain(base64(keys.bank.pem));
  expect(edgeGets.text).not.toContain(base64(keys.shop.pem));
  expect(edgeGets.text).not.toContain('beside');

  const sidecarGets = await receivedBy(gateway, await gateway.makePod(sidecar));
  expect(sidecarGets.routes).toEqual([`${shop}.beside`]);
  expect(sidecarGets.text).toContain(base64(keys.shop.pem));
  expect(sidecarGets.text).not.toContain(base64(keys.bank.pem));
  for (const name of ['vault', 'everywhere', 'abroad', bank]) expect(sidecarGets.text).not.toContain(name);

  const [atEdge, beside] = await Promise.all([
    gateway.startPlane(),
    gateway.startPlane({ ...sidecar, words: ['--sidecar'] }),
  ]);
  await vi.waitFor(async () => expect(await said(atEdge.port, '/everywhere')).toBe('200 everywhere'), patience);
  await vi.waitFor(async () => expect(await said(beside.port, '/beside', keys.shop.headers)).toBe('200 in'), patience);
  expect(await said(atEdge.port, '/vault', keys.bank.headers)).toBe('200 in');
  expect(await said(atEdge.port, '/beside', keys.shop.headers)).toMatch(/^404/);
  for (const path of ['/everywhere', '/vault', '/abroad']) expect(await said(beside.port, path)).toMatch(/^404/);
  await gateway.untilReason(shop, 'route/beside', 'Programmed', 'Programmed');
  await gateway.untilReason(bank, 'route/abroad', 'Programmed', 'NoPlanes');

  const { adminPort } = gateway.controllers[0]!;
  const dump = await said(adminPort, '/dump');
  expect(dump).toContain(`${shop}.beside`);
  for (const { pem } of Object.values(keys)) {
    expect(dump).not.toContain(base64(pem));
    for (const { process } of [...gateway.controllers, atEdge, beside]) {
      expect(JSON.stringify(process.said)).not.toContain(base64(pem).slice(0, 60));
    }
  }
});

/** All that the controller sends to a plane with the token of this Pod. */
async function receivedBy(gateway: DeployedGateway, name: string) {
  const [token, ca] = [`${name}.token`, 'ca.crt'].map((file) => readFileSync(gateway.at(file), 'utf8'));
  const plane = new ScriptedPlane({ port: gateway.controllers[0]!.port, token: token!, ca: ca! });
  onTestFinished(() => plane.close());
  plane.hello({ name, labels: { app: 'orders', 'gatewarden.io/group': 'apps' } });
  await plane.message('welcome');
  const update = await plane.update();
  plane.ack(update);
  plane.close();
  return { routes: update.set.map(({ id }) => id).sort(), text: JSON.stringify(plane.received) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
