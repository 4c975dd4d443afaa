import { mkdirSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPinned, stop } from './measure/started-process.ts';
import { outFolder } from './paths.ts';

/** Where a proxy listens, what it forwards to, where its access log goes, and a folder of its own for configuration. */
export type Place = { listen: number; backend: number; accessLog: string; folder: string };

/** Seconds until Node.js has compiled what is hot: that alone takes two of a core, and it has one for everything. */
export const justInTimeWarmup = 8;

/** One proxy under test. All processes and threads of the command count as its cost. */
export type Peer = {
  name: string;
  title: string;
  /** `subject` is ours, `native` run every workload, `node` and `info` the main one, the others their own. */
  role: 'subject' | 'native' | 'node' | 'info' | 'configured' | 'compared';
  /** Seconds until its code is compiled and its pools are filled. */
  warmup: number;
  /** Programs that must be installed first; `npm` stands for the packages in bench/peers. */
  needs: readonly string[];
  version(): string;
  /** Writes what configuration it needs into the folder and returns the command. */
  command(place: Place): string[];
};

export type RunningPeer = { pid: number; port: number; stop(): Promise<void> };

/** A port that was free a moment ago, for programs that cannot be told to choose one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Starts a fresh process of the peer and waits until it accepts connections. */
export async function startPeer(
  peer: Peer,
  core: number,
  backend: number,
  log?: { accessLog: string },
): Promise<RunningPeer> {
  const folder = join(outFolder('run'), peer.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const listen = await freePort();
  const accessLog = log?.accessLog ?? join(folder, 'access.log');
  const child = startPinned(peer.name, core, peer.command({ listen, backend, accessLog, folder }));
  child.stdout!.resume();
  const deadline = Date.now() + 60_000; // ten thousand routes take their time
  while (!(await accepts(listen))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop(child);
      throw new Error(`${peer.name} does not listen; see bench/out/logs/${peer.name}.log`);
    }
    await sleep(20);
  }
  return {
    pid: child.pid,
    port: listen,
    async stop() {
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
