import { setImmediate } from 'node:timers/promises';
import type { Duration } from '../../contract/duration.ts';
import type { Executor } from '../heap/objects/executor.ts';
import type { BucketTable } from './bucket-table.ts';

/** Cleans a table now and again, in this unit or in another. @returns what ends it. */
export function cleaning(table: BucketTable, executor: Executor, interval: Duration): () => void {
  let isOver = false;
  const cancel = executor.repeat(clean, Math.max(1, interval.milliseconds));
  return () => {
    isOver = true;
    cancel();
  };

  async function clean(): Promise<void> {
    if (!table.beginsCleaning(interval.milliseconds * 1e6)) return;
    let next: number | null = 0;
    while (next !== null && !isOver) {
      next = table.cleanFrom(next);
      await setImmediate(); // requests come first
    }
  }
}
