import { beforeEach, expect, it, vi } from 'vitest';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { helloGateway } from '../../support/cluster/keeping-planes.ts';

const cluster = theCluster();
const patience = { timeout: 60_000, interval: 50 };
let shop = '';

beforeEach(async () => {
  shop = await cluster.namespace('shop');
});

/** An array in an array, so often that whoever walks it without counting exhausts the stack. */
function nested(levels: number): string {
  return `${'['.repeat(levels)}1${']'.repeat(levels)}`;
}

it('a Route and a SecretStore beyond the validation limits do not affect others', async () => {
  const gateway = await helloGateway(cluster, shop);
  const plane = await gateway.startPlane();
  const deep = (kind: string, spec: string): string =>
    `{"apiVersion":"gatewarden.io/v1alpha1","kind":"${kind}","metadata":{"name":"deep","namespace":"${shop}"},"spec":${spec}}`;
  const deepest = nested(9000);
  const handler = `{"type":"StaticResponseHandler","config":{"status":200,"x":${deepest}}}`;
  await cluster.run(['create', '-f', '-'], deep('Route', `{"handler":${handler}}`));
  await cluster.run(['create', '-f', '-'], deep('SecretStore', `{"type":"x","config":{"x":${deepest}}}`));
  await gateway.untilReason(shop, 'route/deep', 'Accepted', 'Invalid');
  await gateway.untilReason(shop, 'secretstore/deep', 'Accepted', 'Invalid');
  await gateway.apply(sayingRoute(shop, 'hello', 'second'));
  await vi.waitFor(async () => expect(await said(plane.port, '/hello')).toBe('200 second'), patience);
});
