import { createInterface } from 'node:readline';
import type { LoadResult } from '../measure/load-process.ts';

/** Something that makes load of a kind that the C program does not know, with a backend of its own. */
export type Driver = {
  /** Starts the backend. @returns its port. */
  start(): Promise<number>;
  /** Asks the proxy on this port for a while, so that its code is compiled and its pools are filled. */
  warm(port: number): Promise<void>;
  run(port: number): Promise<LoadResult>;
  stop(): void;
};

/** Speaks with the bench as `load/load.c` does: `backend PORT`, then `proxy PORT`, `warm`, `go` and the result. */
export async function drive(driver: Driver): Promise<void> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const hear = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the bench is gone');
    return value;
  };
  process.once('SIGTERM', () => {
    driver.stop();
    process.exit(0);
  });
  console.log(`backend ${await driver.start()}`);
  const port = Number((await hear()).replace('proxy ', ''));
  await driver.warm(port);
  console.log('warm');
  await hear();
  console.log(JSON.stringify(await driver.run(port)));
  await hear().catch(() => {});
  driver.stop();
}

/** What the bench wants to know of latencies, in microseconds. */
export function latencies(micros: readonly number[]): Pick<LoadResult, 'p50' | 'p99' | 'p999' | 'max'> {
  const sorted = Float64Array.from(micros).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) };
}
