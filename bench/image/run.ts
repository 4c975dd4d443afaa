/** `npm run bench:image`: how large the image is, how fast what is in it starts, and what memory it takes when idle. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownArchitecture } from '../../image/architecture.ts';
import { imageContent, NODE_FLAG } from '../../image/image-content.ts';
import { ociImage } from '../../image/oci-image.ts';
import { programBundle } from '../../image/program-bundle.ts';
import { ENVIRONMENT } from '../../image/system-files.ts';
import { writeRootfs } from '../../image/write-rootfs.ts';
import { scriptOptions } from '../../platform/script-options.ts';
import { ApiServer, type ClusterAccess } from '../../test/support/cluster/api-server.ts';
import { whyNoCluster } from '../../test/support/cluster/cluster-programs.ts';
import { DeployedGateway } from '../../test/support/gateways/deployed-gateway.ts';
import { LoggingProcess } from '../../test/support/gateways/logging-process.ts';
import { gatewarden } from '../../test/support/programs/run-program.ts';
import { RoutesClient } from '../cluster/routes-client.ts';
import { describeMachine } from '../measure/machine.ts';
import { outFolder, repository } from '../paths.ts';
import { benchRoute } from './bench-route.ts';
import { memoryOf } from './process-memory.ts';
import { type StartUp, startUp } from './start-up.ts';

type Command = readonly [string, ...string[]];

const ROUTES = 10;
const NAMESPACE = 'bench';
const USAGE = `usage: npm run bench:image -- [--runs N]
Builds the image and measures its size, its start and its memory.
  --runs N  how often each start is timed (5)
`;
const runs = Number(scriptOptions(USAGE, { runs: '5' }).values.runs);
const folder = mkdtempSync(join(tmpdir(), 'gatewarden-bench-image-'));
const { MALLOC_TRIM_THRESHOLD_ } = ENVIRONMENT;
const env = { MALLOC_TRIM_THRESHOLD_ };
const lines: string[] = [];

process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
await measure();

async function measure(): Promise<void> {
  const { command, compressed } = await builtImage();
  note('size', `${(compressed / 1e6).toFixed(1)} MB compressed`, '≤ 80 MB');
  const missing = await whyNoCluster();
  for (const [title, one] of [
    ['the image', command],
    ['the sources', [gatewarden]],
  ] as const) {
    await measureInstance(title, one);
    if (missing === null) await measureDeployed(title, one);
  }
  if (missing !== null) process.stderr.write(`LEFT OUT: planes with a controller, because ${missing}\n`);
  const { cpu, cores, kernel } = describeMachine();
  const table = ['| figure | measured | must reach |', '|---|---|---|', ...lines];
  writeFileSync(join(outFolder('image'), 'report.md'), `${cpu}, ${cores} cores, ${kernel}\n\n${table.join('\n')}\n`);
  process.exit(0);
}

function note(figure: string, measured: string, goal = ''): void {
  lines.push(`| ${figure} | ${measured} | ${goal} |`);
  console.log(`${figure}: ${measured}${goal === '' ? '' : ` (${goal})`}`);
}

/** The files of the image in a folder, and the size of its layers. */
async function builtImage(): Promise<{ readonly command: Command; readonly compressed: number }> {
  const content = await imageContent(repository, await programBundle(repository), ownArchitecture());
  const { layers } = await ociImage(content, { name: 'gatewarden:bench', revision: undefined, time: 0 });
  const root = join(folder, 'root');
  writeRootfs(content, root);
  return {
    command: [join(root, 'usr/local/bin/node'), NODE_FLAG, join(root, 'usr/lib/gatewarden/code/main.js')],
    compressed: layers.reduce((sum, { size }) => sum + size, 0),
  };
}

/** `gatewarden run` with files. */
async function measureInstance(title: string, command: Command): Promise<void> {
  const instance = join(folder, 'instance');
  mkdirSync(join(instance, 'config/routes'), { recursive: true });
  writeFileSync(join(instance, 'config/config.json'), JSON.stringify({ handler: { type: 'Router' } }));
  for (let at = 0; at < ROUTES; at++) {
    writeFileSync(join(instance, `config/routes/r${at}.json`), JSON.stringify({ name: `r${at}`, ...benchRoute(at) }));
  }
  const words = ['run', instance, '--host', '127.0.0.1', '--port', '0', '--admin', '127.0.0.1:0', '--units', '1'];
  const starts: StartUp[] = [];
  for (let i = 0; i < runs; i++) {
    const begun = performance.now();
    const gateway = new LoggingProcess(words, env, command);
    const { admin } = await gateway.line(({ msg }) => msg === 'listening');
    starts.push(await startUp(gateway, (admin as { port: number }).port, begun));
    await gateway.stop();
  }
  noteStarts(`\`run\` with ${ROUTES} routes, one unit, from ${title}`, starts, '');
}

/** `gatewarden dataplane` with a controller that runs already, and that controller. */
async function measureDeployed(title: string, command: Command): Promise<void> {
  const server = await ApiServer.start();
  try {
    await measureIn(server.access, title, command);
  } finally {
    await server.stop();
  }
}

async function measureIn(access: ClusterAccess, title: string, command: Command): Promise<void> {
  const deployed = await DeployedGateway.prepare({ access, namespaces: [NAMESPACE] });
  try {
    await deployed.kubectl(['create', 'namespace', NAMESPACE]);
    const client = new RoutesClient(access, NAMESPACE);
    for (let at = 0; at < ROUTES; at++) await client.create(`r${at}`, benchRoute(at));
    const controller = await deployed.startController([], { command, env });
    const starts: StartUp[] = [];
    for (let i = 0; i < runs; i++) {
      const name = await deployed.makePod();
      const begun = performance.now();
      const plane = await deployed.startWaitingPlane({ name, command, env });
      starts.push(await startUp(plane.process, plane.adminPort, begun));
      await plane.process.stop();
    }
    noteStarts(`plane with ${ROUTES} routes, one unit, controller up, from ${title}`, starts, '≤ 400 ms, ≤ 60 MB');
    const { resident, own } = memoryOf(controller.process.pid);
    note(
      `controller with ${ROUTES} routes, idle, from ${title}`,
      `${resident.toFixed(0)} MB resident, ${own.toFixed(0)} MB of it its own`,
      '≤ 120 MB',
    );
  } finally {
    await deployed.stop();
  }
}

function noteStarts(figure: string, starts: readonly StartUp[], goal: string): void {
  const median = (read: (start: StartUp) => number): string => {
    const sorted = starts.map(read).sort((a, b) => a - b);
    return (sorted[sorted.length >> 1] ?? Number.NaN).toFixed(0);
  };
  const fastest = Math.min(...starts.map(({ ready }) => ready)).toFixed(0);
  note(
    figure,
    `ready in ${median(({ ready }) => ready)} ms (fastest ${fastest}), ` +
      `${median(({ processor }) => processor)} ms of processor time by then; idle ` +
      `${median(({ memory }) => memory.resident)} MB resident, ${median(({ memory }) => memory.own)} MB of it its own`,
    goal,
  );
}
