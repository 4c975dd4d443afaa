import { writeFileSync } from 'node:fs';
import { SIDECAR_LABEL } from '../../../controller/injection/inject-pod.ts';
import { METRICS_PORT_NAME } from '../../../controller/injection/sidecar-container.ts';
import { type RenderedObject, renderObjects } from '../cluster/chart.ts';
import { type TestCluster, theCluster } from '../cluster/cluster.ts';
import { MonitoredRoutes } from '../cluster/monitored-routes.ts';
import { podsOf } from '../cluster/pod-template.ts';
import { ownAddress } from '../cluster/services/service-objects.ts';
import { certificateAuthority } from '../identity/certificates.ts';
import { freePort } from '../programs/server-program.ts';
import type { DeployedGateway, RunningPlane } from './deployed-gateway.ts';
import { testedGateway } from './tested-gateway.ts';

/** Everything on, and often: nobody waits half a minute for a test. */
const monitoring = Object.fromEntries(
  ['serviceMonitor', 'podMonitor', 'prometheusRule', 'dashboard'].map((name) => [name, { enabled: true }]),
);

/** A gateway whose Pods, Services and endpoints an API server knows as those of an installed chart. */
export interface MonitoredGateway {
  readonly cluster: TestCluster;
  /** What the chart renders for it. */
  readonly rendered: readonly RenderedObject[];
  /** Namespace of the release. */
  readonly namespace: string;
  /** Namespace of Routes and sidecars. */
  readonly shop: string;
  /** Names of the Pods. */
  readonly pods: { readonly controller: string; readonly planes: readonly string[]; readonly sidecar: string };
  readonly routes: MonitoredRoutes;
  /** Makes all planes count. */
  use(): Promise<void>;
}

/** A controller, two planes of a group and a sidecar, as processes, for the rest of the test. */
export async function monitoredGateway(): Promise<MonitoredGateway> {
  const cluster = theCluster();
  const shop = await cluster.namespace('shop');
  const nobody = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`] as const;
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const { namespace } = gateway;
  const sidecars = { enabled: true, namespaces: [shop] };
  const rendered = await renderObjects({ namespace, values: [{ monitoring, sidecars }] });
  const group = { name: 'default', serviceAccounts: [`${namespace}/plane`] };
  const beside = { name: 'sidecars', serviceAccounts: [`${shop}/app`], sidecars: true };
  await gateway.configure({ groups: [group, beside], egress: [...nobody] });
  await gateway.kubectl(['create', 'serviceaccount', 'app', '-n', shop]);
  await gateway.grantSecrets(shop, ['keys']);
  const routes = new MonitoredRoutes(shop);
  const items = [...rendered.filter(({ kind }) => kind === 'Service'), ...routes.objects(nobody)];
  await gateway.apply({ apiVersion: 'v1', kind: 'List', items });

  const everywhere = ['--admin', '0.0.0.0:0'];
  const { adminPort: controllerPort } = await gateway.startController(everywhere);
  const controller = await gateway.makePod({ labels: labelsOf(rendered, 'gatewarden-controller') });
  const labels = labelsOf(rendered, 'gatewarden-default');
  const certified = certificateAuthority('authority').issue();
  writeFileSync(gateway.at('tls.crt'), certified.chain);
  writeFileSync(gateway.at('tls.key'), certified.key);
  const secure = ['--tls-port', '0', '--tls-cert', gateway.at('tls.crt'), '--tls-key', gateway.at('tls.key')];
  const planes = [
    await gateway.startPlane({ labels, words: [...everywhere, ...secure] }),
    await gateway.startPlane({ labels, words: everywhere }),
  ];
  const sidecar = await startSidecar(gateway, shop);
  await gateway.apply({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      slice(namespace, 'gatewarden-controller-metrics', controller, controllerPort),
      ...planes.map(({ name, adminPort }) => slice(namespace, 'gatewarden-default-metrics', name, adminPort)),
    ],
  });
  return {
    cluster,
    rendered,
    namespace,
    shop,
    pods: { controller, planes: planes.map(({ name }) => name), sidecar: sidecar.name },
    routes,
    async use() {
      await Promise.all(planes.map(({ port }) => routes.use(port)));
    },
  };
}

/** A plane in a Pod as the injector makes it, with the one port that monitoring looks for. */
async function startSidecar(gateway: DeployedGateway, namespace: string): Promise<RunningPlane> {
  const name = 'app-1';
  const port = await freePort();
  const metadata = { name, namespace, labels: { app: 'orders', [SIDECAR_LABEL]: 'true' } };
  const injected = {
    name: 'gatewarden',
    image: 'gatewarden',
    restartPolicy: 'Always',
    ports: [{ name: METRICS_PORT_NAME, containerPort: port }],
  };
  const spec = {
    serviceAccountName: 'app',
    initContainers: [injected],
    containers: [{ name: 'app', image: 'app' }],
  };
  await gateway.apply({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const address = ownAddress();
  const status = JSON.stringify({ status: { phase: 'Running', podIP: address, podIPs: [{ ip: address }] } });
  await gateway.kubectl(['patch', 'pod', name, '-n', namespace, '--subresource=status', '--type=merge', '-p', status]);
  const bound = ['--audience', 'gatewarden-controller', '--bound-object-kind', 'Pod', '--bound-object-name', name];
  const token = await gateway.kubectl(['create', 'token', 'app', '-n', namespace, '--duration', '2h', ...bound]);
  writeFileSync(gateway.at(`${name}.token`), token.trim());
  return gateway.startPlane({ name, words: ['--sidecar', '--admin', `0.0.0.0:${port}`] });
}

/** The labels of the Pods of a workload. */
function labelsOf(rendered: readonly RenderedObject[], name: string): Readonly<Record<string, string>> {
  const [pod] = rendered
    .filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)
    .flatMap(podsOf);
  if (pod === undefined) throw new Error(`there is no Deployment ${name}`);
  return (pod.metadata as { readonly labels?: Readonly<Record<string, string>> }).labels ?? {};
}

/** What the cluster would write for a Pod of a Service. */
function slice(namespace: string, service: string, pod: string, port: number): object {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${service}-${pod}`, namespace, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    endpoints: [
      { addresses: [ownAddress()], conditions: { ready: true }, targetRef: { kind: 'Pod', name: pod, namespace } },
    ],
    ports: [{ name: 'metrics', port, protocol: 'TCP' }],
  };
}
