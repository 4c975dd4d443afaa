/** `npm run bench:services`: what Services with their endpoints cost, and how soon a changed endpoint is used. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { sharedResourceHash } from '../../contract/shared-resources.ts';
import type { ServiceEndpoints } from '../../contract/snapshot.ts';
import { PlaneViews } from '../../controller/publish/sessions/plane-views.ts';
import { publishedCompilation } from '../../controller/published-compilation.ts';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import { Configuration } from '../../dataplane/routes/configuration.ts';
import { noFigures } from '../../dataplane/routes/route-figures.ts';
import { scriptOptions } from '../../platform/script-options.ts';
import { ApiServer } from '../../test/support/cluster/api-server.ts';
import { CompiledCluster } from '../../test/support/cluster/compiled-cluster.ts';
import { ownAddress, routeToService, serviceOf, sliceAt } from '../../test/support/cluster/services/service-objects.ts';
import { DeployedGateway } from '../../test/support/gateways/deployed-gateway.ts';
import { operatorReach } from '../../test/support/gateways/operator-reach.ts';
import { PlaneProbe } from './plane-probe.ts';
import { quantile, spread } from './propagation.ts';
import { RoutesClient } from './routes-client.ts';

const USAGE = `usage: npm run bench:services -- [OPTION…]
Measures Routes whose backends are Services.
  --services N   Services, each with its Route (1000)
  --endpoints N  endpoints of each Service (10)
  --changes N    changed EndpointSlices through an API server and three data planes (300); 0 starts no API server
`;

const { values } = scriptOptions(USAGE, { services: '1000', endpoints: '10', changes: '300' });

const NAMESPACE = 'shop';
const PLANES = 3;
/** Changes before the first one that counts: processes that have just begun compile their own code. */
const WARM_UP = 50;
const MEGABYTE = 1e6;
const IDENTITY = {
  id: 'one',
  name: 'one',
  group: 'default',
  namespace: null,
  labels: {},
  isSidecar: false,
  until: null,
};

function note(figure: string, measured: string): void {
  console.log(`${figure}: ${measured}`);
}

function heap(): number {
  global.gc?.();
  return process.memoryUsage().heapUsed;
}

function endpointsOf(at: number, count: number, version = 0): ServiceEndpoints {
  const targets = Array.from({ length: count }, (_, n) => ({
    addresses: [`10.${at >> 8}.${at & 255}.${((n + version) % 250) + 1}`],
    ports: { http: 8080 },
  }));
  const key = `Service/${NAMESPACE}/s${at}`;
  const made = { type: 'service-endpoints', key, ports: [{ name: 'http', port: 80 }], targets } as const;
  return { ...made, hash: sharedResourceHash(made) };
}

