import type { BudgetLimits, BytePool, Excess } from '../script-budget.ts';

/** Milliseconds of a stretch whose processor time does not matter yet. */
const SHORTEST = 1;

/** Processor time of one run of a script, between two waits and altogether. */
export class RunBudget {
  /** Once exceeded, the run goes no further. */
  exceeded: Excess | null = null;
  readonly #most: number;
  readonly #stretch: number;
  /** Milliseconds of the last stretch. */
  stretch = 0;
  #spent = 0;
  /** Time since others could run. */
  #unbroken = 0;
  /** Bytes by which the memory may still grow for this run. */
  #room: number;
  /** Bytes of the run outside of QuickJS, such as content that is being sent. */
  #held = 0;
  readonly #mostHeld: number;
  readonly #pool: BytePool | null;
  #since = 0;
  /** Processor time of this thread at the first look at the clock, in microseconds. */
  #processor: number | null = null;

  constructor({ milliseconds, stretch, bytes, pool }: BudgetLimits) {
    this.#room = bytes;
    this.#mostHeld = bytes;
    this.#pool = pool ?? null;
    this.#most = milliseconds;
    this.#stretch = Math.min(stretch ?? milliseconds, milliseconds);
  }

  /** Begins to count. A run of many short parts may never look at the clock, so its time is looked at here. */
  resume(): void {
    this.#since = performance.now();
    this.#processor = this.#spent > this.#most / 4 ? processorNow() : null;
    if (this.#spent > this.#most) this.exceeded ??= 'time';
  }

  pause(): void {
    const used = this.#used(performance.now() - this.#since);
    this.stretch = used;
    this.#spent += used;
    this.#unbroken += used;
  }

  /** True if others should run before this run goes on. */
  get isTiring(): boolean {
    return this.#unbroken > this.#stretch / 10;
  }

  rested(): void {
    this.#unbroken = 0;
  }

  /** Ends the run from outside: it fails as soon as it runs on. */
  expire(limit: Excess): void {
    this.exceeded ??= limit;
  }

  /** The memory of the scripts is used up and would grow. @returns false if the run has taken too much */
  grow(bytes: number): boolean {
    if (bytes <= this.#room) {
      this.#room -= bytes;
      return true;
    }
    this.exceeded ??= 'memory';
    return false;
  }

  /** The gateway keeps bytes for the run until it ends. */
  hold(bytes: number): void {
    const pool = this.#pool;
    this.#held += bytes;
    if (pool !== null) pool.used += bytes;
    if (this.#held > this.#mostHeld || (pool !== null && pool.used > pool.limit)) this.exceeded ??= 'memory';
  }

  release(): void {
    if (this.#pool !== null) this.#pool.used -= this.#held;
    this.#held = 0;
  }

  /** Looks at the clock. @param grace milliseconds beyond the limit that are not an excess yet */
  isOver(grace: number): boolean {
    const running = performance.now() - this.#since;
    // Asking for the time of the processor takes longer than many runs.
    if (running < SHORTEST && this.#processor === null && this.#isWithin(running, grace))
      return this.exceeded !== null && grace === 0;
    const isFirst = this.#processor === null;
    if (isFirst) this.#processor = processorNow();
    if (this.exceeded !== null && grace === 0) return true;
    if (this.#isWithin(running, grace)) return false;
    // On a busy machine other programs run meanwhile: only the time of the processor is the script's own.
    if (isFirst || this.#isWithin(this.#used(running), grace)) return false;
    this.exceeded ??= 'time';
    return true;
  }

  #isWithin(running: number, grace: number): boolean {
    return running <= this.#stretch + grace && this.#spent + running <= this.#most + grace;
  }

  #used(running: number): number {
    return this.#processor === null ? running : Math.min(running, (processorNow() - this.#processor) / 1000);
  }
}

function processorNow(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
