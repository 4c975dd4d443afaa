import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../../platform/error-code.ts';

/** A process, so that a later one with the same number is not taken for it. */
interface Owner {
  /** Host name and process namespace: process numbers mean something only within both. */
  readonly place: string;
  readonly pid: number;
  /** When the process started, as the kernel counts it; empty where the kernel does not say. */
  readonly started: string;
  /** Tells owners within one process apart. */
  readonly token: string;
  readonly isReleased?: boolean;
}

/** How often an owner in another place must show that it lives, and when it is taken for dead, in milliseconds. */
const BEAT = 5000;
const DEAD_AFTER = 20_000;
/** Rounds after which somebody else was always faster. */
const MOST_ROUNDS = 20;
const NAME = /^lock\.(\d+)$/;

/** Locks of this thread: that of a writer thread that died in the same process is nobody's. */
const held = new Set<string>();

/** Somebody else uses the directory. */
export class SpoolTaken extends Error {
  constructor(directory: string, owner: Owner | null) {
    const by = owner === null ? 'another process' : `process ${owner.pid} on ${owner.place}`;
    super(
      `the spool ${directory} is in use by ${by}: give each handler and data plane a directory of its own; the spool ` +
        `of a killed process on another host or in another container is free after ${DEAD_AFTER / 1000} seconds`,
    );
    this.name = 'SpoolTaken';
  }
}

/**
 * Ownership of a spool directory: the file `lock.N` with the highest number names the owner. Whoever takes over from an
 * owner that is gone makes the next number, which only one can. The highest file is never removed, so that a process
 * with an old list cannot make a number that counts.
 */
export class SpoolLock {
  private readonly directory: string;
  private readonly own: Owner;
  private readonly number: number;
  private readonly beat: NodeJS.Timeout;
  private seenAt = performance.now();

  /** @throws SpoolTaken, or an error of the file system */
  constructor(directory: string) {
    this.directory = directory;
    const token = `${process.pid}-${Math.random().toString(36).slice(2)}`;
    this.own = { place: placeOf(), pid: process.pid, started: startOf(process.pid), token };
    this.number = this.take();
    held.add(token);
    this.beat = setInterval(() => this.touch(), BEAT);
    this.beat.unref();
  }

  private take(): number {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const top = highest(this.directory);
      if (top > 0) {
        const owner = readOwner(this.path(top));
        if (isAlive(owner, this.path(top))) throw new SpoolTaken(this.directory, owner);
      }
      const number = top + 1;
      try {
        writeFileSync(this.path(number), JSON.stringify(this.own), { flag: 'wx', mode: 0o600 });
      } catch (error) {
        if (errorCode(error) === 'EEXIST') continue;
        throw error;
      }
      if (highest(this.directory) === number) {
        for (const lower of numbers(this.directory)) if (lower < number) rmSync(this.path(lower), { force: true });
        return number;
      }
      rmSync(this.path(number), { force: true }); // made from an old list: a higher one counts
    }
    throw new SpoolTaken(this.directory, null);
  }

  /** Makes sure of the ownership after a long pause of this process. @throws SpoolTaken */
  confirm(): void {
    if (performance.now() - this.seenAt < DEAD_AFTER / 2) return;
    const top = highest(this.directory);
    if (top !== this.number) throw new SpoolTaken(this.directory, top === 0 ? null : readOwner(this.path(top)));
    this.touch();
  }

  release(): void {
    clearInterval(this.beat);
    held.delete(this.own.token);
    const path = this.path(this.number);
    if (readOwner(path)?.token !== this.own.token) return;
    try {
      writeFileSync(path, JSON.stringify({ ...this.own, isReleased: true }));
    } catch {} // the next owner finds out that this process is gone
  }

  private touch(): void {
    try {
      const now = new Date();
      utimesSync(this.path(this.number), now, now);
      this.seenAt = performance.now();
    } catch {} // the next use of the spool meets what is wrong
  }

  private path(number: number): string {
    return join(this.directory, `lock.${number}`);
  }
}

function numbers(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => {
    const digits = NAME.exec(name)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
}

function highest(directory: string): number {
  return Math.max(0, ...numbers(directory));
}

function readOwner(path: string): Owner | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner;
  } catch {
    return null; // gone, or not written to the end
  }
}

function isAlive(owner: Owner | null, path: string): boolean {
  if (owner?.isReleased === true) return false;
  if (owner === null || owner.place !== placeOf()) return age(path) < DEAD_AFTER;
  const { pid, started, token } = owner;
  if (pid === process.pid && started === startOf(pid)) return held.has(token);
  const now = startOf(pid);
  return now !== '' && now === started;
}

/** Milliseconds since a lock was touched; none where it is gone, so that it is looked at again. */
function age(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function placeOf(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
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
