/**
 * Where the header lines of a message are: four numbers a line (name start and end, value start and end, all relative
 * to the start of the head), in one table that all heads of a turn share. A dropped line has its first number inverted.
 */
export const LINE = 4;
/** The most header lines a message may have, whatever the limits say: one row of the table must hold them. */
export const MOST_HEADER_LINES = 1000;
const TABLE_SIZE = 1 << 16;

export const ranges = { table: new Int32Array(TABLE_SIZE), used: 0 };

/** @returns the offset at which a head may write its lines. */
export function beginRanges(): number {
  if (ranges.used + LINE * (MOST_HEADER_LINES + 1) > TABLE_SIZE) {
    ranges.table = new Int32Array(TABLE_SIZE); // heads keep the old one alive until they are done
    ranges.used = 0;
  }
  return ranges.used;
}

/** The start of a line, dropped or not. */
export function lineStart(table: Int32Array, line: number): number {
  const start = table[line]!;
  return start < 0 ? ~start : start;
}

/** The turn is over: every head that is still needed has been retained. */
export function resetRanges(): void {
  ranges.used = 0;
}

/** Where the lines of a head are, as a scan leaves it. */
export interface HeaderLines {
  readonly table: Int32Array;
  readonly first: number;
  readonly lines: number;
  readonly dropped: number;
  /** Some name holds more than letters, digits and `-`, so that edits must look for those that imitate theirs. */
  readonly unusual: boolean;
}

/** A head without lines. */
export const NO_LINES: HeaderLines = { table: new Int32Array(0), first: 0, lines: 0, dropped: 0, unusual: false };
