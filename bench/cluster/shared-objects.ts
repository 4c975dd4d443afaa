/** `npm run bench:shared-objects`: what 1,000 Routes with one SecretStore cost, and what a rotation of its Secret does. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { Publisher } from '../../controller/publish/publisher.ts';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import { Configuration } from '../../dataplane/routes/configuration.ts';
import { noFigures } from '../../dataplane/routes/route-figures.ts';
import { scriptOptions } from '../../platform/script-options.ts';
import { ApiServer } from '../../test/support/cluster/api-server.ts';
import { CompiledCluster } from '../../test/support/cluster/compiled-cluster.ts';
import { DeployedGateway } from '../../test/support/gateways/deployed-gateway.ts';
import { operatorReach } from '../../test/support/gateways/operator-reach.ts';
import { guardedRoute, IssuerKey, SECRET_KEY } from '../../test/support/identity/issuer-key.ts';
import { PlaneProbe } from './plane-probe.ts';
import { quantile, spread } from './propagation.ts';
import { RoutesClient } from './routes-client.ts';

const USAGE = `usage: npm run bench:shared-objects -- [OPTION…]
Measures Routes that share one SecretStore whose Secret has 22 KB.
  --routes N     Routes that name the store (1000)
  --edits N      edits of a header, after which built objects and memory are counted (10000)
  --rotations N  rotations of the Secret through an API server and three data planes (100); 0 starts no API server
`;

const { values } = scriptOptions(USAGE, { routes: '1000', edits: '10000', rotations: '100' });

const NAMESPACE = 'shop';
const PLANES = 3;
const FILLER = 'filler';
const MEGABYTE = 1e6;

/** The content of a Secret of 22 KB with the key of an issuer. */
function content(key: IssuerKey): Record<string, string> {
  return { [SECRET_KEY]: key.pem, [FILLER]: randomBytes(11_000).toString('hex') };
}

function storeSpec(): JsonObject {
  const items = [
    { key: SECRET_KEY, file: 'verify' },
    { key: FILLER, file: FILLER },
  ];
  const config = { format: { type: 'PemPropertyFormat' } };
  return { type: 'FileSystemSecretStore', config, secrets: [{ name: 'keys', items }] };
}

/** A Route with the store and with a header that tells versions of it apart. */
function spec(at: number, version = 0): JsonObject {
  const made = guardedRoute(NAMESPACE, `r${at}`, 'keys')['spec'] as JsonObject;
  const text = JSON.stringify(made).replace('"filters":[', `"filters":[${JSON.stringify(header(version))},`);
  return JSON.parse(text);
}

