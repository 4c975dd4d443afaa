import { describe, expect, it } from 'vitest';
import type { Rate } from '../../../dataplane/heap/objects/throttling.ts';
import { BucketMemory } from '../../../dataplane/throttling/bucket-memory.ts';
import { bucketRate } from '../../../dataplane/throttling/bucket-rate.ts';
import { FULL } from '../../../dataplane/throttling/bucket-table.ts';
import { randomNumbers } from '../../support/clients/random.ts';
import { unsoundness } from '../../support/state/bucket-soundness.ts';
import { heldBuckets } from '../../support/state/held-buckets.ts';
import { PlainBucket } from '../../support/state/plain-bucket.ts';

const MS = 1e6;
const SECOND = 1e9;
const rate = (numberOfRequests: number, milliseconds: number): Rate => ({
  numberOfRequests,
  nanoseconds: BigInt(milliseconds) * 1_000_000n,
});

/** At a time in milliseconds a request of a key comes: `ok`, or the milliseconds it has to wait. */
type Step = readonly [at: number, key: string, rate: Rate, outcome: 'ok' | number];

const times = (count: number, step: Step): Step[] => Array.from({ length: count }, () => step);

// the cases of OpenIG's own tests, told anew
const cases: readonly (readonly [string, readonly Step[]])[] = [
  [
    '5/1s for foo, 6/1s for bar',
    [
      ...times(5, [0, 'foo', rate(5, 1000), 'ok']),
      ...times(5, [0, 'bar', rate(6, 1000), 'ok']),
      [170, 'foo', rate(5, 1000), 30],
      [170, 'bar', rate(6, 1000), 'ok'],
      [470, 'foo', rate(5, 1000), 'ok'],
      [470, 'bar', rate(6, 1000), 'ok'],
    ],
  ],
  [
    '1/1s',
    [
      [0, 'a', rate(1, 1000), 'ok'],
      [0, 'a', rate(1, 1000), 1000],
      [50, 'a', rate(1, 1000), 950],
      [1000, 'a', rate(1, 1000), 'ok'],
    ],
  ],
  [
    '1/3s, two keys',
    [
      [0, 'bar-00', rate(1, 3000), 'ok'],
      [0, 'bar-00', rate(1, 3000), 3000],
      [0, 'bar-01', rate(1, 3000), 'ok'],
    ],
  ],
  [
    'another rate is another bucket',
    [
      [0, 'a', rate(1, 3000), 'ok'],
      [0, 'a', rate(1, 10_000), 'ok'],
      [3000, 'a', rate(1, 10_000), 7000],
      [3000, 'a', rate(1, 3000), 'ok'],
    ],
  ],
  [
    'equal rates are one',
    [
      [0, 'a', { numberOfRequests: 1, nanoseconds: 1_000_000_000n }, 'ok'],
      [0, 'a', rate(1, 1000), 1000],
    ],
  ],
  [
    'a token comes at its time, whenever the one before was taken',
    [
      ...times(2, [0, 'a', rate(2, 1000), 'ok']),
      [700, 'a', rate(2, 1000), 'ok'],
      [700, 'a', rate(2, 1000), 300],
      [1000, 'a', rate(2, 1000), 'ok'],
      [1000, 'a', rate(2, 1000), 500],
    ],
  ],
  [
    '2/3s, at the times at which OpenIG was observed',
    [
      ...times(2, [0, 'a', rate(2, 3000), 'ok']),
      [0, 'a', rate(2, 3000), 1500],
      [1600, 'a', rate(2, 3000), 'ok'],
      [1600, 'a', rate(2, 3000), 1400],
      ...times(2, [4800, 'a', rate(2, 3000), 'ok']),
      [4800, 'a', rate(2, 3000), 1500],
    ],
  ],
  [
    'no fuller than full after a part of the duration',
    [[0, 'a', rate(3, 900), 'ok'], ...times(3, [800, 'a', rate(3, 900), 'ok']), [800, 'a', rate(3, 900), 100]],
  ],
  [
    'full again after a whole duration, and no fuller',
    [
      ...times(3, [0, 'a', rate(3, 1000), 'ok']),
      ...times(3, [1000, 'a', rate(3, 1000), 'ok']),
      [1000, 'a', rate(3, 1000), 333.333334],
      ...times(3, [90_000, 'a', rate(3, 1000), 'ok']),
      [90_000, 'a', rate(3, 1000), 333.333334],
    ],
  ],
  [
    'a clock that another thread is ahead of',
    [
      [10, 'a', rate(1, 1000), 'ok'],
      [9, 'a', rate(1, 1000), 1000],
      [1009, 'a', rate(1, 1000), 1],
      [1010, 'a', rate(1, 1000), 'ok'],
    ],
  ],
];

