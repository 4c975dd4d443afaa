/** `npm run bench:crest`: measures Common REST of a controller with a real API server and a real plane on this machine. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { scriptOptions } from '../../platform/script-options.ts';
import { ApiServer } from '../../test/support/cluster/api-server.ts';
import { clusterAt } from '../../test/support/cluster/cluster.ts';
import { CREST_WORDS, type CrestClient, crestClient } from '../../test/support/crest/cluster-client.ts';
import { routesUser } from '../../test/support/crest/cluster-users.ts';
import { DeployedGateway } from '../../test/support/gateways/deployed-gateway.ts';
import { describeMachine } from '../measure/machine.ts';
import { outFolder } from '../paths.ts';
import { PlaneProbe } from './plane-probe.ts';
import { propagation, quantile, route, spread } from './propagation.ts';
import type { QueryLoad } from './query-load.ts';
import { queryPath, timedQuery } from './route-query.ts';
import { RoutesClient } from './routes-client.ts';

const NAMESPACE = 'bench';
const USAGE = `usage: npm run bench:crest -- [OPTION…]
Measures queries and changes of Routes over Common REST, with a real API server and a data plane, for some minutes.
  --routes N      how many Routes there are (5000)
  --queries N     how many queries are timed (1000)
  --samples N     how many edits are timed with and without queries beside them (60)
  --concurrent N  how many queries are under way at a time meanwhile (100)
  --writes N      how many Routes are written under load (1000)
`;
const { values } = scriptOptions(USAGE, {
  ...{ routes: '5000', queries: '1000', samples: '60', concurrent: '100', writes: '1000' },
});
const size = Number(values.routes);
const rows: string[] = [];

function note(figure: string, measured: string, goal: string, isReached: boolean): void {
  rows.push(`| ${figure} | ${measured} | ${goal} | ${isReached ? 'yes' : 'no'} |`);
  console.log(`${isReached ? 'reached' : 'MISSED '}  ${figure}: ${measured} (${goal})`);
}

async function queries(client: CrestClient, token: string): Promise<void> {
  for (let at = 0; at < 100; at++) await timedQuery(client, token, queryPath(NAMESPACE, at)); // warms up
  const times: number[] = [];
  for (let at = 0; at < Number(values.queries); at++)
    times.push(await timedQuery(client, token, queryPath(NAMESPACE, at)));
  const figure = `query of ${size} routes with filter, sort and page`;
  note(figure, spread(times), 'p99 ≤ 20 ms', quantile(times, 0.99) <= 20);
}

async function besideQueries(
  client: CrestClient,
  token: string,
  writer: RoutesClient,
  probe: PlaneProbe,
): Promise<void> {
  const samples = Number(values.samples);
  const alone = await propagation(writer, [probe], samples, size, 'sending');
  const load: QueryLoad = {
    ...{ port: client.port, ca: client.ca, token, concurrent: Number(values.concurrent) },
    paths: Array.from({ length: 97 }, (_, at) => queryPath(NAMESPACE, at)),
  };
  const worker = new Worker(new URL('query-load.ts', import.meta.url), { workerData: load });
  const begun = performance.now();
  await pause(1000);
  const beside = await propagation(writer, [probe], samples, size, 'sending');
  const ended = once(worker, 'message') as Promise<[number]>;
  worker.postMessage('stop');
  const [answered] = await ended;
  const seconds = (performance.now() - begun) / 1000;
  const more = (share: number): number => quantile(beside, share) / quantile(alone, share) - 1;
  const measured = `${spread(alone)} alone, ${spread(beside)} beside ${(answered / seconds).toFixed(0)} queries a second`;
  const isReached = more(0.5) <= 0.2 && more(0.95) <= 0.2;
  note(`apply to live beside ${values.concurrent} queries`, measured, 'p50 and p95 ≤ 20 % more', isReached);
}

async function writes(client: CrestClient, token: string, probe: PlaneProbe): Promise<void> {
  const count = Number(values.writes);
  const times: number[] = [];
  let [next, wrong, answered, isOver] = [0, 0, 0, false];
  const watching = (async () => {
    for (; !isOver; answered++) if (!(await probe.ask('/r0/')).startsWith('200 version')) wrong++;
  })();
  const write = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      const [name, spec] = route(`w${at}`, at);
      const begun = performance.now();
      const { status, text } = await client.ask(token, 'PUT', `/api/routes/${NAMESPACE}.${name}`, { body: spec });
      if (status !== 201) throw new Error(`a write is answered with ${status}: ${text}`);
      times.push(performance.now() - begun);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: 16 }, write));
  const written = performance.now();
  isOver = true;
  await watching;
  let last = written;
  for (let at = 0; at < count; at++) {
    last = Math.max(last, await probe.until(`/rw${at}/`, (answer) => answer === `200 version ${at}`, 60_000));
  }
  const measured = `${(count / ((written - begun) / 1000)).toFixed(0)} a second, ${spread(times)}; the plane has all ${(last - written).toFixed(0)} ms later; ${wrong} of ${answered} other answers wrong`;
  note(`${count} writes by 16 clients`, measured, '0 lost, 0 wrong', wrong === 0);
}

async function measure(): Promise<void> {
  const server = await ApiServer.start();
  const cluster = clusterAt(server.access);
  const deployed = await DeployedGateway.prepare({ access: server.access, namespaces: [NAMESPACE] });
  const writer = new RoutesClient(server.access, NAMESPACE);
  try {
    await deployed.kubectl(['create', 'namespace', NAMESPACE]);
    await writer.createAll(size, (at) => route(at, 0));
    const controller = await deployed.startController([...CREST_WORDS, '--api-rate', '999999']);
    const plane = await deployed.startPlane();
    const client = await crestClient(deployed, controller);
    const token = await routesUser(cluster, 'bench', [NAMESPACE]);
    const probe = await PlaneProbe.connect(plane.port);
    await probe.until(`/r${size - 1}/`, (answer) => answer.startsWith('200'), 60_000);
    await settled(controller.adminPort);
    await queries(client, token);
    await besideQueries(client, token, writer, await PlaneProbe.connect(plane.port));
    await writes(client, token, await PlaneProbe.connect(plane.port));
    await client.close();
    probe.close();
  } finally {
    await writer.close();
    await deployed.stop();
    await server.stop();
  }
}

/** Waits until the controller has written the statuses of what was made. */
async function settled(adminPort: number): Promise<void> {
  const written = async (): Promise<string> => {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    return /^gw_controller_status_writes_total\{kind="Route",outcome="written"\} (\d+)$/m.exec(text)?.[1] ?? '';
  };
  for (let before = ''; ; ) {
    await pause(4000);
    const now = await written();
    if (now === before) return;
    before = now;
  }
}

await measure();
const { cpu, cores, kernel } = describeMachine();
const table = ['| figure | measured | must reach | reached |', '|---|---|---|---|', ...rows];
writeFileSync(`${outFolder('crest')}/report.md`, `${cpu}, ${cores} cores, ${kernel}\n\n${table.join('\n')}\n`);
process.exit(0);
