import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said } from '../../support/cluster/deployed-routes.ts';
import { routeToService, serviceOf } from '../../support/cluster/services/service-objects.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();

/** A server at loopback. @returns its port */
async function outside(): Promise<number> {
  const server = createServer((_, answer) => answer.end('outside'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

it('a Service of type ExternalName is used while the operator allows its name, and egress rules hold', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  await gateway.startController();
  await gateway.apply(
    serviceOf(shop, 'partner', { type: 'ExternalName', externalName: 'localhost', ports: undefined as never }),
  );
  await gateway.apply(routeToService(shop, 'partner', { name: 'partner', port: await outside() }));
  const { port } = await gateway.startPlane();
  const untilSaid = (text: RegExp): Promise<void> =>
    vi.waitFor(async () => expect(await said(port, '/partner')).toMatch(text), PATIENCE);
  await gateway.untilReason(shop, 'route/partner', 'ResolvedRefs', 'ServiceNotSupported');
  await untilSaid(/^500/);

  await gateway.configure({ externalNames: ['localhost'] });
  await untilSaid(/^403/);
  await gateway.untilReason(shop, 'route/partner', 'ResolvedRefs', 'ResolvedRefs');
  await gateway.configure({ externalNames: ['localhost'], egress: ['127.0.0.1', '::1'] });
  await untilSaid(/^200 outside$/);
  await gateway.configure({ egress: ['127.0.0.1', '::1'] });
  await untilSaid(/^502/);
  await gateway.untilReason(shop, 'route/partner', 'ResolvedRefs', 'ServiceNotSupported');
});
