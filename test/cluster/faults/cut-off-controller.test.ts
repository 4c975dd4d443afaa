import { expect, it, vi } from 'vitest';
import { CuttableWire } from '../../support/backends/cuttable-wire.ts';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { spoken } from '../../support/cluster/keeping-planes.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();

it('planes leave a controller that has lost the API server for one that has not', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  await gateway.apply(sayingRoute(shop, 'hello', 'first'));
  const wires = new Map<number, CuttableWire>();
  for (let made = 0; made < 2; made++) {
    const wire = await CuttableWire.to(cluster.server);
    const { port } = await gateway.startController([], { server: `https://127.0.0.1:${wire.port}` });
    wires.set(port, wire);
  }
  const plane = await gateway.startPlane();
  const { address, controller } = await plane.process.line(spoken('connected to a controller'));
  const client = new SteadyClient(plane.port, '/hello', (text) => /^(first|second)$/.test(text));

  wires.get(Number(String(address).split(':')[1]))!.cut();
  const lines = plane.process.said.length;
  await plane.process.line(spoken('controller asked to reconnect'));
  const next = await plane.process.line(spoken('connected to a controller'), lines);
  expect(next['controller']).not.toBe(controller);
  await gateway.apply(sayingRoute(shop, 'hello', 'second'));
  const patience = { timeout: 60_000, interval: 100 };
  await vi.waitFor(async () => expect(await said(plane.port, '/hello')).toBe('200 second'), patience);
  await gateway.untilReason(shop, 'route/hello', 'Programmed', 'Programmed');
  expect(await client.stop()).toEqual([]);
});