it.each(cases)('a bucket works as defined: %s', (_case, steps) => {
  const buckets = heldBuckets(10);
  const outcomes = steps.map(([at, key, of]) => {
    buckets.time = at * MS;
    return buckets.table.take(key, bucketRate(of)) / MS;
  });
  expect(outcomes).toEqual(steps.map(([, , , outcome]) => (outcome === 'ok' ? 0 : outcome)));
});

it.each([1, 2, 3, 4, 5, 6])(
  'behaves like plain token buckets for any caller and any time of cleaning: seed %i',
  (seed) => {
    const random = randomNumbers(seed);
    const buckets = heldBuckets(500);
    const tables = [buckets.table, buckets.another(), buckets.another()];
    const rates = [rate(1, 1), rate(5, 1000), rate(7, 1000), rate(1000, 60_000), rate(3, 250), rate(2_000_000, 1)];
    const plain = new Map<string, PlainBucket>();
    const differing: unknown[] = [];
    for (let step = 0; step < 20_000; step++) {
      buckets.time += random(3) === 0 ? 0 : random([10, 1000, 50 * MS, 700 * MS][random(4)]!);
      if (random(500) === 0) buckets.time += random(90) * SECOND;
      if (random(100) === 0) buckets.clean();
      const key = `k${random(random(2) === 0 ? 5 : 400)}`;
      const asked = rates[(key.length + (random(20) === 0 ? 1 : 0)) % rates.length]!;
      const now = BigInt(buckets.time);
      if (plain.get(key)?.isOf(asked) !== true) plain.set(key, new PlainBucket(asked, now));
      const expected = plain.get(key)!.take(now);
      const found = tables[random(3)]!.take(key, bucketRate(asked));
      if (found !== expected) differing.push([step, key, asked, found, expected]);
    }
    expect(differing).toEqual([]);
    expect(unsoundness(buckets.memory, 500)).toEqual([]);
  },
);

describe('keys', () => {
  const once = bucketRate(rate(1, 3_600_000));

  it.each([
    ['', '\0'],
    ['a', 'A'],
    ['é', 'e\u0301'],
    ['\ud800', '\ufffd'],
    ['ÿ', 'ÿ\0'],
    ['x'.repeat(100_000), `${'x'.repeat(99_999)}y`],
    ['__proto__', 'constructor'],
  ])('that differ get separate buckets: %j', (one, other) => {
    const { table } = heldBuckets(10);
    expect([one, other, one, other].map((key) => table.take(key, once) === 0)).toEqual([true, true, false, false]);
    expect(table.partitions).toBe(2);
  });

  it('with equal text share one bucket, also across users of the same memory', () => {
    const { table, another } = heldBuckets(10);
    const whole = `${'0123456789'.repeat(10)}user-of-this-name`;
    expect(table.take(whole.slice(100), once)).toBe(0);
    expect(table.take(['user-of', 'this-name'].join('-'), once)).toBeGreaterThan(0);
    expect(another().take('user-of-this-name', once)).toBeGreaterThan(0);
  });

  it('keep separate buckets when there are more keys than a unit caches', () => {
    const count = 200_000;
    const { table, memory } = heldBuckets(count);
    const outcomes = new Set<number>();
    for (let i = 0; i < count; i++) outcomes.add(table.take(`key ${i}`, once));
    expect([...outcomes]).toEqual([0]);
    for (let i = 0; i < count; i += 7) outcomes.add(table.take(`key ${i}`, once));
    expect(outcomes.size).toBe(2);
    expect(table.partitions).toBe(count);
    expect(unsoundness(memory, count)).toEqual([]);
  });
});

