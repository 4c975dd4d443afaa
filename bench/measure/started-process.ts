import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { outFolder } from '../paths.ts';

const running = new Set<number>();

/** Nothing the bench started outlives it, however it ends. */
export function stopEverythingAtExit(): void {
  process.on('exit', () => {
    for (const pid of running) signal(pid, 'SIGKILL');
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => process.exit(130));
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name); // each one leads a group of its own, workers included
  } catch {
    running.delete(pid);
  }
}

/** Raises the limit on open files as far as allowed, then becomes the command itself, so that its pid is the child's. */
const launcher = 'ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -Hn)"; exec "$@"';

/** Starts a command pinned to one core; what it writes to standard error is kept in bench/out/logs. */
export function startPinned(
  name: string,
  core: number,
  command: readonly string[],
  env: Record<string, string> = {},
): ChildProcess & { pid: number } {
  const log = openSync(join(outFolder('logs'), `${name}.log`), 'a');
  const child = spawn('sh', ['-c', launcher, 'sh', 'taskset', '-c', String(core), ...command], {
    detached: true,
    stdio: ['pipe', 'pipe', log],
    env: { ...process.env, ...env },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`cannot start ${command.join(' ')}`);
  running.add(pid);
  child.once('exit', () => running.delete(pid));
  return child as ChildProcess & { pid: number };
}

/** Asks the process to end and makes it end when it does not. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const { pid } = child;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  signal(pid, 'SIGTERM');
  const impatience = setTimeout(() => signal(pid, 'SIGKILL'), 2000);
  await ended;
  clearTimeout(impatience);
}
