import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said } from '../../support/cluster/deployed-routes.ts';
import { ownAddress, routeToService, serviceOf, sliceAt } from '../../support/cluster/services/service-objects.ts';
import type { DeployedGateway } from '../../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
let shop: string;
let gateway: DeployedGateway;

beforeEach(async () => {
  shop = await cluster.namespace('shop');
  // endpoints are at addresses of this machine, which tenants do not reach otherwise
  gateway = await testedGateway({ access: cluster, namespaces: [shop], trust: { egress: [`${ownAddress()}/32`] } });
  await gateway.startController();
});

/** An endpoint that answers with a text. @returns its port */
async function endpoint(text: string): Promise<number> {
  const server = createServer((_, answer) => answer.end(text));
  await new Promise<void>((resolve) => server.listen(0, ownAddress(), resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

async function untilSaid(port: number, path: string, text: string | RegExp): Promise<void> {
  await vi.waitFor(async () => expect(await said(port, path)).toMatch(text), PATIENCE);
}

/** Resolves when the controller tells these counts of the endpoints of all Backends. */
async function untilCounted(total: number): Promise<void> {
  const { adminPort } = gateway.controllers[0]!;
  await vi.waitFor(async () => {
    const status = (await said(adminPort, '/status')).replace(/^200 /, '');
    const { planes } = JSON.parse(status) as { planes: { backends?: object[] }[] };
    expect(planes.map(({ backends }) => backends)).toMatchObject([[{ total, ejected: 0, down: 0 }]]);
  }, PATIENCE);
}

it('a request reaches the ready endpoint of the Service that its Route names', async () => {
  const first = await endpoint('first');
  await gateway.apply(serviceOf(shop, 'orders'));
  await gateway.apply(sliceAt(shop, 'orders', first));
  await gateway.apply(routeToService(shop, 'orders', { name: 'orders', port: 'http' }));
  const { port } = await gateway.startPlane();
  await untilSaid(port, '/orders', /^200 first$/);
  await gateway.untilReason(shop, 'route/orders', 'ResolvedRefs', 'ResolvedRefs');
  await untilCounted(1);

  const second = await endpoint('second');
  await gateway.apply(sliceAt(shop, 'orders', second));
  await untilSaid(port, '/orders', /^200 second$/);
  await gateway.apply(sliceAt(shop, 'orders', first, { ready: false, serving: false, terminating: true }));
  await gateway.kubectl(['delete', 'endpointslice', `orders-${second}`, '-n', shop]);
  await untilSaid(port, '/orders', /^502/);
  await gateway.untilReason(shop, 'route/orders', 'ResolvedRefs', 'NoReadyEndpoints');
  await untilCounted(0);
});
