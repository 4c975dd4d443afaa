import type { MappedColumn } from './column-values.ts';

/** A table with the events of one topic. */
export interface MappedTable {
  readonly topic: string;
  /** In quotes, as `sqlName` gives it. */
  readonly table: string;
  readonly columns: readonly MappedColumn[];
  /** Column of `_id` in quotes, or null. */
  readonly idColumn: string | null;
}
