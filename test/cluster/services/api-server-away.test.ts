import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../support/channel/plane-answers.ts';
import { ownCluster } from '../../support/cluster/cluster.ts';
import { said } from '../../support/cluster/deployed-routes.ts';
import { ownAddress, routeToService, serviceOf } from '../../support/cluster/services/service-objects.ts';
import { ServicePod } from '../../support/cluster/services/service-pods.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

it('the endpoints known last serve while the API server is away, also when one of them dies', async () => {
  const cluster = await ownCluster();
  const shop = await cluster.namespace('shop');
  const trust = { egress: [`${ownAddress()}/32`] };
  const gateway = await testedGateway({ access: cluster, namespaces: [shop], trust });
  const controller = await gateway.startController();
  const [one, two, three] = [
    await ServicePod.start('one'),
    await ServicePod.start('two'),
    await ServicePod.start('three'),
  ];
  await gateway.apply(serviceOf(shop, 'orders'));
  for (const pod of [one, two]) await gateway.apply(pod.slice(shop, 'orders'));
  await gateway.apply(routeToService(shop, 'orders', { name: 'orders', port: 'http' }));
  const { port } = await gateway.startPlane();
  const untilAllAnswer = (...texts: string[]): Promise<void> => {
    const heard = new Set<string>();
    return vi.waitFor(async () => {
      heard.add(await said(port, '/orders'));
      expect([...heard].filter((text) => text.startsWith('200')).sort()).toEqual(texts.map((text) => `200 ${text}`));
    }, PATIENCE);
  };
  const inTurn = async (): Promise<Set<string>> => {
    const heard = new Set<string>();
    for (let request = 0; request < 40; request++) heard.add(await said(port, '/orders'));
    return heard;
  };
  await untilAllAnswer('one', 'two');

  await cluster.apiServer.stopApiServer();
  await controller.process.line(({ isLeader }) => isLeader === false);
  expect(await inTurn()).toEqual(new Set(['200 one', '200 two']));
  one.stop(); // no request is inside it, so none may fail
  expect(await inTurn()).toEqual(new Set(['200 two']));

  await cluster.apiServer.startApiServer();
  await gateway.kubectl(['delete', 'endpointslice', `orders-${one.port}`, '-n', shop]);
  await gateway.apply(three.slice(shop, 'orders'));
  await untilAllAnswer('three', 'two');
  expect(await inTurn()).toEqual(new Set(['200 two', '200 three']));
});
