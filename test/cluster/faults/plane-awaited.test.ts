import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { CuttableWire } from '../../support/backends/cuttable-wire.ts';
import { PATIENCE, planeAnswer, untilAnswer } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { RecordedStatus } from '../../support/cluster/recorded-status.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();

async function programmedMessage(namespace: string, route: string): Promise<string> {
  const path = '{.status.conditions[?(@.type=="Programmed")].message}';
  return cluster.run(['get', `routes.gatewarden.io/${route}`, '-n', namespace, '-o', `jsonpath=${path}`]);
}

it('a new leader counts a Ready data plane that has not connected to it yet', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const leader = await gateway.startController();
  await leader.process.line(({ isLeader }) => isLeader === true);
  const follower = await gateway.startController();
  const wire = await CuttableWire.to(`https://127.0.0.1:${follower.port}`);
  wire.cut();
  await gateway.apply(routeManifest(shop, 'orders', 'one'));
  const near = await gateway.startPlane({ controllers: [follower] });
  const far = await gateway.startPlane({ controllers: [leader, wire] });
  for (const { name, port } of [near, far]) {
    await gateway.setReady(name, true);
    await untilAnswer(port, '/orders', '200 one');
  }
  const status = await RecordedStatus.follow(cluster, shop);
  const last = () => status.of('orders').at(-1);
  await vi.waitFor(() => expect(last()).toMatchObject({ programmed: '2/2' }), PATIENCE);

  await leader.process.stop('SIGKILL');
  await gateway.apply(routeManifest(shop, 'orders', 'two'));
  await untilAnswer(near.port, '/orders', '200 two');
  await follower.process.line(({ isLeader }) => isLeader === true);
  const counted = { observed: 2, programmed: '1/2', reasons: { Programmed: 'Pending' } };
  await vi.waitFor(() => expect(last()).toMatchObject(counted), PATIENCE);
  expect(await planeAnswer(far.port, '/orders')).toBe('200 one');
  expect(await programmedMessage(shop, 'orders')).toContain(`${far.name} is Ready but not connected to a controller`);

  wire.mend();
  const isTrue = { observed: 2, programmed: '2/2', reasons: { Programmed: 'Programmed' } };
  await vi.waitFor(() => expect(last()).toMatchObject(isTrue), PATIENCE);
  expect(await planeAnswer(far.port, '/orders')).toBe('200 two');
  const claims = status
    .of('orders')
    .filter(({ observed, reasons }) => observed === 2 && reasons['Programmed'] === 'Programmed');
  expect(claims.map(({ programmed }) => programmed)).toEqual(claims.map(() => '2/2'));
});

it('counts Ready sidecars that are not connected, no Pods without a sidecar, and data planes without a Pod', async () => {
  const shop = await cluster.namespace('shop');
  await cluster.run(['create', 'serviceaccount', 'default', '-n', shop]);
  const groups = [
    { name: 'edge', serviceAccounts: [] },
    { name: 'sidecars', serviceAccounts: [`${shop}/*`], sidecars: true },
  ];
  const gateway = await testedGateway({ access: cluster, namespaces: [shop], trust: { groups } });
  const account = `--serviceaccount=${gateway.namespace}:gatewarden-controller-${gateway.namespace}`;
  await cluster.run(['create', 'role', 'pods', '-n', shop, '--verb=get,list,watch', '--resource=pods']);
  await cluster.run(['create', 'rolebinding', 'pods', '-n', shop, '--role=pods', account]);
  const token = gateway.at('outside.token');
  writeFileSync(token, randomBytes(24).toString('hex'));
  const outside = { tokens: [{ tokenFile: token, group: 'edge' }] };
  writeFileSync(gateway.at('outside.json'), JSON.stringify(outside));
  await gateway.startController(['--outside-planes', gateway.at('outside.json')]);
  const labels = { app: 'orders' };
  const pod = { namespace: shop, account: 'default', labels };
  const sidecar = await gateway.makePod({ ...pod, ports: [{ name: 'gw-metrics', containerPort: 9091 }] });
  const plain = await gateway.makePod(pod);
  for (const name of [sidecar, plain]) await gateway.setReady(name, true, shop);
  await gateway.apply(routeManifest(shop, 'orders', 'one', { dataPlanes: { matchLabels: labels } }));
  await gateway.apply(routeManifest(shop, 'open', 'one'));
  const status = await RecordedStatus.follow(cluster, shop);
  const shown = (route: string, programmed: string, reason: string): Promise<void> =>
    vi.waitFor(() => {
      expect(status.of(route).at(-1)).toMatchObject({ programmed, reasons: { Programmed: reason } });
    }, PATIENCE);
  await shown('orders', '0/1', 'Pending');
  await shown('open', '0/0', 'NoPlanes');
  expect(await programmedMessage(shop, 'orders')).toContain(`${sidecar} is Ready but not connected to a controller`);

  const plane = await gateway.startPlane({ name: sidecar });
  await untilAnswer(plane.port, '/orders', '200 one');
  await shown('orders', '1/1', 'Programmed');
  const away = await gateway.startPlane({ name: 'away', words: ['--bootstrap-token-file', token] });
  await untilAnswer(away.port, '/open', '200 one');
  await shown('open', '1/1', 'Programmed');
});