/** Memory, bytes and time of one change, in one process. */
function measureCosts(services: number, endpoints: number): void {
  const cluster = new CompiledCluster();
  for (let at = 0; at < services; at++) {
    const { spec } = routeToService(NAMESPACE, `s${at}`, { name: `s${at}`, port: 80 });
    cluster.route(`${NAMESPACE}/s${at}`, spec as JsonObject);
    cluster.service(`${NAMESPACE}/s${at}`);
  }
  const compilation = cluster.compile();
  const state = publishedCompilation(compilation, { seen: null, versionOf: () => null })!;
  const { snapshot } = state;
  const before = heap();
  const all = new Map(
    Array.from({ length: services }, (_, at) => endpointsOf(at, endpoints)).map((one) => [one.key, one]),
  );
  note(`controller, memory of ${services} × ${endpoints} endpoints`, megabytes(heap() - before));
  const views = new PlaneViews();
  views.publish({ ...state, services: all });
  const view = views.join(IDENTITY)!;
  const nothing = { running: new Map<string, string>(), baseHash: null, resources: new Map<string, string>() };
  note('snapshot with all endpoints', megabytes(view.from(nothing).parts.bytes));

  const configuration = new Configuration({
    catalogue,
    reach: operatorReach(),
    log: pino({ level: 'silent' }),
    figures: () => noFigures,
    observe: () => {},
    mayReach: () => true,
  });
  const set = snapshot.routes.map((entry) => ({ ...entry, slot: -1 }));
  const frame = { revision: '1', remove: [], defaultSlots: {} };
  const problems = configuration.apply({ ...frame, base: snapshot.base, set });
  if (problems.length > 0) throw new Error(`not built: ${JSON.stringify(problems[0])}`);
  const without = heap();
  configuration.apply({ ...frame, base: null, set: [], resources: { set: [...all.values()], remove: [] } });
  note('one unit, memory of all endpoints', megabytes(heap() - without));

  const built = configuration.builtRoutes;
  const times = { publish: [] as number[], apply: [] as number[] };
  let bytes = 0;
  for (let change = 0; change < 200; change++) {
    const next = endpointsOf((change * 37) % services, endpoints, change + 1);
    const version = view.version;
    const begun = performance.now();
    all.set(next.key, next);
    views.publish({ ...state, services: all });
    const update = view.since(version, nothing)!;
    bytes = update.parts.message(0, 1).length;
    const sent = performance.now();
    configuration.apply({ ...frame, base: null, set: [], resources: { set: [next], remove: [] } });
    times.publish.push(sent - begun);
    times.apply.push(performance.now() - sent);
  }
  note('one change: bytes to each data plane', String(bytes));
  note('one change: controller', spread(times.publish));
  note('one change: unit', spread(times.apply));
  note('routes built for 200 changes', String(configuration.builtRoutes - built));
  configuration.close();
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(2)} MB`;
}

async function answering(text: string): Promise<Server> {
  const server = createServer((_, answer) => answer.end(text));
  server.listen(0, ownAddress());
  await once(server, 'listening');
  return server;
}

/** Exchanges the one endpoint of a Service until all data planes use the other one. */
async function measureChanges(services: number, changes: number): Promise<void> {
  const server = await ApiServer.start();
  const trust = { egress: [`${ownAddress()}/32`] };
  const deployed = await DeployedGateway.prepare({ access: server.access, namespaces: [NAMESPACE], trust });
  const client = new RoutesClient(server.access, NAMESPACE);
  const apps = [await answering('0'), await answering('1')];
  const ports = apps.map((app) => (app.address() as AddressInfo).port);
  const slice = (name: string, port: number): object => {
    const { metadata, ...rest } = sliceAt(NAMESPACE, name, port) as { metadata: object };
    return { ...rest, metadata: { ...metadata, name } };
  };
  try {
    await deployed.kubectl(['create', 'namespace', NAMESPACE]);
    // all of one length, so that none begins with another one, whose Route would take its requests
    const names = Array.from({ length: services }, (_, at) => `s${String(at).padStart(4, '0')}`);
    const items = names.map((name) => serviceOf(NAMESPACE, name));
    await deployed.apply({ apiVersion: 'v1', kind: 'List', items });
    for (const name of names) await client.applySlice(name, slice(name, ports[0]!));
    await client.createAll(services, (at) => {
      const name = names[at]!;
      const { spec } = routeToService(NAMESPACE, name, { name, port: 80 });
      return [name, spec as JsonObject];
    });
    await deployed.startController();
    for (let at = 0; at < PLANES; at++) await deployed.startPlane();
    const probes = await Promise.all(deployed.planes.map(({ port }) => PlaneProbe.connect(port)));
    const name = names.at(-1)!;
    const untilUsed = (text: string, patience = 10_000): Promise<number[]> =>
      Promise.all(probes.map((probe) => probe.until(`/${name}`, (answer) => answer === `200 ${text}`, patience)));
    await untilUsed('0', 120_000);
    const times: number[] = [];
    for (let at = 1; at <= WARM_UP + changes; at++) {
      const accepted = client.applySlice(name, slice(name, ports[at % 2]!));
      const seen = untilUsed(String(at % 2));
      const begun = await accepted;
      const took = Math.max(0, Math.max(...(await seen)) - begun);
      if (at > WARM_UP) times.push(took);
      await pause(20 + Math.random() * 40);
    }
    const goal = `p99 ≤ 50 ms: ${quantile(times, 0.99) <= 50}`;
    note(`another endpoint in use on ${PLANES} data planes, ${services} Services`, `${spread(times)} (${goal})`);
    for (const probe of probes) probe.close();
  } finally {
    await client.close();
    await deployed.stop();
    await server.stop();
    for (const app of apps) {
      app.close();
      app.closeAllConnections();
    }
  }
}

const changes = Number(values.changes);
measureCosts(Number(values.services), Number(values.endpoints));
if (changes > 0) await measureChanges(Math.min(100, Number(values.services)), changes);
