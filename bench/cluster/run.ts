/** `npm run bench:cluster`: measures the controller with a real API server and real planes on this machine. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Held } from '../../contract/channel.ts';
import { scriptOptions } from '../../platform/script-options.ts';
import { ScriptedPlane } from '../../test/support/channel/scripted-plane.ts';
import { ApiServer } from '../../test/support/cluster/api-server.ts';
import { DeployedGateway } from '../../test/support/gateways/deployed-gateway.ts';
import { describeMachine } from '../measure/machine.ts';
import { outFolder } from '../paths.ts';
import { usageOf } from './cpu-time.ts';
import { editsUnderLoad } from './edits-under-load.ts';
import { PlaneProbe } from './plane-probe.ts';
import { propagation, quantile, route, spread } from './propagation.ts';
import { RoutesClient } from './routes-client.ts';
import { SimulatedLink } from './simulated-link.ts';

const NAMESPACE = 'bench';
const PLANES = 3;
const USAGE = `usage: npm run bench:cluster -- [OPTION…]
Measures the controller with a real API server and real data planes on this machine, for some minutes.
  --routes N,N,…  how many Routes there are, one size after the other (10,1000,5000)
  --samples N     how many edits are timed for each size (200)
  --edits N       how many edits are made under load (500)
  --planes N      how many simulated data planes reconnect at once (200)
`;
const { values } = scriptOptions(USAGE, { routes: '10,1000,5000', samples: '200', edits: '500', planes: '200' });
const sizes = values.routes.split(',').map(Number);
const samples = Number(values.samples);
const edits = Number(values.edits);
const reconnecting = Number(values.planes);

interface Row {
  readonly figure: string;
  readonly measured: string;
  readonly goal: string;
  readonly isReached: boolean;
}

const rows: Row[] = [];

function note(figure: string, measured: string, goal: string, isReached: boolean): void {
  rows.push({ figure, measured, goal, isReached });
  console.log(`${isReached ? 'reached' : 'MISSED '}  ${figure}: ${measured} (${goal})`);
}

async function measure(): Promise<void> {
  const server = await ApiServer.start();
  const deployed = await DeployedGateway.prepare({ access: server.access, namespaces: [NAMESPACE] });
  const client = new RoutesClient(server.access, NAMESPACE);
  try {
    await deployed.kubectl(['create', 'namespace', NAMESPACE]);
    await client.createAll(1, (at) => route(at, 0));
    await deployed.startController();
    for (let i = 0; i < PLANES; i++) await deployed.startPlane();
    const connected = (): Promise<PlaneProbe[]> =>
      Promise.all(deployed.planes.map(({ port }) => PlaneProbe.connect(port)));
    let probes = await connected();
    let made = 1;
    for (const size of sizes) {
      const from = made;
      const begun = performance.now();
      await client.createAll(size - from, (at) => route(from + at, 0));
      const seconds = ((performance.now() - begun) / 1000).toFixed(0);
      console.log(`         ${size - from} routes more, written in ${seconds} s`);
      made = Math.max(made, size);
      for (const probe of probes) probe.close(); // planes close connections that nobody uses
      probes = await connected();
      for (const probe of probes) await probe.until(`/r${size - 1}/`, (answer) => answer.startsWith('200'), 60_000);
      for (const probe of probes) probe.close();
      await settled(deployed);
      probes = await connected();
      await propagation(client, probes, 20, size); // warms up
      const times = await propagation(client, probes, samples, size);
      const goal = 'p99 ≤ 30 ms';
      note(`apply to all ${PLANES} planes, ${size} routes`, spread(times), goal, quantile(times, 0.99) <= 30);
    }
    await underChurn(client, probes);
    const wrong = await editsUnderLoad(client, deployed.planes, edits, (at, version) => route(at, version));
    note(
      `${edits} edits under load`,
      `${wrong.wrong} wrong or failed of ${wrong.answered} answers`,
      '0',
      wrong.wrong === 0,
    );
    await settled(deployed);
    await idle(deployed);
    for (const probe of probes) probe.close();
    await reconnect(deployed);
    await restart(deployed);
  } finally {
    await client.close();
    await deployed.stop();
    await server.stop();
  }
}

/** Waits until the controller has written the statuses of what was made. */
async function settled(deployed: DeployedGateway): Promise<void> {
  const { adminPort } = deployed.controllers[0]!;
  const written = async (): Promise<string> => {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    return /^gw_controller_status_writes_total\{kind="Route",outcome="written"\} (\d+)$/m.exec(text)?.[1] ?? '';
  };
  for (let before = ''; ; ) {
    await pause(8000);
    const now = await written();
    if (now === before) return;
    before = now;
  }
}

