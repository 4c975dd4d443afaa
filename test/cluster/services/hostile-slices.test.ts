import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { PATIENCE } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { deployedObject, said } from '../../support/cluster/deployed-routes.ts';
import { ownAddress, routeToService, serviceOf, sliceAt } from '../../support/cluster/services/service-objects.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();

/** A listener that tenants must not reach. */
async function guarded(): Promise<{ readonly port: number; readonly count: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, ownAddress(), resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return { port: (server.address() as AddressInfo).port, count: () => connections };
}

it('slices that a tenant writes reach no address that egress rules forbid, by requests or by probes', async () => {
  const [shop, bank] = [await cluster.namespace('shop'), await cluster.namespace('bank')];
  const gateway = await testedGateway({ access: cluster, namespaces: [shop, bank] });
  await gateway.startController();
  const target = await guarded();
  await gateway.apply(serviceOf(shop, 'orders'));
  await gateway.apply(sliceAt(shop, 'orders', target.port));
  await gateway.apply(routeToService(shop, 'orders', { name: 'orders', port: 'http' }));
  const activeHealth = { protocol: 'tcp', interval: '1 second', unhealthyThreshold: 1 };
  const probed: JsonObject = { type: 'Backends', config: { service: { name: 'orders', port: 'http' }, activeHealth } };
  await gateway.apply(
    deployedObject('Route', shop, 'probed', {
      condition: "${find(request.uri.path, '^/probed')}",
      handler: { type: 'ReverseProxyHandler', config: { backends: probed } },
    }),
  );
  // a Service of another namespace, which does not allow it
  await gateway.apply(routeToService(bank, 'stolen', { name: 'orders', namespace: shop, port: 'http' }));
  const plane = await gateway.startPlane();
  const untilSaid = (path: string, text: RegExp): Promise<void> =>
    vi.waitFor(async () => expect(await said(plane.port, path)).toMatch(text), PATIENCE);
  await untilSaid('/orders', /^403/);
  await untilSaid('/probed', /^403/);
  await untilSaid('/stolen', /^500/);
  await gateway.untilReason(bank, 'route/stolen', 'ResolvedRefs', 'ServiceNotGranted');
  await vi.waitFor(() => expect(plane.process.said.some(({ msg }) => /probe/.test(msg))).toBe(true), PATIENCE);
  expect(target.count()).toBe(0);
});

it.each([
  ['loopback', '127.0.0.1', 'IPv4'],
  ['link-local', '169.254.169.254', 'IPv4'],
  ['loopback of IPv6', '::1', 'IPv6'],
  ['mapped loopback', '::ffff:127.0.0.1', 'IPv6'],
])('the API server takes no slice with an address that is %s', async (_case, address, addressType) => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const slice = { ...sliceAt(shop, 'orders', 80), addressType, endpoints: [{ addresses: [address] }] };
  await expect(gateway.apply(slice)).rejects.toThrow(/Invalid value/);
});
