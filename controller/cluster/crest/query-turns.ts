import type { Clock } from '../../../platform/clock.ts';

/** Milliseconds of work after which other work of the controller gets as much time. */
const LONGEST_SPELL = 4;

/**
 * Runs queries one after the other. After a few milliseconds of queries the event loop is left alone for as long, so that
 * resources that change meanwhile reach data planes no later for it.
 */
export class QueryTurns {
  private readonly clock: Clock;
  private readonly queue: (() => void)[] = [];
  /** Milliseconds of queries since the last rest, and the end of the last query. */
  private spent = 0;
  private endedAt = Number.NEGATIVE_INFINITY;
  private isResting = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  run<T>(query: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.queue.push(() => {
      try {
        resolve(query());
      } catch (error) {
        reject(error);
      }
    });
    if (!this.isResting) this.next();
    return promise;
  }

  private next(): void {
    if (this.clock.steady() - this.endedAt >= this.spent) this.spent = 0;
    for (let one = this.queue.shift(); one !== undefined; one = this.queue.shift()) {
      const began = this.clock.steady();
      one();
      this.endedAt = this.clock.steady();
      this.spent += this.endedAt - began;
      if (this.spent < LONGEST_SPELL) continue;
      this.rest();
      return;
    }
  }

  private rest(): void {
    this.isResting = true;
    this.clock.after(this.spent, () => {
      this.isResting = false;
      this.spent = 0;
      this.next();
    });
  }
}
