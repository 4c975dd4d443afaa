import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppAnswer, runApp } from './support/app.ts';
import { install, uninstall } from './support/installation.ts';
import { theNode } from './support/test-node.ts';

const node = theNode();

interface Pod {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly initContainers?: readonly { readonly name: string; readonly restartPolicy?: string }[] };
  readonly status: {
    readonly podIP: string;
    readonly initContainerStatuses?: readonly { readonly name: string; readonly ready: boolean }[];
  };
}

beforeAll(async () => {
  await node.kubectl(['create', 'namespace', 'shop']);
  await node.kubectl(['label', 'namespace', 'shop', 'pod-security.kubernetes.io/enforce=restricted']);
  await install(node, { sidecars: { enabled: true, namespaces: ['shop'] } });
});

afterAll(() => uninstall(node, 'shop'));

async function podOf(app: string): Promise<Pod> {
  const { items } = await node.get<{ items: readonly Pod[] }>(['pods', '-n', 'shop', '-l', `app=${app}`]);
  expect(items.length).toBe(1);
  return items[0]!;
}

it('an application on loopback is reachable only through its sidecar', async () => {
  await runApp(node, {
    namespace: 'shop',
    name: 'cart',
    host: '127.0.0.1',
    labels: { 'gatewarden.io/inject': 'true' },
    annotations: { 'gatewarden.io/app-listens': 'loopback' },
    targetPort: 15_080,
  });
  const pod = await podOf('cart');
  expect(pod.spec.initContainers).toMatchObject([{ name: 'gatewarden', restartPolicy: 'Always' }]);
  await node.apply({
    apiVersion: 'gatewarden.io/v1alpha1',
    kind: 'Route',
    metadata: { name: 'cart', namespace: 'shop' },
    spec: {
      condition: "${find(request.uri.path, '^/cart')}",
      baseURI: 'http://127.0.0.1:8000',
      dataPlanes: { matchLabels: { app: 'cart' } },
      handler: {
        type: 'Chain',
        config: {
          filters: [{ type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { 'x-gateway': ['a sidecar'] } } }],
          handler: 'ReverseProxyHandler',
        },
      },
    },
  });
  await node.kubectl(['wait', '--for=condition=Programmed', 'route.gatewarden.io/cart', '-n', 'shop', '--timeout=60s']);
  const origin = await node.origin('shop', 'cart');
  const answer = await fetch(`${origin}/cart`);
  const told = (await answer.json()) as AppAnswer;
  expect([answer.status, told.app, told.pod, told.headers['x-gateway']]).toEqual([
    200,
    'cart',
    pod.metadata.name,
    'a sidecar',
  ]);
  await expect(fetch(`http://${pod.status.podIP}:8000/cart`)).rejects.toThrow();
});

it('a Pod without the label, and one with "false", are not changed', async () => {
  await runApp(node, { namespace: 'shop', name: 'plain' });
  await runApp(node, { namespace: 'shop', name: 'refusing', labels: { 'gatewarden.io/inject': 'false' } });
  expect((await podOf('plain')).spec.initContainers).toBeUndefined();
  expect((await podOf('refusing')).spec.initContainers).toBeUndefined();
});

it('a labelled namespace is enough', async () => {
  await node.kubectl(['label', 'namespace', 'shop', 'gatewarden.io/inject=true']);
  await runApp(node, { namespace: 'shop', name: 'search', targetPort: 15_080 });
  expect((await podOf('search')).spec.initContainers).toMatchObject([{ name: 'gatewarden' }]);
});

it('a sidecar without a Route that selects it serves no request', async () => {
  const origin = await node.origin('shop', 'search');
  const answer = await node.until(
    () => fetch(`${origin}/anything`),
    (found) => found.status === 404,
  );
  expect(await answer.text()).not.toContain('"app"');
});
