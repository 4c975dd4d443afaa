import { expect, it, vi } from 'vitest';
import { CuttableWire } from '../../support/backends/cuttable-wire.ts';
import { PATIENCE, planeAnswer, untilAnswer } from '../../support/channel/plane-answers.ts';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { controllerReport } from '../../support/cluster/controller-report.ts';
import { RecordedStatus } from '../../support/cluster/recorded-status.ts';
import { manifestList, routeManifest } from '../../support/cluster/route-manifest.ts';
import type { PlaneLine } from '../../support/gateways/gateway-process.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();

it('data planes and status are never rolled back by a stale controller', async () => {
  const shop = await cluster.namespace('shop');
  const deployed = await testedGateway({ access: cluster, namespaces: [shop] });
  const apiWire = await CuttableWire.to(cluster.server);
  const current = await deployed.startController();
  await current.process.line(({ isLeader }) => isLeader === true);
  const lagging = await deployed.startController([], { server: `https://127.0.0.1:${apiWire.port}` });
  const way = await CuttableWire.to(`https://127.0.0.1:${lagging.port}`);
  way.cut();
  const names = ['edited', 'deleted', 'replaced'];
  await deployed.apply(manifestList(names.map((name) => routeManifest(shop, name, 'one'))));
  const plane = await deployed.startPlane({ controllers: [current, way] });
  const status = await RecordedStatus.follow(cluster, shop);
  for (const name of names) {
    await untilAnswer(plane.port, `/${name}`, '200 one');
    await deployed.untilReason(shop, `route/${name}`, 'Programmed', 'Programmed');
  }
  await vi.waitFor(async () => {
    const { resources } = await controllerReport(lagging);
    expect(resources).toMatchObject([{ kind: 'Route', count: 3 }]);
  }, PATIENCE);

  apiWire.stall();
  await deployed.kubectl(['delete', 'routes.gatewarden.io/deleted', 'routes.gatewarden.io/replaced', '-n', shop]);
  const written = ['edited', 'replaced', 'created'];
  await deployed.apply(manifestList(written.map((name) => routeManifest(shop, name, 'two'))));
  const isCurrent = async (): Promise<void> => {
    for (const name of written) expect(await planeAnswer(plane.port, `/${name}`)).toBe('200 two');
    expect(await planeAnswer(plane.port, '/deleted')).toMatch(/^404/);
  };
  await vi.waitFor(isCurrent, PATIENCE);
  await deployed.untilReason(shop, 'route/created', 'Programmed', 'Programmed');
  const clients = written.map((name) => new SteadyClient(plane.port, `/${name}`, (text) => text === 'two'));
  const states = status.of('edited').length;

  const said = plane.process.said.length;
  await current.process.stop('SIGKILL');
  way.mend();
  const isBehind = ({ msg, newer }: PlaneLine): boolean => msg.startsWith('revision applied') && Number(newer) > 0;
  const taken = await plane.process.line(isBehind, said);
  expect(taken).toMatchObject({ newer: 4 });
  await isCurrent();
  await lagging.process.line(({ isLeader }) => isLeader === true);
  expect((await controllerReport(lagging)).resources).toMatchObject([{ kind: 'Route', count: 3 }]);

  apiWire.resume();
  await vi.waitFor(async () => {
    const { revision, planes } = await controllerReport(lagging);
    expect(planes).toMatchObject([{ state: 'current', revision }]);
  }, PATIENCE);
  await isCurrent();
  await deployed.apply(routeManifest(shop, 'edited', 'three'));
  const [edited, ...others] = clients;
  for (const client of others) expect(await client.stop()).toEqual([]);
  expect((await edited!.stop()).filter((answer) => answer !== '200 three')).toEqual([]);
  await untilAnswer(plane.port, '/edited', '200 three');
  await vi.waitFor(() => {
    const programmed = { observed: 3, programmed: '1/1', reasons: { Programmed: 'Programmed' } };
    expect(status.of('edited').at(-1)).toMatchObject(programmed);
  }, PATIENCE);
  const observed = status
    .of('edited')
    .slice(states)
    .map((state) => state.observed);
  expect(observed).toEqual(observed.toSorted());
  expect(Math.min(...observed)).toBe(2);
});
