import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { theCluster } from '../support/cluster/cluster.ts';
import { deployedObject, said } from '../support/cluster/deployed-routes.ts';
import { keepingIn, untilKept } from '../support/cluster/keeping-planes.ts';
import type { DeployedGateway, RunningPlane } from '../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const patience = { timeout: 60_000, interval: 100 };
let shop = '';
let gateway: DeployedGateway;

beforeEach(async () => {
  shop = await cluster.namespace('shop');
  // loopback is open to tenants, so that what is refused there is refused by what the controller knows
  gateway = await testedGateway({ access: cluster, namespaces: [shop], trust: { egress: ['127.0.0.0/8'] } });
});

/** A program of the control plane that answers whoever asks. @returns its port */
async function listenAt(address: string): Promise<number> {
  const server = createServer((_, answer) => answer.end('figures of others'));
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

/** A Route of a tenant for `/name`, which sends requests to this place. */
async function routeTo(name: string, baseURI: string): Promise<void> {
  const spec = { condition: `\${request.uri.path == '/${name}'}`, baseURI, handler: 'ReverseProxyHandler' };
  await gateway.apply(deployedObject('Route', shop, name, spec));
}

async function untilAnswered(plane: RunningPlane, path: string, status: number): Promise<void> {
  await vi.waitFor(async () => expect(await said(plane.port, path)).toMatch(new RegExp(`^${status}\\b`)), patience);
}

/** A Pod that runs at these addresses, as far as the cluster knows. */
async function podAt(name: string, account: string, status: object): Promise<void> {
  const { namespace } = gateway;
  const labels = { app: 'gatewarden' };
  const spec = { serviceAccountName: account, containers: [{ name: 'main', image: 'gatewarden' }] };
  await gateway.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec });
  const patch = JSON.stringify({ status: { phase: 'Running', ...status } });
  await gateway.kubectl(['patch', 'pod', name, '-n', namespace, '--subresource=status', '--type=merge', '-p', patch]);
}

const account = (): string => `gatewarden-controller-${gateway.namespace}`;

describe("a tenant's Route", () => {
  it('does not reach the API server, wherever it is', async () => {
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['203.0.113.9'] }],
      ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
    };
    await gateway.apply(slice);
    await routeTo('asked', cluster.server);
    await routeTo('endpoint', 'https://203.0.113.9:6443');
    await routeTo('kubelet', 'https://203.0.113.9:10250');
    const clusterIp = await gateway.kubectl([
      ...['get', 'service', 'kubernetes', '-n', 'default'],
      ...['-o', 'jsonpath={.spec.clusterIP}'],
    ]);
    await routeTo('service', `https://${clusterIp}`);
    await gateway.startController();
    const plane = await gateway.startPlane();
    for (const name of ['asked', 'endpoint', 'kubelet', 'service']) await untilAnswered(plane, `/${name}`, 403);
  });

  it('does not reach planes and controllers from the moment they have an address until they have it no more', async () => {
    const port = await listenAt('127.0.0.9');
    await routeTo('pod', `http://127.0.0.9:${port}`);
    await gateway.startController();
    const plane = await gateway.startPlane();
    await untilAnswered(plane, '/pod', 200);
    await podAt('other-plane', 'plane', { podIP: '127.0.0.9', podIPs: [{ ip: '127.0.0.9' }] });
    await untilAnswered(plane, '/pod', 403);
    await gateway.kubectl(['delete', 'pod', 'other-plane', '-n', gateway.namespace, '--force', '--grace-period=0']);
    await untilAnswered(plane, '/pod', 200);

    // the controller that runs here is in this Pod, and so are others of the same ServiceAccount
    await podAt('controller-1', account(), { hostIP: '127.0.0.8', hostIPs: [{ ip: '127.0.0.8' }] });
    await podAt('controller-x', account(), { podIP: '127.0.0.9', podIPs: [{ ip: '127.0.0.9' }] });
    await untilAnswered(plane, '/pod', 403);
    await gateway.configure({ egress: ['127.0.0.0/8', `127.0.0.9:${port}`] });
    await untilAnswered(plane, '/pod', 200);
  });

  it('cannot reach Services and nodes of data planes, also without a controller', async () => {
    const { namespace } = gateway;
    const port = await listenAt('127.0.0.8');
    await routeTo('node', `http://127.0.0.8:${port}`);
    const metadata = { name: 'metrics', namespace };
    const spec = { selector: { app: 'gatewarden' }, ports: [{ port: 9090 }] };
    await gateway.apply({ apiVersion: 'v1', kind: 'Service', metadata, spec });
    const path = 'jsonpath={.spec.clusterIP}';
    const clusterIp = await gateway.kubectl(['get', 'service', 'metrics', '-n', namespace, '-o', path]);
    await routeTo('service', `http://${clusterIp}:9090`);
    await podAt('other-plane', 'plane', { hostIP: '127.0.0.8', hostIPs: [{ ip: '127.0.0.8' }] });
    const controller = await gateway.startController();
    const keeping = keepingIn(gateway, 'kept');
    const plane = await gateway.startPlane({ words: keeping.words });
    await untilAnswered(plane, '/node', 403);
    await untilAnswered(plane, '/service', 403);

    await untilKept(keeping.file);
    await controller.process.stop();
    await plane.process.stop();
    const again = await gateway.startPlane({ words: keeping.words, name: plane.name });
    await untilAnswered(again, '/node', 403);
  });
});
