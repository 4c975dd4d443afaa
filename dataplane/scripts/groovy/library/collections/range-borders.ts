import type { Obj, Runtime, Value } from '../../values/java-class.ts';
import { countOf } from '../numeric.ts';

/** The ends of a range as the script wrote them. */
export interface RangeEnds extends Obj {
  readonly from: Value;
  readonly to: Value;
  readonly isInclusive: boolean;
}

/** A part of a sequence: `from` is in it, `end` is not. */
export interface Borders {
  readonly from: number;
  readonly end: number;
  readonly isReversed: boolean;
}

export function isRange(value: Value): value is RangeEnds {
  return typeof value === 'object' && value !== null && 'isInclusive' in value && 'from' in value && 'to' in value;
}

/** The part of a sequence of a size that a range of indexes names; negative ones count from the end. */
export function bordersOf(rt: Runtime, range: RangeEnds, size: number): Borders {
  let from = countOf(range.from);
  let to = countOf(range.to);
  if (!range.isInclusive) {
    if (from === to) return { from: normalIndex(rt, from, size), end: normalIndex(rt, from, size), isReversed: false };
    const isDown = to < from && to >= 0 === from >= 0;
    if (to < 0 && from >= 0) {
      const end = normalIndex(rt, to, size);
      return { from, end: Math.max(from, end), isReversed: false };
    }
    to = isDown ? to + 1 : to - 1;
  }
  from = normalIndex(rt, from, size);
  to = normalIndex(rt, to, size);
  return from > to ? { from: to, end: from + 1, isReversed: true } : { from, end: to + 1, isReversed: false };
}

/** An index that may count from the end. */
export function normalIndex(rt: Runtime, index: number, size: number): number {
  if (index >= 0) return index;
  if (index + size < 0) {
    rt.fail(
      'java.lang.ArrayIndexOutOfBoundsException',
      `Negative array index [${index}] too large for array size ${size}`,
    );
  }
  return index + size;
}

/** An element of a list of indexes; a text of one character stands for its code. */
export function indexIn(rt: Runtime, value: Value): number {
  return value === null ? rt.fail('java.lang.NullPointerException', null) : countOf(rt.cast(value, rt.class('int')));
}
