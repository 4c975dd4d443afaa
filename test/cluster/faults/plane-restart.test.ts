import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { helloGateway, keepingIn, spoken, untilKept } from '../../support/cluster/keeping-planes.ts';

const cluster = theCluster();
const patience = { timeout: 60_000, interval: 50 };
let shop = '';

beforeEach(async () => {
  shop = await cluster.namespace('shop');
});

describe('with the controller away', () => {
  it('a killed data plane serves its last configuration, and follows again when the controller is back', async () => {
    const gateway = await helloGateway(cluster, shop);
    const { file, words } = keepingIn(gateway, 'kept');
    const first = await gateway.startPlane({ words });
    await untilKept(file);
    const before = new SteadyClient(first.port, '/hello', (text) => text === 'first');
    const [{ process: controller, port }] = gateway.controllers as [(typeof gateway.controllers)[number]];
    await controller.stop();
    await first.process.line(spoken('no controller connected'));
    expect(await said(first.port, '/hello')).toBe('200 first');
    expect(await before.stop()).toEqual([]);
    expect(before.answered).toBeGreaterThan(0);
    await first.process.stop('SIGKILL');

    const second = await gateway.startPlane({ name: first.name, words });
    await second.process.line(spoken('no controller reachable; serving the snapshot from disk'));
    expect(await said(second.port, '/hello')).toBe('200 first');
    expect(await said(second.adminPort, '/health/ready')).toBe('200 ready');

    await gateway.apply(sayingRoute(shop, 'hello', 'second'));
    const after = new SteadyClient(second.port, '/hello', (text) => text === 'first' || text === 'second');
    await gateway.startController(['--listen', `127.0.0.1:${port}`]);
    await vi.waitFor(async () => expect(await said(second.port, '/hello')).toBe('200 second'), patience);
    expect(await after.stop()).toEqual([]);
    expect(after.answered).toBeGreaterThan(0);
    await gateway.untilReason(shop, 'route/hello', 'Programmed', 'Programmed');
  });

  it('a plane that never served is alive, not ready, and accepts no clients; then it serves', async () => {
    const gateway = await helloGateway(cluster, shop);
    const name = await gateway.makePod();
    const [{ process: controller, port }] = gateway.controllers as [(typeof gateway.controllers)[number]];
    await controller.stop();
    const plane = await gateway.startWaitingPlane({ name, words: keepingIn(gateway, 'kept').words });
    await plane.process.line(spoken('no snapshot on disk'));
    await plane.process.line(spoken('no controller connected'));
    expect(await said(plane.adminPort, '/health/live')).toBe('200 alive');
    expect(await said(plane.adminPort, '/health/ready')).toBe('503 not ready');
    expect(plane.process.said.filter(({ msg }) => msg === 'listening')).toEqual([]);

    await gateway.startController(['--listen', `127.0.0.1:${port}`]);
    const serving = await gateway.untilServing(plane);
    await vi.waitFor(async () => expect(await said(serving.port, '/hello')).toBe('200 first'), patience);
    expect(await said(plane.adminPort, '/health/ready')).toBe('200 ready');
  });
});
