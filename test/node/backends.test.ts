import { afterAll, beforeAll, expect, it } from 'vitest';
import { SteadyClient } from '../support/clients/steady-client.ts';
import { APP_PORT, type AppAnswer, runApp } from './support/app.ts';
import { install, RELEASE, uninstall } from './support/installation.ts';
import { theNode } from './support/test-node.ts';

const node = theNode();
const CLIENTS = 8;
const ZONE = 'topology.kubernetes.io/zone';

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status: {
    readonly podIP: string;
    readonly containerStatuses: readonly { readonly containerID: string; readonly restartCount: number }[];
  };
}

beforeAll(async () => {
  await node.kubectl(['label', 'nodes', '--all', `${ZONE}=here`]); // before Pods, which get it with their node
  await install(node, { dataPlanes: { default: { replicas: 2 } } });
  await node.kubectl(['create', 'namespace', 'shop']);
  await runApp(node, { namespace: 'shop', name: 'orders', replicas: 3 });
  await route('orders', 'orders');
});

afterAll(async () => {
  await node.kubectl(['label', 'nodes', '--all', `${ZONE}-`]);
  await uninstall(node, 'shop');
});

/** A Route for everything below its own name, whose requests go to the Pods of a Service. */
async function route(name: string, service: string): Promise<void> {
  const backends = { type: 'Backends', config: { service: { name: service, port: 80 } } };
  await node.apply({
    apiVersion: 'gatewarden.io/v1alpha1',
    kind: 'Route',
    metadata: { name, namespace: 'shop' },
    spec: {
      condition: `\${find(request.uri.path, '^/${name}')}`,
      handler: {
        type: 'ReverseProxyHandler',
        config: { backends, asyncBehavior: 'streaming', soTimeout: '10 minutes' },
      },
    },
  });
  const programmed = ['wait', '--for=condition=Programmed', `route.gatewarden.io/${name}`, '-n', 'shop'];
  await node.kubectl([...programmed, '--timeout=300s']);
}

async function planes(): Promise<readonly Pod[]> {
  const selector = ['pods', '-n', RELEASE, '-l', 'app.kubernetes.io/component=dataplane'];
  return (await node.get<{ items: readonly Pod[] }>(selector)).items;
}

