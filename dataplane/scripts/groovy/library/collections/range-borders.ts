import { isNumber } from '../../values/conversions.ts';
import type { Obj, Runtime, Value } from '../../values/java-class.ts';
import { countOf } from '../numeric.ts';

/** The ends of a range as the script wrote them. */
export interface RangeEnds extends Obj {
  readonly from: Value;
  readonly to: Value;
  readonly isInclusive: boolean;
  readonly skipsFirst?: boolean;
  readonly step?: Value;
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

/**
 * The part of a sequence of a size that a range of indexes names; negative ones count from the end.
 * The borders may lie outside the sequence, because each kind of sequence fails in its own way.
 */
export function bordersOf(rt: Runtime, range: RangeEnds, size: number): Borders {
  if (isRangeOfSteps(range)) rt.fail('java.lang.IllegalStateException', 'Step must be 1 when used by subList!');
  let [from, to] = [indexIn(rt, range.from), indexIn(rt, range.to)];
  const [skipsFirst, skipsLast] = [range.skipsFirst === true, !range.isInclusive];
  if (!(isNumber(range.from) && isNumber(range.to))) {
    from = normalIndex(rt, from, size);
    to = normalIndex(rt, to, size);
  } else if (!(typeof range.from === 'number' && typeof range.to === 'number') && from > to) {
    // Ranges of other numbers keep their smaller end first, and Groovy forgets here that they were reversed.
    [from, to] = [to, from];
  }
  from = fromEnd(from, size);
  to = fromEnd(to, size);
  return from > to
    ? { from: skipsLast ? to + 1 : to, end: skipsFirst ? from : from + 1, isReversed: true }
    : { from: skipsFirst ? from + 1 : from, end: skipsLast ? to : to + 1, isReversed: false };
}

/** The borders of a part of a list, which must lie in it; an empty range names an empty part anywhere. */
export function listBordersOf(rt: Runtime, range: RangeEnds, size: number): Borders {
  if (isEmptyRange(range)) return { from: 0, end: 0, isReversed: false };
  const borders = bordersOf(rt, range, size);
  const { from, end } = borders;
  if (from < 0) rt.fail('java.lang.IndexOutOfBoundsException', `fromIndex = ${from}`);
  if (end > size) rt.fail('java.lang.IndexOutOfBoundsException', `toIndex = ${end}`);
  if (from > end) rt.fail('java.lang.IllegalArgumentException', `fromIndex(${from}) > toIndex(${end})`);
  return borders;
}

/** `a..<a`, which names an empty part of any sequence. */
export function isEmptyRange(range: RangeEnds): boolean {
  return !range.isInclusive && isNumber(range.from) && isNumber(range.to) && countOf(range.from) === countOf(range.to);
}

function isRangeOfSteps({ step = null }: RangeEnds): boolean {
  return step !== null && !(isNumber(step) && countOf(step) === 1);
}

const fromEnd = (index: number, size: number): number => (index < 0 ? index + size : index);

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
