import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { bucketRate } from '../../../dataplane/throttling/bucket-rate.ts';
import { BucketTable } from '../../../dataplane/throttling/bucket-table.ts';
import { randomNumbers } from '../clients/random.ts';
import { cleanAll } from './held-buckets.ts';

/** What a thread that runs this file does with a table; it answers with the requests that passed, by key. */
export interface BucketOrder {
  readonly memory: SharedArrayBuffer;
  readonly maximum: number;
  /** The time for all threads, in milliseconds, in its first word. */
  readonly time: SharedArrayBuffer;
  readonly seed: number;
  readonly requests: number;
  readonly keys: number;
  readonly numberOfRequests: number;
  readonly milliseconds: number;
  /** Whether time passes and buckets are removed, now and then. */
  readonly cleans: boolean;
}

if (!isMainThread && parentPort !== null) {
  const order = workerData as BucketOrder;
  const time = new Int32Array(order.time);
  const now = (): number => Atomics.load(time, 0) * 1e6;
  const table = new BucketTable(order.memory, order.maximum, () => ({ turn: now, now }));
  const rate = bucketRate({
    numberOfRequests: order.numberOfRequests,
    nanoseconds: BigInt(order.milliseconds) * 1_000_000n,
  });
  const random = randomNumbers(order.seed);
  const passed = new Array<number>(order.keys).fill(0);
  Atomics.add(time, 1, 1);
  while (Atomics.load(time, 1) < Atomics.load(time, 2)); // all begin together
  for (let i = 0; i < order.requests; i++) {
    const key = random(order.keys);
    if (table.take(`key ${key}`, rate) === 0) passed[key]!++;
    if (!order.cleans) continue;
    if (random(50) === 0) Atomics.add(time, 0, random(300));
    if (random(200) === 0) cleanAll(table);
  }
  parentPort.postMessage(passed);
}
