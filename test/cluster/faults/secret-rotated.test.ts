import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';
import { guardedRoute, IssuerKey, issuerStore } from '../../support/identity/issuer-key.ts';

const cluster = theCluster();
const patience = { timeout: 60_000, interval: 50 };

/** A backend that answers when it is told to. */
async function holdingBackend() {
  const held: ServerResponse[] = [];
  const server = createServer((_, response) => {
    held.push(response);
    server.emit('held');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { port, held, untilHeld: () => once(server, 'held') };
}

it('a rotated Secret: no request fails, the new key counts, the old one does not, and no Route is built', async () => {
  const shop = await cluster.namespace('shop');
  const backend = await holdingBackend();
  const [before, after] = [new IssuerKey(), new IssuerKey()];
  const trust = { egress: [`127.0.0.1:${backend.port}`] };
  const gateway = await testedGateway({ access: cluster, namespaces: [shop], trust });
  await gateway.grantSecrets(shop, ['keys']);
  const proxied = guardedRoute(shop, 'slow', 'keys', { type: 'ReverseProxyHandler' });
  const items = [
    before.secret(shop, 'keys'),
    issuerStore(shop, 'keys'),
    guardedRoute(shop, 'quick', 'keys'),
    { ...proxied, spec: { ...(proxied['spec'] as object), baseURI: `http://127.0.0.1:${backend.port}` } },
    sayingRoute(shop, 'hello', 'hello'),
  ];
  await gateway.apply({ apiVersion: 'v1', kind: 'List', items });
  await gateway.startController();
  const { port, process: plane } = await gateway.startPlane();
  const status = async (key: IssuerKey): Promise<string> => (await said(port, '/quick', key.headers)).slice(0, 3);
  await vi.waitFor(async () => expect(await status(before)).toBe('200'), patience);
  await gateway.untilReason(shop, 'route/slow', 'Programmed', 'Programmed');
  const others = new SteadyClient(port, '/hello', (text) => text === 'hello');
  const held = backend.untilHeld();
  const underWay = said(port, '/slow', before.headers);
  await held;

  const lines = plane.said.length;
  const seen: { readonly old: string[]; readonly now: string[] } = { old: [], now: [] };
  const rotated = gateway.apply(after.secret(shop, 'keys'));
  while (seen.old.at(-1) !== '401' || seen.now.at(-1) !== '200') {
    seen.old.push(await status(before));
    seen.now.push(await status(after));
  }
  await rotated;
  expect(seen.old.join(' ')).toMatch(/^(200 )*401( 401)*$/);
  expect(seen.now.join(' ')).toMatch(/^(401 )*200( 200)*$/);

  for (const response of backend.held) response.end('late');
  expect(await underWay).toBe('200 late');
  expect(await others.stop()).toEqual([]);
  expect(others.answered).toBeGreaterThan(0);
  await gateway.untilReason(shop, 'route/quick', 'Programmed', 'Programmed');
  const revisions = () => plane.said.slice(lines).filter(({ msg }) => msg === 'revision applied');
  // a line is written after the new key counts
  await expect.poll(revisions).toMatchObject([{ full: false, set: 0, remove: 0, resources: 1 }]);
});
