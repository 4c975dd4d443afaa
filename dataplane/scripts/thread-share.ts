import type { BytePool } from './script-budget.ts';

/** Milliseconds that the scripts of one tenant run before others do. */
const MOST_HELD = 50;

/** Runs that are shorter do not count: a hundred of them fit into the share. */
const SHORTEST = 0.5;

/** Waits until the unit has answered others. */
export function othersRan(): Promise<void> {
  // The engine decides about requests in an immediate that is queued after ours; the second one is behind it.
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** Time that the scripts of one tenant held the thread since others could run. One turn of a unit has many requests. */
export class ThreadShare {
  #held = 0;
  #isResting = false;
  readonly #waiting: (() => void)[] = [];

  get isUsedUp(): boolean {
    return this.#held >= MOST_HELD;
  }

  /** A script ran for so long. */
  add(milliseconds: number): void {
    if (milliseconds < SHORTEST) return;
    this.#held += milliseconds;
    if (this.#isResting) return;
    this.#isResting = true;
    void othersRan().then(() => this.#goOn());
  }

  /** Begins a run once others have run. */
  later<T>(begin: () => Promise<T>): Promise<T> {
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(begin()));
    });
  }

  #goOn(): void {
    this.#held = 0;
    this.#isResting = false;
    while (!this.isUsedUp && this.#waiting.length > 0) this.#waiting.shift()!();
  }
}

const shares = new WeakMap<BytePool, ThreadShare>();

/** The share of a tenant in this thread, by the memory of its runs. */
export function shareOf(pool: BytePool): ThreadShare {
  const known = shares.get(pool) ?? new ThreadShare();
  shares.set(pool, known);
  return known;
}
