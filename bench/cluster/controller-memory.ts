/** `npm run bench:controller`: memory and idle processor time of a controller with many Routes and data planes. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { NODE_FLAG } from '../../image/image-content.ts';
import { ENVIRONMENT } from '../../image/system-files.ts';
import { scriptOptions } from '../../platform/script-options.ts';
import { ApiServer } from '../../test/support/cluster/api-server.ts';
import { DeployedGateway, type RunningController } from '../../test/support/gateways/deployed-gateway.ts';
import { memoryOf } from '../image/process-memory.ts';
import { usageOf } from './cpu-time.ts';
import { route } from './propagation.ts';
import { RoutesClient } from './routes-client.ts';
import { SimulatedLink } from './simulated-link.ts';

const NAMESPACE = 'bench';
const CHANGES_PER_SECOND = 20;
const IDLE_SECONDS = 30;
/** Data planes that connect at once. */
const CONNECTING = 10;
/** As the chart sets it. */
const NODE_OPTIONS = '--max-semi-space-size=8';
const USAGE = `usage: npm run bench:controller -- [OPTION…]
Measures a controller with a real API server and simulated data planes, which acknowledge everything and build nothing.
  --routes N      how many Routes there are (5000)
  --planes N      how many data planes are connected (100)
  --seconds N     how long ${CHANGES_PER_SECOND} Routes change in each second (120); memory is printed once a minute
  --root DIR      the image, as 'npm run image -- --rootfs DIR' writes it; by default the sources
  --snapshots DIR has the controller write heap snapshots into this folder at the end
`;
const { values } = scriptOptions(USAGE, {
  ...{ routes: '5000', planes: '100', seconds: '120', root: '', snapshots: '' },
});
const routes = Number(values.routes);

async function measure(): Promise<void> {
  const server = await ApiServer.start();
  const deployed = await DeployedGateway.prepare({ access: server.access, namespaces: [NAMESPACE] });
  const client = new RoutesClient(server.access, NAMESPACE);
  const links: SimulatedLink[] = [];
  try {
    await deployed.kubectl(['create', 'namespace', NAMESPACE]);
    await client.createAll(routes, (at) => route(at, 0));
    const controller = await startedController(deployed);
    while (links.length < Number(values.planes)) {
      links.push(link(deployed, controller, links.length));
      if (links.length % CONNECTING === 0) await Promise.all(links.map(({ current }) => current));
    }
    await Promise.all(links.map(({ current }) => current));
    note('connected', controller);
    await settled(controller);
    note('statuses written', controller);
    await churn(client, controller);
    await settled(controller);
    await idle(controller);
    if (values.snapshots !== '') {
      controller.process.signal('SIGUSR2');
      await pause(30_000); // writing takes its time, and tells nobody when it is over
    }
  } finally {
    for (const one of links) one.close();
    await client.close();
    await deployed.stop();
    await server.stop();
  }
}

async function startedController(deployed: DeployedGateway): Promise<RunningController> {
  writeFileSync(deployed.at('outside.token'), randomBytes(24).toString('hex'));
  const tokens = [{ tokenFile: 'outside.token', group: 'edge' }];
  writeFileSync(deployed.at('outside.json'), JSON.stringify({ tokens }));
  const { root, snapshots } = values;
  const { MALLOC_TRIM_THRESHOLD_ } = ENVIRONMENT;
  const flags = snapshots === '' ? '' : ` --heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${snapshots}`;
  const controller = await deployed.startController(['--outside-planes', deployed.at('outside.json')], {
    env: { MALLOC_TRIM_THRESHOLD_, NODE_OPTIONS: `${NODE_OPTIONS}${flags}` },
    ...(root !== '' && {
      command: [`${root}/usr/local/bin/node`, NODE_FLAG, `${root}/usr/lib/gatewarden/code/main.js`],
    }),
  });
  await deployed.makePod(); // writes the certificate of the authority
  return controller;
}

function link(deployed: DeployedGateway, { port }: RunningController, at: number): SimulatedLink {
  const token = readFileSync(deployed.at('outside.token'), 'utf8');
  const ca = readFileSync(deployed.at('ca.crt'), 'utf8');
  return new SimulatedLink({ port, token, ca, name: `link-${at}` });
}

/** Waits until the controller writes no more statuses. */
async function settled({ adminPort }: RunningController): Promise<void> {
  for (let before = ''; ; ) {
    await pause(8000);
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    const now = /^gw_controller_status_writes_total\{kind="Route",outcome="written"\} (\d+)$/m.exec(text)?.[1] ?? '';
    if (now === before) return;
    before = now;
  }
}

async function churn(client: RoutesClient, controller: RunningController): Promise<void> {
  const { pid } = controller.process;
  const begun = performance.now();
  const before = usageOf(pid).cpu;
  const ends = begun + Number(values.seconds) * 1000;
  let most = 0;
  let changes = 0;
  let failed = 0;
  const noteChurn = (): void => {
    const seconds = (performance.now() - begun) / 1000;
    const cost = ((usageOf(pid).cpu - before) / changes) * 1000;
    const rate = `${changes} changes, ${(changes / seconds).toFixed(1)} a second, ${failed} failed`;
    note(
      `${seconds.toFixed(0)} s: ${rate}, ${cost.toFixed(1)} ms of a core each, most ${most.toFixed(0)} MB`,
      controller,
    );
  };
  const looks = setInterval(() => {
    most = Math.max(most, usageOf(pid).memory / 1e6);
  }, 1000);
  const notes = setInterval(noteChurn, 60_000);
  try {
    while (performance.now() < ends) {
      const sent = performance.now();
      const at = (changes++ * 37) % routes;
      // on a busy machine the API server does not answer every request in time
      await client.apply(...route(at, changes)).catch(() => failed++);
      await pause(Math.max(0, 1000 / CHANGES_PER_SECOND - (performance.now() - sent)));
    }
  } finally {
    clearInterval(looks);
    clearInterval(notes);
  }
  noteChurn();
}

async function idle(controller: RunningController): Promise<void> {
  const { pid } = controller.process;
  const before = usageOf(pid).cpu;
  await pause(IDLE_SECONDS * 1000);
  const share = ((usageOf(pid).cpu - before) / IDLE_SECONDS) * 100;
  note(`idle, ${share.toFixed(2)} % of a core`, controller);
}

function note(when: string, { process: { pid } }: RunningController): void {
  const { resident, own } = memoryOf(pid);
  console.log(`${when}: ${resident.toFixed(0)} MB resident, ${own.toFixed(0)} MB of it its own`);
}

await measure();
process.exit(0);
