import { expect, it, vi } from 'vitest';
import { PATIENCE, untilAnswer } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { RecordedStatus } from '../../support/cluster/recorded-status.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();

it('corrects any status written by another client', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  await gateway.startController();
  await gateway.apply(routeManifest(shop, 'orders', 'one'));
  const plane = await gateway.startPlane();
  await untilAnswer(plane.port, '/orders', '200 one');
  const status = await RecordedStatus.follow(cluster, shop);
  const isTrue = { programmed: '1/1', observed: 1, reasons: { Programmed: 'Programmed', Accepted: 'Accepted' } };
  const untilTrue = () =>
    vi.waitFor(() => expect(status.of('orders').at(-1)).toMatchObject(isTrue), { ...PATIENCE, timeout: 20_000 });
  await untilTrue();
  const condition = (type: string, is: string) => ({
    type,
    status: is,
    reason: 'Forged',
    message: 'forged',
    observedGeneration: 1,
    lastTransitionTime: '2020-01-01T00:00:00Z',
  });
  const forged = [
    { programmed: '99/99' },
    { observedGeneration: 7 },
    { lastGood: { generation: 1, hash: 'forged' } },
    { conditions: [condition('Programmed', 'False')] },
    { conditions: ['Accepted', 'ResolvedRefs', 'Programmed'].map((type) => condition(type, 'Unknown')) },
    { conditions: null, programmed: null },
  ];
  for (const content of forged) {
    const states = status.of('orders').length;
    const patch = ['patch', 'routes.gatewarden.io', 'orders', '-n', shop, '--subresource=status', '--type=merge'];
    await cluster.run([...patch, '-p', JSON.stringify({ status: content })]);
    await vi.waitFor(() => expect(status.of('orders').length).toBeGreaterThan(states + 1), {
      ...PATIENCE,
      timeout: 20_000,
    });
    await untilTrue();
  }
});
