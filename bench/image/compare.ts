/** `npm run bench:variants`: start and idle memory of a data plane of the image, in several environments in turns. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ownArchitecture } from '../../image/architecture.ts';
import { imageContent, NODE_FLAG } from '../../image/image-content.ts';
import { programBundle } from '../../image/program-bundle.ts';
import { writeRootfs } from '../../image/write-rootfs.ts';
import { scriptOptions } from '../../platform/script-options.ts';
import { ApiServer } from '../../test/support/cluster/api-server.ts';
import { DeployedGateway } from '../../test/support/gateways/deployed-gateway.ts';
import { quantile } from '../cluster/propagation.ts';
import { RoutesClient } from '../cluster/routes-client.ts';
import { repository } from '../paths.ts';
import { benchRoute } from './bench-route.ts';
import { type StartUp, startUp } from './start-up.ts';

const USAGE = `usage: npm run bench:variants -- [OPTION…] [NAME=VALUE[,NAME=VALUE…]…]
Measures a data plane of the image as it is, and once for each word with these variables in its environment, in turns.
Two variables are for this program: ROOT=DIR takes the image from a folder that 'npm run image -- --rootfs DIR' wrote,
and FLAGS=TEXT gives Node.js these flags.
  --runs N    how often each is started (5)
  --routes N  how many routes it serves (10)
  --root DIR  the image as it is; by default it is built
  --idle N    seconds from ready until its memory is read (8)
`;
const NAMESPACE = 'bench';
const { values, words } = scriptOptions(
  USAGE,
  { runs: '5', routes: '10', root: '', idle: '8' },
  Number.POSITIVE_INFINITY,
);
const runs = Number(values.runs);
const routes = Number(values.routes);
const folder = mkdtempSync(join(tmpdir(), 'gatewarden-bench-variants-'));

type Command = readonly [string, ...string[]];

interface Variant {
  readonly title: string;
  readonly command: Command;
  readonly env: Readonly<Record<string, string>>;
  readonly starts: StartUp[];
}

process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
await measure();
process.exit(0);

async function measure(): Promise<void> {
  const own = values.root === '' ? await builtRoot() : resolve(values.root);
  const variants = ['', ...words].map((word) => variantOf(word, own));
  const server = await ApiServer.start();
  const deployed = await DeployedGateway.prepare({ access: server.access, namespaces: [NAMESPACE] });
  const client = new RoutesClient(server.access, NAMESPACE);
  try {
    await deployed.kubectl(['create', 'namespace', NAMESPACE]);
    await client.createAll(routes, (at) => [`r${at}`, benchRoute(at)]);
    await deployed.startController([], { command: commandOf(own) });
    const name = await deployed.makePod();
    for (let i = 0; i < runs * variants.length; i++) {
      const { command, env, starts } = variants[(i + Math.floor(i / variants.length)) % variants.length]!;
      const begun = performance.now();
      const { process: plane, adminPort } = await deployed.startWaitingPlane({ name, env, command });
      starts.push(await startUp(plane, adminPort, begun, Number(values.idle) * 1000));
      await plane.stop();
    }
  } finally {
    await client.close();
    await deployed.stop();
    await server.stop();
  }
  for (const variant of variants) console.log(lineOf(variant));
}

async function builtRoot(): Promise<string> {
  const root = join(folder, 'root');
  writeRootfs(await imageContent(repository, await programBundle(repository), ownArchitecture()), root);
  return root;
}

function commandOf(root: string, flags: readonly string[] = []): Command {
  return [join(root, 'usr/local/bin/node'), NODE_FLAG, ...flags, join(root, 'usr/lib/gatewarden/code/main.js')];
}

function variantOf(word: string, own: string): Variant {
  const variables = word === '' ? [] : word.split(',').map((one) => one.split(/=(.*)/s, 2) as [string, string]);
  const { ROOT, FLAGS = '', ...env } = Object.fromEntries(variables);
  const command = commandOf(ROOT === undefined ? own : resolve(ROOT), FLAGS.split(' ').filter(Boolean));
  return { title: word === '' ? 'as it is' : word, command, env, starts: [] };
}

function lineOf({ title, starts }: Variant): string {
  const median = (read: (start: StartUp) => number): string => quantile(starts.map(read), 0.5).toFixed(1);
  const fastest = Math.min(...starts.map(({ ready }) => ready)).toFixed(0);
  return (
    `${title}: ready in ${median(({ ready }) => ready)} ms (fastest ${fastest}), ` +
    `processor ${median(({ processor }) => processor)} ms; ${median(({ memory }) => memory.resident)} MB resident, ` +
    `${median(({ memory }) => memory.own)} MB own, ${median(({ memory }) => memory.proportional)} MB proportional`
  );
}
