import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../support/channel/plane-answers.ts';
import { theCluster } from '../support/cluster/cluster.ts';
import { controllerReport } from '../support/cluster/controller-report.ts';
import { routeManifest } from '../support/cluster/route-manifest.ts';
import { testedGateway } from '../support/gateways/tested-gateway.ts';

const cluster = theCluster();

it('the status of a follower has the planes of all controllers', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const leader = await gateway.startController();
  await leader.process.line(({ isLeader }) => isLeader === true);
  const follower = await gateway.startController();
  await follower.process.line(({ isLeader }) => isLeader === false);
  await gateway.apply(routeManifest(shop, 'orders', 'one'));
  const planes = [
    await gateway.startPlane({ controllers: [leader] }),
    await gateway.startPlane({ controllers: [follower] }),
  ];
  const names = planes.map(({ name }) => `${gateway.namespace}/${name}`).toSorted();
  await vi.waitFor(async () => {
    for (const controller of [leader, follower]) {
      const { planes: shown, leaderFault } = await controllerReport(controller);
      expect([shown.map(({ plane }) => plane), leaderFault]).toEqual([names, undefined]);
    }
  }, PATIENCE);
  expect(await controllerReport(follower)).toMatchObject({ controller: follower.name, isLeader: false });
});
