import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../support/channel/plane-answers.ts';
import { SteadyLoad } from '../../support/clients/steady-load.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said } from '../../support/cluster/deployed-routes.ts';
import { keepingIn, untilKept } from '../../support/cluster/keeping-planes.ts';
import { ownAddress, routeToService, serviceOf } from '../../support/cluster/services/service-objects.ts';
import { DRAINING, ServicePod } from '../../support/cluster/services/service-pods.ts';
import type { DeployedGateway } from '../../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const PODS = 50;
const AT_A_TIME = 10;
const cluster = theCluster();
let shop: string;
let gateway: DeployedGateway;

beforeEach(async () => {
  shop = await cluster.namespace('shop');
  gateway = await testedGateway({ access: cluster, namespaces: [shop], trust: { egress: [`${ownAddress()}/32`] } });
  await gateway.startController();
  await gateway.apply(serviceOf(shop, 'orders'));
  await gateway.apply(routeToService(shop, 'orders', { name: 'orders', port: 'http' }));
});

const startPods = (count: number, text: string): Promise<ServicePod[]> =>
  Promise.all(Array.from({ length: count }, () => ServicePod.start(text)));

async function applyAll(items: readonly object[]): Promise<void> {
  await gateway.apply({ apiVersion: 'v1', kind: 'List', items });
}

async function untilSaid(port: number, expected: string): Promise<void> {
  await vi.waitFor(async () => expect(await said(port, '/orders')).toBe(expected), PATIENCE);
}

async function loadOn(port: number): Promise<SteadyLoad> {
  const load = new SteadyLoad(`http://127.0.0.1:${port}/orders`, 8);
  onTestFinished(async () => void (await load.stop()));
  await vi.waitFor(() => expect(load.count).toBeGreaterThan(8), PATIENCE);
  return load;
}

it('no request fails while all fifty endpoints of a Service are replaced', async () => {
  let old = await startPods(PODS, 'old');
  await applyAll(old.map((pod) => pod.slice(shop, 'orders')));
  const { port } = await gateway.startPlane();
  await untilSaid(port, '200 old');
  const load = await loadOn(port);

  const fresh = await startPods(PODS, 'new');
  for (let at = 0; at < PODS; at += AT_A_TIME) {
    const [leaving, coming] = [old.slice(0, AT_A_TIME), fresh.slice(at, at + AT_A_TIME)];
    old = old.slice(AT_A_TIME);
    await applyAll(coming.map((pod) => pod.slice(shop, 'orders')));
    await applyAll(leaving.map((pod) => pod.slice(shop, 'orders', DRAINING)));
    // a Pod ends some time after it was told to, when nobody uses it any more
    await vi.waitFor(
      () => expect(leaving.map(({ connections }) => connections)).toEqual(leaving.map(() => 0)),
      PATIENCE,
    );
    for (const pod of leaving) pod.stop();
    const names = leaving.map((pod) => `orders-${pod.port}`);
    await gateway.kubectl(['delete', 'endpointslices', '-n', shop, ...names]);
  }
  await vi.waitFor(() => expect(fresh.filter(({ answered }) => answered === 0)).toEqual([]), PATIENCE);
  expect(await load.stop()).toEqual({ 200: expect.any(Number) });
  expect(await said(port, '/orders')).toBe('200 new');
});

it('endpoints that terminate and still serve get requests while no other one is ready', async () => {
  const [pod, other] = [await ServicePod.start('draining'), await ServicePod.start('ready')];
  await gateway.apply(pod.slice(shop, 'orders', DRAINING));
  const { port } = await gateway.startPlane();
  await untilSaid(port, '200 draining');
  await gateway.apply(other.slice(shop, 'orders'));
  await untilSaid(port, '200 ready');
  await gateway.apply(other.slice(shop, 'orders', { ready: false }));
  await untilSaid(port, '200 draining');
});

it('no request fails while controllers are replaced, and endpoints are followed again', async () => {
  const [pod, other] = [await ServicePod.start('one'), await ServicePod.start('two')];
  await gateway.apply(pod.slice(shop, 'orders'));
  const next = await gateway.startController();
  const { port } = await gateway.startPlane();
  await untilSaid(port, '200 one');
  const load = await loadOn(port);
  await gateway.controllers[0]!.process.stop('SIGKILL');
  await gateway.apply(other.slice(shop, 'orders'));
  await untilSaid(port, '200 two');
  await next.process.stop('SIGKILL');
  const before = load.count;
  await vi.waitFor(() => expect(load.count).toBeGreaterThan(before + 100), PATIENCE);
  expect(await load.stop()).toEqual({ 200: expect.any(Number) });
});

it('a data plane that restarts without a controller uses the endpoints that it knew last', async () => {
  const pod = await ServicePod.start('one');
  await gateway.apply(pod.slice(shop, 'orders'));
  await gateway.untilReason(shop, 'route/orders', 'ResolvedRefs', 'ResolvedRefs'); // with a ready endpoint
  const { words, file } = keepingIn(gateway, 'kept');
  const plane = await gateway.startPlane({ words });
  await untilSaid(plane.port, '200 one');
  await untilKept(file);
  await gateway.controllers[0]!.process.stop('SIGKILL');
  await plane.process.stop('SIGKILL');
  const again = await gateway.startPlane({ name: plane.name, words });
  await untilSaid(again.port, '200 one');
});
