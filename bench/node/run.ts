/** `npm run bench:node`: measures what the chart installs, in Pods of a real node on this machine. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { scriptOptions } from '../../platform/script-options.ts';
import { onNode } from '../../test/node/support/kubernetes-node.ts';
import { startedNode } from '../../test/node/support/started-node.ts';
import { PlaneProbe } from '../cluster/plane-probe.ts';
import { propagation, quantile, route, spread } from '../cluster/propagation.ts';
import { RoutesClient } from '../cluster/routes-client.ts';
import { describeMachine } from '../measure/machine.ts';
import { outFolder } from '../paths.ts';

const NAMESPACE = 'bench';
const PLANES = 3;
/** Milliseconds; idle processes that grew give memory back every two minutes. */
const IDLE = 140_000;
const USAGE = `usage: npm run bench:node -- [OPTION…]
Measures what the chart installs, in Pods of a real node on this machine, as root.
  --routes N   how many Routes there are (1000)
  --samples N  how many edits are timed (200)
`;
const { values } = scriptOptions(USAGE, { routes: '1000', samples: '200' });
const routes = Number(values.routes);
const samples = Number(values.samples);

interface Pod {
  readonly metadata: { readonly name: string };
  readonly status: { readonly podIP: string };
}

const rows: string[] = [];

function note(figure: string, measured: string, goal: string, isReached: boolean): void {
  rows.push(`| ${figure} | ${measured} | ${goal} | ${isReached ? 'yes' : 'no'} |`);
  console.log(`${isReached ? 'reached' : 'MISSED '}  ${figure}: ${measured} (${goal})`);
}

/** Memory of the processes of a container, in megabytes: what is theirs alone, and all that is in memory. */
async function memoryOf(node: ReturnType<typeof onNode>, pod: string): Promise<{ own: number; all: number }> {
  const script = `
    const { readFileSync } = require('node:fs');
    const text = readFileSync('/proc/1/smaps_rollup', 'utf8');
    const of = (name) => Number(new RegExp('^' + name + ': +(\\\\d+)', 'm').exec(text)[1]) / 1024;
    console.log(JSON.stringify({ own: of('Private_Dirty') + of('Private_Clean'), all: of('Rss') }));`;
  const words = ['exec', pod, '-n', 'gatewarden', '--', '/usr/local/bin/node', '-e', script];
  return JSON.parse(await node.kubectl(words)) as { own: number; all: number };
}

async function pods(node: ReturnType<typeof onNode>, component: string): Promise<readonly Pod[]> {
  const words = ['get', 'pods', '-n', 'gatewarden', '-l', `app.kubernetes.io/component=${component}`, '-o', 'json'];
  return (JSON.parse(await node.kubectl(words)) as { items: readonly Pod[] }).items;
}

/** @param isGoal whether the goals are about this, which are for few routes */
async function idleMemory(node: ReturnType<typeof onNode>, when: string, isGoal: boolean): Promise<void> {
  const [controller] = await pods(node, 'controller');
  const [plane] = await pods(node, 'dataplane');
  const text = ({ own, all }: { own: number; all: number }): string =>
    `${all.toFixed(1)} MB, ${own.toFixed(1)} its own`;
  const ofPlane = await memoryOf(node, plane!.metadata.name);
  const ofController = await memoryOf(node, controller!.metadata.name);
  note(`idle plane with one unit, ${when}`, text(ofPlane), isGoal ? '≤ 70 MB' : '', !isGoal || ofPlane.all <= 70);
  note(`idle controller, ${when}`, text(ofController), isGoal ? '≤ 120 MB' : '', !isGoal || ofController.all <= 120);
}

async function measure(): Promise<void> {
  const { node, helm } = await startedNode();
  const { access } = node;
  const on = onNode(access);
  const client = new RoutesClient(
    {
      server: 'https://10.200.0.2:6443',
      caFile: join(access.state, 'keys', 'ca.crt'),
      kubeconfig: access.kubeconfig,
      kubectl: 'kubectl',
    },
    NAMESPACE,
  );
  try {
    await helm(['install', 'gatewarden-crds', 'helm/gatewarden-crds']);
    const begun = performance.now();
    await helm([
      ...['install', 'gatewarden', 'helm/gatewarden', '--namespace', 'gatewarden', '--create-namespace', '--wait'],
      ...['--set', `dataPlanes.default.replicas=${PLANES}`, '--timeout', '120s'],
    ]);
    console.log(`         installed and ready in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    await on.kubectl(['create', 'namespace', NAMESPACE]);
    await client.createAll(10, (at) => route(at, 0));
    await pause(IDLE);
    await idleMemory(on, '10 routes', true);
    await client.createAll(routes - 10, (at) => route(10 + at, 0));
    const connected = async (): Promise<PlaneProbe[]> =>
      Promise.all((await pods(on, 'dataplane')).map(({ status }) => PlaneProbe.connect(8080, status.podIP)));
    let probes = await connected();
    for (const probe of probes) await probe.until(`/r${routes - 1}/`, (answer) => answer.startsWith('200'), 60_000);
    for (const probe of probes) probe.close();
    await pause(45_000); // statuses are written
    probes = await connected();
    await propagation(client, probes, 20, routes); // warms up
    const times = await propagation(client, probes, samples, routes);
    note(`apply to all ${PLANES} planes, ${routes} routes`, spread(times), 'p99 ≤ 30 ms', quantile(times, 0.99) <= 30);
    for (const probe of probes) probe.close();
    await pause(IDLE);
    await idleMemory(on, `${routes} routes`, false);
  } finally {
    await client.close();
    await node.stop();
  }
}

await measure();
const { cpu, cores, kernel } = describeMachine();
const table = ['| figure | measured | goal | reached |', '|---|---|---|---|', ...rows];
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const report = `${version}; ${cpu}, ${cores} cores, ${kernel}\n\n${table.join('\n')}\n`;
writeFileSync(`${outFolder('node')}/report.md`, report);