async function underChurn(client: RoutesClient, probes: readonly PlaneProbe[]): Promise<void> {
  let isOver = false;
  const churn = (async () => {
    for (let i = 0; !isOver; i++) {
      const begun = performance.now();
      await client.apply(...route(i % 200, 1_000_000 + i));
      await pause(Math.max(0, 50 - (performance.now() - begun)));
    }
  })();
  const times = await propagation(client, probes, samples, Math.max(...sizes));
  isOver = true;
  await churn;
  note('the same while 20 others a second change', spread(times), 'p99 ≤ 100 ms', quantile(times, 0.99) <= 100);
}

async function idle(deployed: DeployedGateway): Promise<void> {
  const { pid } = deployed.controllers[0]!.process;
  const before = usageOf(pid);
  const seconds = 30;
  await pause(seconds * 1000);
  const after = usageOf(pid);
  const share = ((after.cpu - before.cpu) / seconds) * 100;
  const memory = after.memory / 1e6;
  const measured = `${memory.toFixed(0)} MB, ${share.toFixed(2)} % of a core`;
  note(`controller at ${Math.max(...sizes)} routes`, measured, '≤ 400 MB, < 1 %', memory <= 400 && share < 1);
}

/** Simulated links: they speak the channel and build nothing. */
async function reconnect(deployed: DeployedGateway): Promise<void> {
  const [controller] = deployed.controllers;
  const token = randomBytes(24).toString('hex');
  writeFileSync(deployed.at('outside.token'), token);
  writeFileSync(
    deployed.at('outside.json'),
    JSON.stringify({ tokens: [{ tokenFile: 'outside.token', group: 'edge' }] }),
  );
  await controller!.process.stop();
  const again = await deployed.startController(['--outside-planes', deployed.at('outside.json')]);
  const ca = readFileSync(deployed.at('ca.crt'), 'utf8');
  await pause(5000);
  const connectAll = async (figure: string, holds: Held): Promise<void> => {
    const begun = performance.now();
    const planes = Array.from(
      { length: reconnecting },
      (_, at) => new SimulatedLink({ port: again.port, token, ca, name: `link-${at}`, holds }),
    );
    const times = await Promise.all(
      planes.map(async (plane) => {
        await plane.current;
        return (performance.now() - begun) / 1000;
      }),
    );
    const at = (share: number): string => quantile(times, share).toFixed(1);
    const measured = `first ${at(0)} s, half ${at(0.5)} s, all ${at(1)} s`;
    note(`${reconnecting} planes connect at once, ${figure}`, measured, 'all in ≤ 10 s', quantile(times, 1) <= 10);
    for (const plane of planes) plane.close();
  };
  const model = new ScriptedPlane({ port: again.port, token, ca }).hello({ name: 'model' });
  const update = await model.update();
  model.ack(update);
  const routes = [...model.routes.values()].map(({ router, id, hash }) => [router, id, hash] as const);
  model.close();
  // one route less, so that there is something to send
  await connectAll('which hold all but one route', {
    revision: 'old',
    base: update.base?.hash ?? null,
    routes: routes.slice(1),
  });
  await connectAll('which hold nothing', { revision: null, base: null, routes: [] });
}

async function restart(deployed: DeployedGateway): Promise<void> {
  for (const { process } of deployed.controllers) await process.stop();
  const begun = performance.now();
  const controller = await deployed.startController(['--outside-planes', deployed.at('outside.json')]);
  const token = readFileSync(deployed.at('outside.token'), 'utf8');
  const ca = readFileSync(deployed.at('ca.crt'), 'utf8');
  const plane = new SimulatedLink({ port: controller.port, token, ca, name: 'first' });
  await plane.current;
  const seconds = (performance.now() - begun) / 1000;
  note(`start to first push at ${Math.max(...sizes)} routes`, `${seconds.toFixed(1)} s`, '≤ 5 s', seconds <= 5);
  plane.close();
}

await measure();
const { cpu, cores, kernel } = describeMachine();
const lines = rows.map((row) => `| ${row.figure} | ${row.measured} | ${row.goal} | ${row.isReached ? 'yes' : 'no'} |`);
const table = ['| figure | measured | must reach | reached |', '|---|---|---|---|', ...lines];
writeFileSync(`${outFolder('cluster')}/report.md`, `${cpu}, ${cores} cores, ${kernel}\n\n${table.join('\n')}\n`);
process.exit(rows.every(({ isReached }) => isReached) ? 0 : 1);
