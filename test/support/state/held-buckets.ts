import { BucketMemory } from '../../../dataplane/throttling/bucket-memory.ts';
import { BucketTable } from '../../../dataplane/throttling/bucket-table.ts';
import type { MemoryClock } from '../../../dataplane/throttling/memory-clock.ts';

/** Buckets whose time passes when the test says so. */
export interface HeldBuckets {
  readonly memory: SharedArrayBuffer;
  readonly table: BucketTable;
  /** Nanoseconds. */
  time: number;
  /** Another user of the same memory, at the same time. */
  another(): BucketTable;
  /** Removes what is full again. */
  clean(): void;
}

export function heldBuckets(maximum: number): HeldBuckets {
  const memory = new SharedArrayBuffer(BucketMemory.bytes(maximum));
  const clock: MemoryClock = { turn: () => buckets.time, now: () => buckets.time };
  const another = (): BucketTable => new BucketTable(memory, maximum, () => clock);
  const table = another();
  const buckets: HeldBuckets = { memory, table, time: 0, another, clean: () => cleanAll(table) };
  return buckets;
}

export function cleanAll(table: BucketTable): void {
  for (let next: number | null = 0; next !== null; ) next = table.cleanFrom(next);
}