/** A data plane itself, so that nothing but its backends can fail. */
async function gateway(): Promise<string> {
  const running = (await planes()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return `http://${running[0]!.status.podIP}:8080`;
}

/** The Pods of the application that are to stay. */
async function pods(app = 'orders'): Promise<readonly Pod[]> {
  const { items } = await node.get<{ items: readonly Pod[] }>(['pods', '-n', 'shop', '-l', `app=${app}`]);
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

const namesOf = (all: readonly Pod[]): string[] => all.map(({ metadata }) => metadata.name).sort();

/** Clients that count which Pods answer them. */
class Load {
  readonly clients: readonly SteadyClient[];
  private seen = new Set<string>();

  constructor(origin: string, path: string) {
    const isRight = (text: string): boolean => {
      this.seen.add((JSON.parse(text) as AppAnswer).pod);
      return true;
    };
    this.clients = Array.from({ length: CLIENTS }, () => new SteadyClient(origin, path, isRight));
  }

  /** Resolves when exactly these Pods have answered since then. */
  async untilAnsweredBy(wanted: readonly string[]): Promise<void> {
    await node.until(
      async () => {
        this.seen = new Set();
        await this.more();
        return [...this.seen].sort();
      },
      (seen) => JSON.stringify(seen) === JSON.stringify(wanted),
    );
  }

  /** Resolves when every client has had some more answers. */
  private async more(): Promise<void> {
    const before = this.clients.map(({ answered }) => answered);
    await node.until(
      async () => this.clients.map((client, at) => client.answered - before[at]! + client.wrong.length),
      (more) => more.every((count) => count >= 10),
    );
  }

  /** @returns everything that was wrong */
  async stop(): Promise<readonly string[]> {
    return (await Promise.all(this.clients.map((client) => client.stop()))).flat();
  }
}

const scaled = async (replicas: number): Promise<readonly Pod[]> => {
  await node.kubectl(['scale', 'deployment/orders', '-n', 'shop', `--replicas=${replicas}`]);
  await node.kubectl(['rollout', 'status', 'deployment/orders', '-n', 'shop', '--timeout=300s']);
  return node.until(pods, (all) => all.length === replicas);
};

it('no request fails while a Deployment is scaled up and down, and each Pod gets requests', async () => {
  const load = new Load(await gateway(), '/orders');
  await load.untilAnsweredBy(namesOf(await pods()));
  await load.untilAnsweredBy(namesOf(await scaled(6)));
  await load.untilAnsweredBy(namesOf(await scaled(2)));
  await load.untilAnsweredBy(namesOf(await scaled(3)));
  expect(await load.stop()).toEqual([]);
});

it('no request fails while a Deployment is rolled, and only its new Pods get requests afterwards', async () => {
  const load = new Load(await gateway(), '/orders');
  const before = namesOf(await pods());
  await load.untilAnsweredBy(before);
  await node.kubectl(['rollout', 'restart', 'deployment/orders', '-n', 'shop']);
  await node.kubectl(['rollout', 'status', 'deployment/orders', '-n', 'shop', '--timeout=300s']);
  const after = namesOf(await pods());
  expect(after.filter((name) => before.includes(name))).toEqual([]);
  await load.untilAnsweredBy(after);
  expect(await load.stop()).toEqual([]);
});

it('no request to the Service of the gateway fails while the application and the data planes are rolled', async () => {
  const load = new Load(await node.origin(RELEASE, 'gatewarden-default'), '/orders');
  await load.untilAnsweredBy(namesOf(await pods()));
  const rolled = async (deployment: string, namespace: string): Promise<void> => {
    await node.kubectl(['rollout', 'restart', deployment, '-n', namespace]);
    await node.kubectl(['rollout', 'status', deployment, '-n', namespace, '--timeout=300s']);
  };
  const before = namesOf(await planes());
  await Promise.all([rolled('deployment/orders', 'shop'), rolled('deployment/gatewarden-default', RELEASE)]);
  const gone = before.map((name) => `pod/${name}`);
  await node.kubectl(['wait', '--for=delete', ...gone, '-n', RELEASE, '--timeout=120s']);
  await load.untilAnsweredBy(namesOf(await pods()));
  expect(await load.stop()).toEqual([]);
});

/** A response that has begun, and the Pod that it comes from. */
async function held(origin: string): Promise<{ readonly pod: string; readonly rest: Promise<string> }> {
  const { body } = await fetch(`${origin}/orders/held`);
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  const { value = '' } = await reader.read();
  const rest = reader.read().then(
    (last) => last.value ?? '',
    () => 'broken off',
  );
  return { pod: value.trim(), rest };
}

it('only requests that a killed Pod had received fail', async () => {
  const origin = await gateway();
  const all = await pods();
  const [victim] = all;
  const load = new Load(origin, '/orders');
  await load.untilAnsweredBy(namesOf(all));
  const responses = await Promise.all(Array.from({ length: 24 }, () => held(origin)));
  expect([...new Set(responses.map(({ pod }) => pod))].sort()).toEqual(namesOf(all));

  const container = victim!.status.containerStatuses[0]!.containerID.replace('containerd://', '');
  await node.inNode(['ctr', '--namespace', 'k8s.io', 'tasks', 'kill', '--signal', 'SIGKILL', container]);
  const inside = responses.filter(({ pod }) => pod === victim!.metadata.name);
  expect(await Promise.all(inside.map(({ rest }) => rest))).toEqual(inside.map(() => 'broken off'));
  for (const { status } of all.slice(1)) await fetch(`http://${status.podIP}:${APP_PORT}/release`);
  const outside = responses.filter(({ pod }) => pod !== victim!.metadata.name);
  expect(await Promise.all(outside.map(({ rest }) => rest))).toEqual(outside.map(() => 'released'));

  // Kubernetes restarts it, and it gets requests again
  await node.until(
    async () => (await pods()).find(({ metadata }) => metadata.name === victim!.metadata.name),
    (pod) => pod?.status.containerStatuses[0]?.restartCount === 1,
  );
  await load.untilAnsweredBy(namesOf(all));
  const wrong = await load.stop();
  expect(wrong.length).toBeLessThanOrEqual(CLIENTS); // each client had at most one request under way
  expect(wrong.filter((text) => !/^502 /.test(text))).toEqual([]);
});

it('data planes prefer endpoints of the zone that Kubernetes copied from their node', async () => {
  await runApp(node, { namespace: 'shop', name: 'stock', replicas: 2 });
  const [near, far] = await pods('stock');
  await node.apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'zoned', namespace: 'shop' },
    spec: { ports: [{ port: 80, targetPort: APP_PORT }] },
  });
  const slice = (pod: Pod, zone: string): object => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `zoned-${zone}`, namespace: 'shop', labels: { 'kubernetes.io/service-name': 'zoned' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [pod.status.podIP], conditions: { ready: true }, hints: { forZones: [{ name: zone }] } }],
    ports: [{ port: APP_PORT, protocol: 'TCP' }],
  });
  await node.apply(slice(far!, 'elsewhere'));
  await route('zoned', 'zoned');
  const load = new Load(await gateway(), '/zoned');
  await load.untilAnsweredBy([far!.metadata.name]);
  await node.apply(slice(near!, 'here'));
  await load.untilAnsweredBy([near!.metadata.name]);
  await node.kubectl(['delete', 'endpointslice', 'zoned-here', '-n', 'shop']);
  await load.untilAnsweredBy([far!.metadata.name]);
  expect(await load.stop()).toEqual([]);
});
