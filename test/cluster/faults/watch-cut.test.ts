import { expect, it, vi } from 'vitest';
import { CuttableWire } from '../../support/backends/cuttable-wire.ts';
import { PATIENCE, planeAnswer, untilAnswer } from '../../support/channel/plane-answers.ts';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { routeFailures, routeWatch } from '../../support/cluster/controller-report.ts';
import { RecordedStatus } from '../../support/cluster/recorded-status.ts';
import { padding, routeManifest } from '../../support/cluster/route-manifest.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const LARGE = padding(300_000);

it('ignores an incomplete event, and continues after the last complete one', async () => {
  const shop = await cluster.namespace('shop');
  const deployed = await testedGateway({ access: cluster, namespaces: [shop] });
  const wire = await CuttableWire.to(cluster.server);
  const controller = await deployed.startController([], { server: `https://127.0.0.1:${wire.port}` });
  const status = await RecordedStatus.follow(cluster, shop);
  await deployed.apply(routeManifest(shop, 'large', 'number 0', LARGE));
  const plane = await deployed.startPlane();
  await untilAnswer(plane.port, '/large', '200 number 0');
  const client = new SteadyClient(plane.port, '/large', (text) => /^number \d$/.test(text));
  const { relists } = await routeWatch(controller);

  // more than all other answers together, so that it is the watch that is cut; less than the event
  for (const [at, bytes] of [30_000, 120_000, 250_000].entries()) {
    await vi.waitFor(() => {
      const programmed = { observed: at + 1, reasons: { Programmed: 'Programmed' } };
      expect(status.of('large').at(-1)).toMatchObject(programmed);
    }, PATIENCE);
    const failures = await routeFailures(controller);
    const halted = wire.haltAfter(bytes);
    await deployed.apply(routeManifest(shop, 'large', `number ${at + 1}`, LARGE));
    const cut = await halted;
    expect(await planeAnswer(plane.port, '/large')).toBe(`200 number ${at}`);
    cut();
    await vi.waitFor(async () => expect(await routeFailures(controller)).toBeGreaterThan(failures), PATIENCE);
    await untilAnswer(plane.port, '/large', `200 number ${at + 1}`);
  }

  expect(await client.stop()).toEqual([]);
  expect((await routeWatch(controller)).relists).toBe(relists);
});