describe('a table that is full', () => {
  const hour = bucketRate(rate(2, 3_600_000));

  it('rejects new keys and keeps serving existing ones', () => {
    const { table, memory } = heldBuckets(3);
    expect(['a', 'b', 'c', 'd', 'e'].map((key) => table.take(key, hour))).toEqual([0, 0, 0, FULL, FULL]);
    expect(['a', 'b', 'c', 'd', 'a'].map((key) => table.take(key, hour) === 0)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(table.partitions).toBe(3);
    expect(unsoundness(memory, 3)).toEqual([]);
  });

  it('has room again after removals, and reports only once that it was full', () => {
    const buckets = heldBuckets(3);
    const { table } = buckets;
    const second = bucketRate(rate(1, 1000));
    expect(['a', 'b'].map((key) => table.take(key, second))).toEqual([0, 0]);
    expect(table.take('c', hour)).toBe(0);
    expect([table.take('d', second), table.tellsFull(), buckets.another().tellsFull()]).toEqual([FULL, true, false]);
    buckets.time = 3 * SECOND;
    buckets.clean();
    expect(table.partitions).toBe(1);
    expect(['d', 'a', 'c', 'b'].map((key) => table.take(key, second))).toEqual([0, 0, 0, FULL]);
    expect(table.tellsFull()).toBe(true);
    expect(unsoundness(buckets.memory, 3)).toEqual([]);
  });
});

describe('cleaning', () => {
  it('removes only buckets that have been full again for a while', () => {
    const buckets = heldBuckets(10);
    const { table } = buckets;
    const [short, long] = [bucketRate(rate(5, 1000)), bucketRate(rate(5, 100_000))];
    for (const key of ['a', 'b', 'c']) table.take(key, short);
    table.take('d', long);
    buckets.time = 1.5 * SECOND;
    buckets.clean();
    expect(table.partitions).toBe(4);
    table.take('a', short);
    buckets.time = 2.5 * SECOND;
    buckets.clean();
    expect(table.partitions).toBe(2);
    buckets.time = 200 * SECOND;
    buckets.clean();
    expect(table.partitions).toBe(0);
    expect(unsoundness(buckets.memory, 10)).toEqual([]);
  });

  it('reuses a bucket for another key, and a stale reference to it has no effect', () => {
    const buckets = heldBuckets(1);
    const other = buckets.another();
    const once = bucketRate(rate(1, 1000));
    expect([buckets.table.take('a', once), other.take('a', once)]).toEqual([0, SECOND]);
    buckets.time = 3 * SECOND;
    buckets.clean();
    expect(other.take('b', once)).toBe(0);
    expect([buckets.table.take('a', once), buckets.table.take('b', once)]).toEqual([FULL, SECOND]);
  });

  it('runs in one thread at a time', () => {
    const buckets = heldBuckets(1);
    const other = buckets.another();
    expect([buckets.table.beginsCleaning(SECOND), other.beginsCleaning(SECOND)]).toEqual([true, false]);
    buckets.time = SECOND;
    expect([other.beginsCleaning(SECOND), buckets.table.beginsCleaning(SECOND)]).toEqual([true, false]);
  });
});

it('the table needs at most 80 bytes per partition for a million partitions', () => {
  expect(BucketMemory.bytes(1_000_000)).toBeLessThanOrEqual(80_000_000);
  const count = 1_000_000;
  const { table, memory } = heldBuckets(count);
  const once = bucketRate(rate(1, 3_600_000));
  let accepted = 0;
  for (let i = 0; i < count; i++) if (table.take(`${i}`, once) === 0) accepted++;
  expect([accepted, table.partitions, table.take('one more', once)]).toEqual([count, count, FULL]);
  expect(memory.byteLength).toBe(BucketMemory.bytes(count));
});
