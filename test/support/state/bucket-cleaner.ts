import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { BucketTable } from '../../../dataplane/throttling/bucket-table.ts';
import { cleanAll } from './held-buckets.ts';

/** What a thread that runs this file cleans, once; it says so when it is done. */
export interface CleaningOrder {
  readonly memory: SharedArrayBuffer;
  readonly maximum: number;
  /** What time it is, in nanoseconds. */
  readonly time: number;
  /** How far the two of them are: its first word is one of `STEP`. */
  readonly step: SharedArrayBuffer;
}

/** The thread has the table, it may begin to clean, it has begun. */
export const STEP = { ready: 1, go: 2, begun: 3 } as const;

if (!isMainThread && parentPort !== null) {
  const { memory, maximum, time, step } = workerData as CleaningOrder;
  const steps = new Int32Array(step);
  const now = (): number => {
    Atomics.store(steps, 0, STEP.begun);
    return time;
  };
  const table = new BucketTable(memory, maximum, () => ({ turn: now, now }));
  Atomics.store(steps, 0, STEP.ready);
  Atomics.wait(steps, 0, STEP.ready);
  cleanAll(table);
  parentPort.postMessage('done');
}
