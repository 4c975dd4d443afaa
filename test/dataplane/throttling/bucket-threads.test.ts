import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { lock, unlock } from '../../../dataplane/heap/shared-lock.ts';
import { BucketMemory, HEADER, WORD } from '../../../dataplane/throttling/bucket-memory.ts';
import { bucketRate } from '../../../dataplane/throttling/bucket-rate.ts';
import { BucketTable } from '../../../dataplane/throttling/bucket-table.ts';
import { nextTurn, untilTrue } from '../../support/clients/event-loop.ts';
import { type CleaningOrder, STEP } from '../../support/state/bucket-cleaner.ts';
import { unsoundness } from '../../support/state/bucket-soundness.ts';
import type { BucketOrder } from '../../support/state/bucket-user.ts';
import { heldBuckets } from '../../support/state/held-buckets.ts';

const THREADS = 3;

type Order = Pick<BucketOrder, 'maximum' | 'requests' | 'keys' | 'numberOfRequests' | 'milliseconds' | 'cleans'>;

/** What passed in each of several threads that use one table at the same time, by key. */
async function hammer(order: Order): Promise<{ passed: number[][]; memory: SharedArrayBuffer; time: number }> {
  const memory = new SharedArrayBuffer(BucketMemory.bytes(order.maximum));
  const time = new SharedArrayBuffer(12);
  new Int32Array(time)[2] = THREADS;
  const workers = Array.from({ length: THREADS }, (_, seed) => {
    const workerData: BucketOrder = { ...order, memory, time, seed };
    return new Worker(new URL('../../support/state/bucket-user.ts', import.meta.url), { workerData });
  });
  onTestFinished(async () => {
    for (const worker of workers) await worker.terminate();
  });
  const passed = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0] as number[]));
  return { passed, memory, time: new Int32Array(time)[0]! };
}

const sums = (passed: readonly (readonly number[])[], keys: number): number[] =>
  Array.from({ length: keys }, (_, key) => passed.reduce((sum, counts) => sum + counts[key]!, 0));

it.each([
  { keys: 1, numberOfRequests: 50_000, requests: 60_000 },
  { keys: 8, numberOfRequests: 10_000, requests: 60_000 },
  { keys: 2000, numberOfRequests: 7, requests: 60_000 },
])('several threads together pass no more requests than the rate allows: %j', async (numbers) => {
  const { passed, memory } = await hammer({ ...numbers, maximum: 2000, milliseconds: 3_600_000, cleans: false });
  const { keys, numberOfRequests } = numbers;
  expect(new Set(sums(passed, keys))).toEqual(new Set([numberOfRequests]));
  expect(passed.every((counts) => counts.some((count) => count > 0))).toBe(true);
  expect(unsoundness(memory, 2000)).toEqual([]);
});

it('buckets that are removed and used concurrently stay consistent and do not exceed their rate', async () => {
  const keys = 300;
  const [numberOfRequests, milliseconds] = [5, 1000];
  const order = { keys, requests: 60_000, numberOfRequests, milliseconds, maximum: 200, cleans: true };
  const { passed, memory, time } = await hammer(order);
  expect(unsoundness(memory, 200)).toEqual([]);
  const most = numberOfRequests * (2 + time / milliseconds);
  for (const sum of sums(passed, keys)) {
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThanOrEqual(most);
  }
});

it('a thread terminated at any point does not block buckets for other threads', async () => {
  const memory = new SharedArrayBuffer(BucketMemory.bytes(1));
  const { words } = new BucketMemory(memory, 1);
  const numbers = { maximum: 1, keys: 1, numberOfRequests: 1e9, milliseconds: 3_600_000, cleans: false };
  const rate = bucketRate({ numberOfRequests: 1e9, nanoseconds: 3_600_000_000_000n });
  const table = new BucketTable(memory, 1, () => ({ turn: () => 0, now: () => 0 }));
  for (let round = 0; round < 5; round++) {
    const before = Atomics.load(words, WORD.lock);
    const order = { ...numbers, memory, time: new SharedArrayBuffer(12), seed: round, requests: 2 ** 31 };
    const worker = new Worker(new URL('../../support/state/bucket-user.ts', import.meta.url), { workerData: order });
    onTestFinished(async () => void (await worker.terminate()));
    await untilTrue(() => Atomics.load(words, WORD.lock) - before > 1000 * round);
    await worker.terminate();
    expect(table.take('key 0', rate)).toBe(0);
    expect(Atomics.load(words, WORD.lock) & 1).toBe(0);
  }
  expect(unsoundness(memory, 1)).toEqual([]);
});

it('a bucket that is used again just before its removal is kept', async () => {
  const buckets = heldBuckets(5);
  const rate = bucketRate({ numberOfRequests: 2, nanoseconds: 1_000_000_000n });
  buckets.table.take('a', rate);
  buckets.time = 10e9;
  const { header } = new BucketMemory(buckets.memory, 5);
  const step = new SharedArrayBuffer(4);
  const steps = new Int32Array(step);
  const workerData: CleaningOrder = { memory: buckets.memory, maximum: 5, time: buckets.time, step };
  const worker = new Worker(new URL('../../support/state/bucket-cleaner.ts', import.meta.url), { workerData });
  onTestFinished(async () => void (await worker.terminate()));
  const done = once(worker, 'message');
  await untilTrue(() => Atomics.load(steps, 0) === STEP.ready);
  const held = lock(header, HEADER.lock); // it gets as far as finding the bucket idle
  Atomics.store(steps, 0, STEP.go);
  Atomics.notify(steps, 0);
  await untilTrue(() => Atomics.load(steps, 0) === STEP.begun);
  for (let turn = 0; turn < 50; turn++) await nextTurn();
  const first = buckets.table.take('a', rate);
  unlock(header, HEADER.lock, held);
  await done;
  expect([first, buckets.table.take('a', rate), buckets.table.take('a', rate)]).toEqual([0, 0, 5e8]);
  expect(buckets.table.partitions).toBe(1);
});
