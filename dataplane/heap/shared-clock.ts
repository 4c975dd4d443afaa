/**
 * Returns a clock for times in shared memory, in milliseconds: all threads of the process read the same, whenever they
 * started, and nobody sets it. The time of day would differ between threads after the clock of the machine was set.
 */
export function sharedClock(): () => number {
  const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  return () => offset + performance.now();
}