function header(version: number): JsonObject {
  return { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Version': [`${version}`] } } };
}

function note(figure: string, measured: string, goal: string): void {
  console.log(`${figure}: ${measured} (${goal})`);
}

/** Routes with one store that are compiled, published and built in this process. */
function inMemory(routes: number) {
  const cluster = new CompiledCluster().store(`${NAMESPACE}/keys`, storeSpec());
  for (let at = 0; at < routes; at++) cluster.route(`${NAMESPACE}/r${at}`, spec(at));
  cluster.secret(`${NAMESPACE}/keys`, content(new IssuerKey()));
  const publisher = new Publisher();
  const configuration = new Configuration({
    catalogue,
    reach: operatorReach(),
    log: pino({ level: 'silent' }),
    figures: () => noFigures,
    observe: () => {},
    mayReach: () => true,
  });
  /** Brings the configuration to what the cluster says. @returns bytes, resources and routes on the wire */
  const published = (): { bytes: number; resources: number; routes: number } => {
    const update = publisher.update(cluster.compile().snapshot!)!;
    const { defaults: _, ...rest } = update;
    const set = update.set.map((entry) => ({ ...entry, slot: -1 }));
    const problems = configuration.apply({ ...rest, set, defaultSlots: {} });
    if (problems.length > 0) throw new Error(`not built: ${JSON.stringify(problems[0])}`);
    const bytes = JSON.stringify(update).length;
    return { bytes, resources: update.resources?.set.length ?? 0, routes: update.set.length };
  };
  return { cluster, configuration, published };
}

/** Sizes, and how much is built again after a rotation. */
function measureSizes(routes: number): void {
  const { cluster, configuration, published } = inMemory(routes);
  const whole = published();
  note(`snapshot with ${routes} Routes`, `${(whole.bytes / MEGABYTE).toFixed(2)} MB`, '≤ 2 MB for 1,000');
  const before = configuration.builtRoutes;
  cluster.secret(`${NAMESPACE}/keys`, content(new IssuerKey()));
  const rotation = published();
  const built = configuration.builtRoutes - before;
  const sent = `${rotation.resources} resources and ${rotation.routes} routes, ${(rotation.bytes / 1000).toFixed(0)} KB`;
  note('sent after a rotation', sent, 'one resource');
  note('routes built after a rotation', String(built), '0');
  configuration.close();
}

/** Objects and memory after many edits of ten Routes, every tenth of which is a rotation as well. */
async function measureEdits(edits: number): Promise<void> {
  const { cluster, configuration, published } = inMemory(10);
  published();
  const use = async (): Promise<string> => {
    await pause(50);
    global.gc?.();
    const { heapUsed } = process.memoryUsage();
    return `${configuration.builtObjects} objects, ${(heapUsed / MEGABYTE).toFixed(1)} MB`;
  };
  const key = new IssuerKey();
  for (let edit = 0; edit < edits; edit++) {
    if (edit === 0 || edit === Math.floor(edits / 10)) note(`after ${edit} edits`, await use(), 'as many objects');
    cluster.route(`${NAMESPACE}/r${edit % 10}`, spec(edit % 10, edit + 1));
    if (edit % 10 === 0) cluster.secret(`${NAMESPACE}/keys`, content(key));
    published();
    if (edit % 50 === 0) await pause(0); // closing ends in later turns
  }
  note(`after ${edits} edits`, await use(), 'as many objects');
  configuration.close();
}

/** Rotates the Secret through a real API server until all planes take tokens of the new key. */
async function measureRotations(routes: number, rotations: number): Promise<void> {
  const server = await ApiServer.start();
  const deployed = await DeployedGateway.prepare({ access: server.access, namespaces: [NAMESPACE] });
  const client = new RoutesClient(server.access, NAMESPACE);
  const manifest = (kind: string, name: string, body: JsonObject): JsonObject => ({
    apiVersion: 'gatewarden.io/v1alpha1',
    kind,
    metadata: { name, namespace: NAMESPACE },
    spec: body,
  });
  try {
    await deployed.kubectl(['create', 'namespace', NAMESPACE]);
    await deployed.grantSecrets(NAMESPACE, ['keys']);
    let key = new IssuerKey();
    await deployed.apply(key.secret(NAMESPACE, 'keys', content(key)));
    await deployed.apply(manifest('SecretStore', 'keys', storeSpec()));
    await client.createAll(routes, (at) => [`r${at}`, spec(at)]);
    await deployed.startController();
    for (let at = 0; at < PLANES; at++) await deployed.startPlane();
    const probes = await Promise.all(deployed.planes.map(({ port }) => PlaneProbe.connect(port)));
    const path = `/r${routes - 1}`;
    const untilTaken = (token: IssuerKey, patience: number): Promise<number[]> =>
      Promise.all(
        probes.map((probe) => probe.until(path, (answer) => answer.startsWith('200'), patience, token.headers)),
      );
    await untilTaken(key, 120_000);
    const times: number[] = [];
    for (let at = 0; at < rotations; at++) {
      key = new IssuerKey();
      const accepted = client.applySecret('keys', key.secret(NAMESPACE, 'keys', content(key)));
      const seen = untilTaken(key, 10_000);
      const begun = await accepted;
      times.push(Math.max(0, Math.max(...(await seen)) - begun));
      await pause(60 + Math.random() * 40);
    }
    note(`new key in force on ${PLANES} data planes`, spread(times), `p99 ≤ 100 ms: ${quantile(times, 0.99) <= 100}`);
    for (const probe of probes) probe.close();
  } finally {
    await client.close();
    await deployed.stop();
    await server.stop();
  }
}

const routes = Number(values.routes);
const rotations = Number(values.rotations);
measureSizes(routes);
await measureEdits(Number(values.edits));
if (rotations > 0) await measureRotations(routes, rotations);
