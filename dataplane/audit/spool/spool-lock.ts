import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '../../../platform/error-code.ts';

/** A process, so that a later one with the same number is not taken for it. */
interface Owner {
  readonly host: string;
  readonly pid: number;
  /** When the process started, as the kernel counts it; empty where the kernel does not say. */
  readonly started: string;
  /** Tells owners within one process apart. */
  readonly token: string;
}

/** How often an owner on another machine must show that it lives, and when it is taken for dead, in milliseconds. */
const BEAT = 10_000;
const DEAD_AFTER = 60_000;

/** Locks of this thread: that of a writer thread that died in the same process is nobody's. */
const held = new Set<string>();

/** Somebody else uses the directory. */
export class SpoolTaken extends Error {
  constructor(path: string, owner: Owner) {
    super(
      `the spool is in use by process ${owner.pid} on ${owner.host}: give each handler and data plane a directory of its own (lock: ${path})`,
    );
    this.name = 'SpoolTaken';
  }
}

/**
 * Ownership of a spool directory. A process that is gone leaves its lock behind, and the next one takes it over: on the
 * same host when the process does not run any more, otherwise when the lock has not been touched for a minute.
 */
export class SpoolLock {
  private readonly path: string;
  private readonly token: string;
  private readonly beat: NodeJS.Timeout;

  /** @throws SpoolTaken, or an error of the file system */
  constructor(path: string) {
    this.path = path;
    this.token = `${process.pid}-${Math.random().toString(36).slice(2)}`;
    const own: Owner = { host: hostname(), pid: process.pid, started: startOf(process.pid), token: this.token };
    try {
      writeFileSync(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      const found = readOwner(path);
      if (found !== null && isAlive(found, path)) throw new SpoolTaken(path, found);
      rmSync(path, { force: true });
      writeFileSync(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
    }
    held.add(this.token);
    this.beat = setInterval(() => this.touch(), BEAT);
    this.beat.unref();
  }

  private touch(): void {
    try {
      const now = new Date();
      utimesSync(this.path, now, now);
    } catch {} // the next use of the spool meets what is wrong
  }

  release(): void {
    clearInterval(this.beat);
    held.delete(this.token);
    if (readOwner(this.path)?.token === this.token) rmSync(this.path, { force: true });
  }
}

function readOwner(path: string): Owner | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner;
  } catch {
    return null; // cut short by a kill
  }
}

function isAlive({ host, pid, started, token }: Owner, path: string): boolean {
  if (host !== hostname()) return Date.now() - statSync(path).mtimeMs < DEAD_AFTER;
  if (pid === process.pid && started === startOf(pid)) return held.has(token);
  const now = startOf(pid);
  return now !== '' && now === started;
}

/** Clock ticks between the boot of the machine and the start of a process. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
