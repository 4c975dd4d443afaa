import type { LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { chargeLength } from '../../values/meter.ts';
import { comparedBy as comparedByJava } from '../../values/sam-results.ts';
import { Thrown } from '../../values/throwable.ts';
import { countOf } from '../numeric.ts';

/** Compares two values; it may run code of the script. */
export type Comparing = (left: Value, right: Value) => Steps<number>;

/** Groovy's order of anything: null first, numbers by value, and what cannot be compared by hash. */
export function* naturalOrder(rt: Runtime, left: Value, right: Value): Steps<number> {
  yield* nothing();
  return compareNow(rt, left, right);
}

/** Exceptions of values that have no order; all others are those of a script's `compareTo`. */
const WITHOUT_ORDER = [
  'java.lang.ClassCastException',
  'java.lang.IllegalArgumentException',
  'groovy.lang.GroovyRuntimeException',
] as const;

/** Groovy's order without steps. */
export function compareNow(rt: Runtime, left: Value, right: Value): number {
  rt.budget.spend(1);
  if (left === null || right === null) return left === right ? 0 : left === null ? -1 : 1;
  if (typeof left === 'string' && typeof right === 'string') {
    chargeLength(Math.min(left.length, right.length));
    return left < right ? -1 : left > right ? 1 : 0;
  }
  try {
    return rt.compare(left, right);
  } catch (error) {
    if (!(error instanceof Thrown) || !WITHOUT_ORDER.some((name) => rt.isInstance(error.throwable, rt.class(name))))
      throw error;
    const difference = rt.hash(left) - rt.hash(right);
    return difference === 0 && rt.javaEquals(left, right) ? 0 : difference > 0 ? 1 : -1;
  }
}

function* nothing(): Steps<void> {}

/** The order that a closure or comparator states: by its result of one element, or of two. */
export function comparing(rt: Runtime, order: Value): Comparing {
  if (order === null) return (left, right) => naturalOrder(rt, left, right);
  if (rt.arity(order) !== 1) {
    return function* (left, right) {
      return comparedBy(rt, yield* rt.invoke(order, [left, right]));
    };
  }
  return function* (left, right) {
    const leftKey = yield* rt.invoke(order, [left]);
    return compareNow(rt, leftKey, yield* rt.invoke(order, [right]));
  };
}

/** The result of a comparator as an int. */
function comparedBy(rt: Runtime, result: Value): number {
  return typeof result === 'number' ? result : countOf(rt.cast(result, rt.class('int')));
}

/** Sorts into a new array; equal elements keep their order. */
export function* sorted(rt: Runtime, items: readonly Value[], compare: Comparing): Steps<Value[]> {
  rt.budget.allocate(items.length * 16);
  if (items.length < SHORT) return yield* insertionSorted(rt, [...items], compare);
  let from = [...items];
  let to = [...items];
  for (let width = 1; width < items.length; width *= 2) {
    for (let start = 0; start < items.length; start += 2 * width) {
      yield* merge(rt, from, to, start, width, compare);
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Shorter lists are sorted with the comparisons of Java, in its order: a comparator may print, throw or contradict itself. */
const SHORT = 32;

function* insertionSorted(rt: Runtime, items: Value[], compare: Comparing): Steps<Value[]> {
  if (items.length < 2) return items;
  const isBefore = function* (left: Value, right: Value): Steps<boolean> {
    rt.budget.spend(2);
    return (yield* compare(left, right)) < 0;
  };
  let end = 2;
  const isDown = yield* isBefore(items[1]!, items[0]!);
  while (end < items.length && (yield* isBefore(items[end]!, items[end - 1]!)) === isDown) end++;
  if (isDown) items.splice(0, end, ...items.slice(0, end).reverse());
  for (; end < items.length; end++) {
    const item = items[end]!;
    let [low, high] = [0, end];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (yield* isBefore(item, items[middle]!)) high = middle;
      else low = middle + 1;
    }
    items.copyWithin(low + 1, low, end);
    items[low] = item;
  }
  return items;
}

function* merge(
  rt: Runtime,
  from: Value[],
  to: Value[],
  start: number,
  width: number,
  compare: Comparing,
): Steps<void> {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(start + 2 * width, from.length);
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    rt.budget.spend(2);
    const takesLeft = left < middle && (right >= end || (yield* compare(from[left]!, from[right]!)) <= 0);
    to[at] = takesLeft ? from[left++]! : from[right++]!;
  }
}

/** The order of a tree: that of a comparator, or of Java's own `compareTo`, which takes neither null nor other types. */
export function treeOrder(rt: Runtime, order: Value = null): (left: Value, right: Value) => number {
  const compare = (left: Value, right: Value): number => {
    rt.budget.spend(1);
    if (order !== null) return rt.now(comparedByJava(rt, order, left, right));
    if (left === null || right === null) return rt.fail('java.lang.NullPointerException', null);
    return javaOrder(rt, left, right);
  };
  if (order !== null) comparators.set(compare, order);
  return compare;
}

/** Comparators of trees, by the functions that call them. */
export const comparators = new WeakMap<(left: Value, right: Value) => number, Value>();

function javaOrder(rt: Runtime, left: Value, right: Value): number {
  const [type, other] = [rt.classOf(left), rt.classOf(right)];
  const comparable = rt.class('java.lang.Comparable');
  if (!comparable.isAssignableFrom(type)) castFail(rt, type.name, 'java.lang.Comparable');
  const isLibrary = type.declared === null && other.declared === null;
  if (isLibrary && type !== other && !type.isAssignableFrom(other) && !other.isAssignableFrom(type))
    castFail(rt, other.name, type.name);
  return rt.compare(left, right);
}

function castFail(rt: Runtime, from: string, to: string): never {
  return rt.fail('java.lang.ClassCastException', `class ${from} cannot be cast to class ${to}`);
}

/** A method that needs an order, for values that have none of their own. */
export const ordered =
  (method: LibraryFunction): LibraryFunction =>
  (rt: Runtime, self: Value, [order]: [Value]) =>
    order === null ? rt.fail('java.lang.NullPointerException') : method(rt, self as never, [order] as never);
