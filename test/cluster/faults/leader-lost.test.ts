import { expect, it, vi } from 'vitest';
import { CuttableWire } from '../../support/backends/cuttable-wire.ts';
import { PATIENCE, planeAnswer, untilAnswer } from '../../support/channel/plane-answers.ts';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { RecordedStatus } from '../../support/cluster/recorded-status.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const isEither = (text: string): boolean => text === 'one' || text === 'two';

it('moves planes and the writing of status to another controller when the leader is killed', async () => {
  const shop = await cluster.namespace('shop');
  const deployed = await testedGateway({ access: cluster, namespaces: [shop] });
  const leader = await deployed.startController();
  await leader.process.line(({ isLeader }) => isLeader === true);
  const follower = await deployed.startController();
  const way = await CuttableWire.to(`https://127.0.0.1:${follower.port}`);
  way.cut();
  await deployed.apply(routeManifest(shop, 'orders', 'one'));
  const moving = await deployed.startPlane({ controllers: [leader, way] });
  const staying = await deployed.startPlane({ controllers: [follower] });
  way.mend();
  const planes = [moving, staying];
  for (const { port } of planes) await untilAnswer(port, '/orders', '200 one');
  const status = await RecordedStatus.follow(cluster, shop);
  await vi.waitFor(() => {
    expect(status.of('orders').at(-1)).toMatchObject({ programmed: '2/2', reasons: { Programmed: 'Programmed' } });
  }, PATIENCE);
  const clients = planes.map(({ port }) => new SteadyClient(port, '/orders', isEither));
  const states = status.of('orders').length;

  await leader.process.stop('SIGKILL');
  await follower.process.line(({ msg, plane }) => msg === 'data plane connected' && plane === moving.name);
  await deployed.apply(routeManifest(shop, 'orders', 'two'));
  for (const { port } of planes) await untilAnswer(port, '/orders', '200 two');
  await follower.process.line(({ isLeader }) => isLeader === true);
  const current = { observed: 2, programmed: '2/2', reasons: { Programmed: 'Programmed' } };
  await vi.waitFor(() => expect(status.of('orders').at(-1)).toMatchObject(current), PATIENCE);

  // the edit, what the new leader says before it has counted planes, and what it says then
  const written = status.of('orders').slice(states);
  expect(written.length).toBeLessThanOrEqual(3);
  const uncounted = ({ programmed, reasons }: (typeof written)[number]): boolean =>
    programmed === '?' && reasons['Programmed'] === 'Pending';
  const counted = written.filter((state) => !uncounted(state));
  expect(counted.map(({ programmed }) => programmed)).toEqual(counted.map(() => '2/2'));
  expect(written.map(({ observed }) => observed)).toEqual(written.map((_, at) => (at === 0 ? 1 : 2)));
  for (const client of clients) expect(await client.stop()).toEqual([]);
});

it('has one leader at a time when the one that leads is cut off from the API server', async () => {
  const shop = await cluster.namespace('shop');
  const deployed = await testedGateway({ access: cluster, namespaces: [shop] });
  const wire = await CuttableWire.to(cluster.server);
  const leader = await deployed.startController([], { server: `https://127.0.0.1:${wire.port}` });
  await leader.process.line(({ isLeader }) => isLeader === true);
  const follower = await deployed.startController();
  await deployed.apply(routeManifest(shop, 'orders', 'one'));
  const held = await deployed.startPlane({ controllers: [leader] });
  const free = await deployed.startPlane({ controllers: [follower] });
  const status = await RecordedStatus.follow(cluster, shop);
  await vi.waitFor(() => {
    expect(status.of('orders').at(-1)).toMatchObject({ programmed: '2/2', reasons: { Programmed: 'Programmed' } });
  }, PATIENCE);
  const clients = [held, free].map(({ port }) => new SteadyClient(port, '/orders', isEither));
  const states = status.of('orders').length;

  const said = leader.process.said.length;
  wire.cut();
  const ceased = await leader.process.line(({ isLeader }) => isLeader === false, said);
  const began = await follower.process.line(({ isLeader }) => isLeader === true);
  expect(Date.parse(String(ceased['time']))).toBeLessThanOrEqual(Date.parse(String(began['time'])));
  await deployed.apply(routeManifest(shop, 'orders', 'two'));
  await untilAnswer(free.port, '/orders', '200 two');
  expect(await planeAnswer(held.port, '/orders')).toBe('200 one');

  wire.mend();
  await untilAnswer(held.port, '/orders', '200 two');
  const current = { observed: 2, programmed: '2/2', reasons: { Programmed: 'Programmed' } };
  await vi.waitFor(() => expect(status.of('orders').at(-1)).toMatchObject(current), PATIENCE);
  const written = status.of('orders').slice(states);
  const observed = written.map((state) => state.observed);
  expect(observed).toEqual(observed.toSorted());
  expect(written.length).toBeLessThanOrEqual(5);
  for (const client of clients) expect(await client.stop()).toEqual([]);
});
