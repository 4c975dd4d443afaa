import { expect, it } from 'vitest';
import { lock, unlock } from '../../../dataplane/heap/shared-lock.ts';
import { BucketMemory, HEADER, WORD } from '../../../dataplane/throttling/bucket-memory.ts';
import { bucketRate } from '../../../dataplane/throttling/bucket-rate.ts';
import { unsoundness } from '../../support/state/bucket-soundness.ts';
import { heldBuckets } from '../../support/state/held-buckets.ts';

it('has one holder at a time and can be taken again after release', () => {
  const words = new Int32Array(new SharedArrayBuffer(8));
  const held = lock(words, 1);
  expect(Atomics.load(words, 1) & 1).toBe(1);
  unlock(words, 1, held);
  expect(lock(words, 1)).not.toBe(held);
});

it('keeps working when its counter overflows', () => {
  const words = new Int32Array(new SharedArrayBuffer(4));
  for (const before of [2 ** 31 - 2, -2]) {
    words[0] = before;
    unlock(words, 0, lock(words, 0));
    expect(words[0] & 1).toBe(0);
    expect(words[0]).not.toBe(before);
  }
});

it('is taken over from a dead holder, whose late release has no effect', () => {
  const words = new Int32Array(new SharedArrayBuffer(4));
  const gone = lock(words, 0);
  const held = lock(words, 0);
  unlock(words, 0, gone);
  expect(words[0]).toBe(held);
});

it('does not block a table after a thread died while holding the lock', () => {
  const buckets = heldBuckets(5);
  const rate = bucketRate({ numberOfRequests: 2, nanoseconds: 1_000_000_000n });
  buckets.table.take('a', rate);
  const { header, words } = new BucketMemory(buckets.memory, 5);
  lock(words, WORD.lock);
  expect([buckets.table.take('a', rate), buckets.table.take('a', rate)]).toEqual([0, 5e8]);
  lock(header, HEADER.lock);
  expect(buckets.table.take('b', rate)).toBe(0);
  expect(unsoundness(buckets.memory, 5)).toEqual([]);
});
