import { expect, it, vi } from 'vitest';
import { CuttableWire } from '../../support/backends/cuttable-wire.ts';
import { PATIENCE, planeAnswer, untilAnswer } from '../../support/channel/plane-answers.ts';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { ownCluster } from '../../support/cluster/cluster.ts';
import { routeFailures, routeWatch } from '../../support/cluster/controller-report.ts';
import { RecordedStatus } from '../../support/cluster/recorded-status.ts';
import { manifestList, routeManifest } from '../../support/cluster/route-manifest.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

it('serves on while the API server is away, and catches up when it is back', async () => {
  const cluster = await ownCluster();
  const shop = await cluster.namespace('shop');
  const deployed = await testedGateway({ access: cluster, namespaces: [shop] });
  const controller = await deployed.startController();
  await deployed.apply(routeManifest(shop, 'orders', 'one'));
  const [plane, other] = [await deployed.startPlane(), await deployed.startPlane()];
  for (const { port } of [plane, other]) await untilAnswer(port, '/orders', '200 one');
  await deployed.untilReason(shop, 'route/orders', 'Programmed', 'Programmed');
  const client = new SteadyClient(plane.port, '/orders', (text) => text === 'one' || text === 'two');

  await cluster.apiServer.stopApiServer();
  await controller.process.line(({ isLeader }) => isLeader === false);
  await vi.waitFor(async () => expect(await routeFailures(controller)).toBeGreaterThan(4), PATIENCE);
  await other.process.stop('SIGKILL');
  await controller.process.line(({ msg, plane }) => msg === 'data plane disconnected' && plane === other.name);
  expect(await planeAnswer(plane.port, '/orders')).toBe('200 one');

  await cluster.apiServer.startApiServer();
  const status = await RecordedStatus.follow(cluster, shop);
  await deployed.apply(routeManifest(shop, 'orders', 'two'));
  await untilAnswer(plane.port, '/orders', '200 two');
  await vi.waitFor(() => {
    expect(status.of('orders').at(-1)).toMatchObject({
      observed: 2,
      programmed: '1/1',
      reasons: { Programmed: 'Programmed' },
    });
  }, PATIENCE);
  expect(await client.stop()).toEqual([]);
  expect(
    controller.process.said.filter(({ msg, plane: name }) => msg === 'data plane disconnected' && name === plane.name),
  ).toEqual([]);
});

it('lists everything again after etcd was compacted, and sends data planes only the difference', async () => {
  const cluster = await ownCluster();
  const shop = await cluster.namespace('shop');
  const deployed = await testedGateway({ access: cluster, namespaces: [shop] });
  const wire = await CuttableWire.to(cluster.server);
  const controller = await deployed.startController([], { server: `https://127.0.0.1:${wire.port}` });
  const names = ['kept', 'edited', 'deleted'];
  await deployed.apply(manifestList(names.map((name) => routeManifest(shop, name, 'one'))));
  const plane = await deployed.startPlane();
  for (const name of names) await untilAnswer(plane.port, `/${name}`, '200 one');
  await deployed.untilReason(shop, 'route/kept', 'Programmed', 'Programmed');
  const { relists } = await routeWatch(controller);
  const client = new SteadyClient(plane.port, '/kept', (text) => text === 'one');

  wire.stall();
  await deployed.apply(manifestList([routeManifest(shop, 'edited', 'two'), routeManifest(shop, 'created', 'two')]));
  await deployed.kubectl(['delete', 'routes.gatewarden.io/deleted', '-n', shop]);
  await cluster.apiServer.stopApiServer();
  await cluster.apiServer.compact();
  await cluster.apiServer.startApiServer();
  for (const name of names) expect(await planeAnswer(plane.port, `/${name}`)).toBe('200 one');
  const said = plane.process.said.length;
  wire.cut();
  wire.mend();
  for (const name of ['edited', 'created']) await untilAnswer(plane.port, `/${name}`, '200 two');
  await untilAnswer(plane.port, '/deleted', /^404/);

  expect((await routeWatch(controller)).relists).toBeGreaterThan(relists);
  const updates = () => plane.process.said.slice(said).filter(({ msg }) => msg.startsWith('revision applied'));
  const sum = (field: string): number => updates().reduce((total, line) => total + Number(line[field]), 0);
  // a line is written after the routes answer
  await vi.waitFor(() => expect({ set: sum('set'), remove: sum('remove') }).toEqual({ set: 2, remove: 1 }), PATIENCE);
  expect(updates().filter(({ full }) => full === true)).toEqual([]);
  expect(await client.stop()).toEqual([]);
  await deployed.untilReason(shop, 'route/created', 'Programmed', 'Programmed');
});
