/** `npm run bench:cold-planes`: memory of the channel server while planes that hold nothing connect. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { scriptOptions } from '../../platform/script-options.ts';
import { publishedRoute, publishedState } from '../../test/support/channel/published-routes.ts';
import { CHANNEL_TOKEN, ServedChannel } from '../../test/support/channel/served-channel.ts';
import { route } from './propagation.ts';
import { SimulatedLink } from './simulated-link.ts';

const MEGABYTE = 1e6;
const USAGE = `usage: npm run bench:cold-planes -- [ROUTES [BYTES]]
Measures the memory of the channel server while data planes that hold nothing connect.
  ROUTES  how many routes are published (5000)
  BYTES   size of each (3000)
`;
const { words } = scriptOptions(USAGE, {}, 3); // the process of the planes gets three
const [routes = 5_000, filler = 3_000] = words.map(Number);

/** A route as people write them, with a text that brings it to its size. */
function routeOf(at: number): ReturnType<typeof publishedRoute> {
  const [name, document] = route(at, 0);
  const comment = `${at} `.repeat(Math.ceil(filler / 5)).slice(0, filler);
  return publishedRoute(name, '', { document: { ...JSON.parse(JSON.stringify(document)), comment } });
}

/** In a process of their own, so that what planes take is not counted. */
async function connectPlanes(port: number, planes: number): Promise<void> {
  const child: ChildProcess = fork(import.meta.filename, ['planes', String(port), String(planes)]);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the planes ended with ${code}`);
}

async function playPlanes(port: number, planes: number): Promise<void> {
  const links = Array.from(
    { length: planes },
    (_, at) => new SimulatedLink({ port, token: CHANNEL_TOKEN, ca: null, name: `link-${at}` }),
  );
  await Promise.all(links.map(({ current }) => current));
  for (const link of links) link.close();
}

interface Use {
  readonly rss: number;
  readonly heap: number;
  readonly buffers: number;
}

function use(): Use {
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  return { rss, heap: heapUsed, buffers: arrayBuffers };
}

function text({ rss, heap, buffers }: Use): string {
  const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(0);
  return `rss ${megabytes(rss)} MB, heap ${megabytes(heap)} MB, buffers ${megabytes(buffers)} MB`;
}

async function measure(): Promise<void> {
  const channel = await new ServedChannel({}).start();
  channel.sessions.publish(publishedState(Array.from({ length: routes }, (_, at) => routeOf(at))));
  global.gc?.();
  console.log(`${routes} routes, no plane:  ${text(use())}`);
  for (const planes of [1, 20]) {
    let most = use();
    const look = (): void => {
      const now = use();
      most = {
        rss: Math.max(most.rss, now.rss),
        heap: Math.max(most.heap, now.heap),
        buffers: Math.max(most.buffers, now.buffers),
      };
    };
    const looking = setInterval(look, 5);
    const [begun, cpu] = [performance.now(), process.cpuUsage()];
    await connectPlanes(channel.port, planes);
    clearInterval(looking);
    const { user, system } = process.cpuUsage(cpu);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const spent = ((user + system) / 1e6).toFixed(2);
    console.log(`peak with ${planes} cold:  ${text(most)}; ${seconds} s, ${spent} s of CPU`);
    global.gc?.();
    console.log(`after them:  ${text(use())}`);
  }
  console.log(`most ever: rss ${(process.resourceUsage().maxRSS / 1000).toFixed(0)} MB`);
  await channel.close();
}

if (words[0] === 'planes') await playPlanes(Number(words[1]), Number(words[2]));
else await measure();
