import { clock } from '../engine/wire/clock.ts';

/** Time in whole nanoseconds since the buckets were made: one time for all threads, and none that anybody can set. */
export interface MemoryClock {
  /** When the turn began that runs now; costs nothing. */
  turn(): number;
  /** This very moment. */
  now(): number;
}

/** How often both clocks are compared; between two of the readings the thread may have to wait. */
const COMPARISONS = 5;

/** The clock of this thread, counted from a moment on the clock of the process. */
export function memoryClock(epoch: bigint): MemoryClock {
  let offset = 0;
  let closest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < COMPARISONS; i++) {
    const before = process.hrtime.bigint();
    const here = performance.now();
    const after = process.hrtime.bigint();
    const apart = Number(after - before);
    if (apart >= closest) continue;
    closest = apart;
    offset = Number(before - epoch) + apart / 2 - here * 1e6;
  }
  return {
    turn: () => Math.round(clock.now * 1e6 + offset),
    now: () => Math.round(performance.now() * 1e6 + offset),
  };
}
