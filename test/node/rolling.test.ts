import { afterAll, beforeAll, expect, it } from 'vitest';
import { SteadyClient } from '../support/clients/steady-client.ts';
import { runApp } from './support/app.ts';
import { install, RELEASE, uninstall, upgrade } from './support/installation.ts';
import { theNode } from './support/test-node.ts';

const node = theNode();
const values = { dataPlanes: { default: { replicas: 2 } } };

beforeAll(async () => {
  await install(node, values);
  await node.kubectl(['create', 'namespace', 'shop']);
  await runApp(node, { namespace: 'shop', name: 'orders' });
  await node.apply({
    apiVersion: 'gatewarden.io/v1alpha1',
    kind: 'Route',
    metadata: { name: 'orders', namespace: 'shop' },
    spec: {
      condition: "${find(request.uri.path, '^/orders')}",
      baseURI: 'http://orders.shop.svc',
      handler: 'ReverseProxyHandler',
    },
  });
  await node.kubectl([
    'wait',
    '--for=condition=Programmed',
    'route.gatewarden.io/orders',
    '-n',
    'shop',
    '--timeout=60s',
  ]);
});

afterAll(() => uninstall(node, 'shop'));

/** Clients that keep their connections, through the Service, while something happens. */
async function underLoad(happening: (clients: readonly SteadyClient[]) => Promise<void>): Promise<void> {
  const origin = await node.origin(RELEASE, 'gatewarden-default');
  const clients = Array.from({ length: 8 }, () => new SteadyClient(origin, '/orders', isAnswer));
  await servedMore(clients);
  await happening(clients);
  await servedMore(clients);
  for (const client of clients) expect(await client.stop()).toEqual([]);
}

/** Resolves when every client has had some more answers. */
async function servedMore(clients: readonly SteadyClient[]): Promise<void> {
  const before = clients.map((client) => client.answered);
  await node.until(
    async () => clients.map((client, index) => client.answered - before[index]! + client.wrong.length),
    (more) => more.every((count) => count >= 20),
  );
}

const isAnswer = (text: string): boolean => (JSON.parse(text) as { app?: string }).app === 'orders';

interface Pods {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[];
}

async function podsOf(component: string): Promise<readonly string[]> {
  const selector = `app.kubernetes.io/instance=${RELEASE},app.kubernetes.io/component=${component}`;
  const { items } = await node.get<Pods>(['pods', '-n', RELEASE, '-l', selector]);
  return items.map(({ metadata }) => metadata.name);
}

/** Resolves when these Pods have ended: what they were asked last, they answered. */
async function gone(pods: readonly string[]): Promise<void> {
  const names = pods.map((pod) => `pod/${pod}`);
  await node.kubectl(['wait', '--for=delete', ...names, '-n', RELEASE, '--timeout=120s']);
}

it('data planes are replaced one after the other, and no request fails', async () => {
  await underLoad(async () => {
    const before = await podsOf('dataplane');
    await upgrade(node, { dataPlanes: { default: { replicas: 2, podAnnotations: { turn: 'second' } } } });
    await gone(before);
    expect((await podsOf('dataplane')).length).toBe(2);
  });
});

it('controllers are replaced, and no request fails', async () => {
  await underLoad(async () => {
    const before = await podsOf('controller');
    await node.kubectl(['rollout', 'restart', 'deployment/gatewarden-controller', '-n', RELEASE]);
    await node.kubectl(['rollout', 'status', 'deployment/gatewarden-controller', '-n', RELEASE, '--timeout=120s']);
    await gone(before);
  });
  await changedRouteServes('meanwhile');
});

it('a release is rolled back, and no request fails', async () => {
  await underLoad(async () => {
    const before = await podsOf('dataplane');
    await node.helm(['rollback', RELEASE, '1', '--namespace', RELEASE, '--wait', '--timeout', '180s']);
    await gone(before);
  });
});

it('a killed data plane does not affect others, and restarts', async () => {
  const [victim] = await podsOf('dataplane');
  await node.kubectl(['delete', 'pod', victim!, '-n', RELEASE, '--grace-period=0', '--force']);
  await node.kubectl(['rollout', 'status', 'deployment/gatewarden-default', '-n', RELEASE, '--timeout=60s']);
  await underLoad(async () => {});
  expect(await podsOf('dataplane')).not.toContain(victim);
});

it('planes serve without a controller, and follow the next one', async () => {
  const scale = (replicas: number): Promise<string> =>
    node.kubectl(['scale', 'deployment/gatewarden-controller', '-n', RELEASE, `--replicas=${replicas}`]);
  await underLoad(async (clients) => {
    const before = await podsOf('controller');
    await scale(0);
    await gone(before);
    await servedMore(clients);
    await scale(2);
    await node.kubectl(['rollout', 'status', 'deployment/gatewarden-controller', '-n', RELEASE, '--timeout=60s']);
  });
  await changedRouteServes('again');
});

it('everything recovers when all containers of the node are killed at once', async () => {
  const containers = await node.inNode(['ctr', '--namespace', 'k8s.io', 'tasks', 'list', '--quiet']);
  for (const container of containers.trim().split('\n')) {
    // one whose Pod is gone with it is no mistake
    await node.inNode(['ctr', '-n', 'k8s.io', 'tasks', 'kill', '-s', 'SIGKILL', container]).catch(() => {});
  }
  const origin = await node.origin(RELEASE, 'gatewarden-default');
  await node.until(
    () => fetch(`${origin}/orders`).then((answer) => answer.status),
    (status) => status === 200,
  );
  await changedRouteServes('after-all');
});

/** A change that is made now reaches all planes, and they serve it. */
async function changedRouteServes(path: string): Promise<void> {
  const change = { spec: { condition: `\${find(request.uri.path, '^/(orders|${path})')}` } };
  await node.until(
    () =>
      node.kubectl([
        ...['patch', 'route.gatewarden.io/orders', '-n', 'shop', '--type=merge'],
        ...['-p', JSON.stringify(change)],
      ]),
    () => true,
  );
  const { metadata } = await node.get<{ metadata: { generation: number } }>([
    'route.gatewarden.io/orders',
    '-n',
    'shop',
  ]);
  const observed = `jsonpath={.status.conditions[?(@.type=="Programmed")].observedGeneration}=${metadata.generation}`;
  await node.kubectl(['wait', `--for=${observed}`, 'route.gatewarden.io/orders', '-n', 'shop', '--timeout=90s']);
  await node.kubectl([
    'wait',
    '--for=condition=Programmed',
    'route.gatewarden.io/orders',
    '-n',
    'shop',
    '--timeout=90s',
  ]);
  const origin = await node.origin(RELEASE, 'gatewarden-default');
  const answer = await fetch(`${origin}/${path}`);
  expect([answer.status, ((await answer.json()) as { path: string }).path]).toEqual([200, `/${path}`]);
}
