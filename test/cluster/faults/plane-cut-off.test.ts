import { expect, it, vi } from 'vitest';
import { CuttableWire } from '../../support/backends/cuttable-wire.ts';
import { PATIENCE, planeAnswer, untilAnswer } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { RecordedStatus } from '../../support/cluster/recorded-status.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();

it('counts a plane that no controller reaches while its Pod is Ready, and under the next leader too', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const leader = await gateway.startController();
  await leader.process.line(({ isLeader }) => isLeader === true);
  const follower = await gateway.startController();
  const wire = await CuttableWire.to(`https://127.0.0.1:${leader.port}`);
  await gateway.apply(routeManifest(shop, 'orders', 'one'));
  const near = await gateway.startPlane({ controllers: [follower] });
  const far = await gateway.startPlane({ controllers: [wire] });
  for (const { name, port } of [near, far]) {
    await gateway.setReady(name, true);
    await untilAnswer(port, '/orders', '200 one');
  }
  const status = await RecordedStatus.follow(cluster, shop);
  const last = () => status.of('orders').at(-1);
  await vi.waitFor(() => expect(last()).toMatchObject({ programmed: '2/2' }), PATIENCE);

  wire.cut();
  await far.process.line(({ msg }) => msg.startsWith('no controller connected'));
  const before = status.of('orders').length;
  await gateway.apply(routeManifest(shop, 'orders', 'two'));
  await untilAnswer(near.port, '/orders', '200 two');
  expect(await planeAnswer(far.port, '/orders')).toBe('200 one');
  const message = async (): Promise<string> => {
    const path = '{.status.conditions[?(@.type=="Programmed")].message}';
    return cluster.run(['get', 'routes.gatewarden.io/orders', '-n', shop, '-o', `jsonpath=${path}`]);
  };
  await vi.waitFor(
    async () => expect(await message()).toContain(`${far.name} has had no contact with a controller since`),
    PATIENCE,
  );
  const annotations = ['get', 'lease', 'gatewarden-controller', '-n', gateway.namespace, '-o', 'jsonpath={.metadata}'];
  await vi.waitFor(async () => expect(await cluster.run(annotations)).toContain(far.name), PATIENCE);

  await leader.process.stop('SIGKILL');
  await follower.process.line(({ isLeader }) => isLeader === true);
  await gateway.apply(routeManifest(shop, 'orders', 'three'));
  await untilAnswer(near.port, '/orders', '200 three');
  await vi.waitFor(() => expect(last()).toMatchObject({ observed: 3, programmed: '1/2' }), PATIENCE);
  const reasons = status
    .of('orders')
    .slice(before)
    .map(({ reasons: all }) => all['Programmed']);
  expect([...new Set(reasons.slice(1))]).toEqual(['Pending']);

  await gateway.setReady(far.name, false);
  const isTrue = { observed: 3, programmed: '1/1', reasons: { Programmed: 'Programmed' } };
  await vi.waitFor(() => expect(last()).toMatchObject(isTrue), PATIENCE);
});
