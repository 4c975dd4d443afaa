import { expect, it } from 'vitest';
import { CuttableWire } from '../../support/backends/cuttable-wire.ts';
import { planeAnswer, untilAnswer } from '../../support/channel/plane-answers.ts';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import type { RunningController } from '../../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const addressOf = ({ port }: RunningController): string => `https://127.0.0.1:${port}`;

it('keeps last good versions over a restart of the controller, as long as a plane holds them', async () => {
  const shop = await cluster.namespace('shop');
  const deployed = await testedGateway({ access: cluster, namespaces: [shop] });
  const first = await deployed.startController();
  const way = await CuttableWire.to(addressOf(first));
  await deployed.apply(routeManifest(shop, 'orders', 'good'));
  await deployed.apply(routeManifest(shop, 'others', 'good'));
  const holder = await deployed.startPlane({ controllers: [way] });
  await untilAnswer(holder.port, '/orders', '200 good');
  await deployed.untilReason(shop, 'route/orders', 'Programmed', 'Programmed');
  await deployed.apply(routeManifest(shop, 'orders', 'bad', { handler: { type: 'NoSuchHandler' } }));
  await deployed.untilReason(shop, 'route/orders', 'Programmed', 'LastGoodServes');
  const client = new SteadyClient(holder.port, '/orders', (text) => text === 'good');

  way.cut();
  await first.process.stop('SIGKILL');
  const second = await deployed.startController();
  const newcomer = await deployed.startPlane({ controllers: [second] });
  await untilAnswer(newcomer.port, '/others', '200 good');
  expect(await planeAnswer(newcomer.port, '/orders')).toMatch(/^500 /);
  way.leadTo(addressOf(second));
  way.mend();
  await untilAnswer(newcomer.port, '/orders', '200 good');
  expect(await client.stop()).toEqual([]);

  await Promise.all([second, holder, newcomer].map(({ process }) => process.stop('SIGKILL')));
  const third = await deployed.startController();
  const last = await deployed.startPlane({ controllers: [third] });
  await untilAnswer(last.port, '/others', '200 good');
  expect(await planeAnswer(last.port, '/orders')).toMatch(/^500 /);
  await deployed.apply(routeManifest(shop, 'orders', 'mended'));
  await untilAnswer(last.port, '/orders', '200 mended');
});
