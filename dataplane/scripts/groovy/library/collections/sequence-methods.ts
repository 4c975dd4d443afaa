import { randomInt } from 'node:crypto';
import { ArrayValue, ByteArray, GMap, GSet, List } from '../../values/collections.ts';
import type { LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { countOf } from '../numeric.ts';
import { cursorOver } from './cursors.ts';
import { compareNow, comparing, sorted, treeOrder } from './sorting.ts';
import { allOf, copyLike, isWalkable, itemsOf, JavaIterator, listOf, similarTo } from './walk.ts';
import { holds } from './walking-methods.ts';

/** A result of the kind of the original: an array for an array. */
export function sameKind(rt: Runtime, original: Value, items: Value[]): Value {
  rt.budget.allocate(32 + items.length * 8);
  if (original instanceof ArrayValue) {
    const component = original.javaClass.component!;
    const isText = component.name === 'java.lang.String';
    return new ArrayValue(component, isText ? items.map((item) => rt.cast(item, component)) : items);
  }
  if (original instanceof ByteArray) return new ByteArray(Uint8Array.from(items, countOf));
  return similarTo(rt, original, items);
}

function kindName(self: Value, problem: string): string {
  if (self instanceof ArrayValue || self instanceof ByteArray) return 'Array';
  return self instanceof List && !problem.includes('init()') ? 'List' : 'Iterable';
}

function* nonEmpty(rt: Runtime, self: Value, problem: string): Steps<Value[]> {
  const items = yield* allOf(rt, self);
  if (items.length > 0) return items;
  const kind = self instanceof ArrayValue ? 'Array' : problem.includes('tail') ? 'iterable' : kindName(self, problem);
  return rt.fail('java.util.NoSuchElementException', `${problem} an empty ${kind}`);
}

function sliced(
  from: (count: number, length: number) => number,
  to: (count: number, length: number) => number,
): LibraryFunction {
  return function* (rt: Runtime, self: Value, [count]: [number]): Steps {
    const items = yield* allOf(rt, self);
    return sameKind(rt, self, items.slice(from(count, items.length), to(count, items.length)));
  };
}

const clamp = (count: number, length: number): number => Math.max(0, Math.min(count, length));
const all = (_: number, length: number): number => length;
const none = (): number => 0;

const first: LibraryFunction = function* (rt: Runtime, self: Value): Steps {
  return (yield* nonEmpty(rt, self, 'Cannot access first() element from'))[0]!;
};

/** Methods over elements that give a part or another order of them. */
export const sequenceMethods: Readonly<Record<string, LibraryFunction>> = {
  'first()': first,
  'head()': first,
  'last()': function* (rt, self: Value) {
    return (yield* nonEmpty(rt, self, 'Cannot access last() element from')).at(-1)!;
  },
  'tail()': function* (rt, self: Value) {
    return sameKind(rt, self, (yield* nonEmpty(rt, self, 'Cannot access tail() for')).slice(1));
  },
  'init()': function* (rt, self: Value) {
    return sameKind(rt, self, (yield* nonEmpty(rt, self, 'Cannot access init() for')).slice(0, -1));
  },
  'take(int)': sliced(none, clamp),
  'takeRight(int)': sliced((count, length) => length - clamp(count, length), all),
  'drop(int)': sliced(clamp, all),
  'dropRight(int)': sliced(none, (count, length) => length - clamp(count, length)),
  'takeWhile(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    const items = yield* allOf(rt, self);
    return sameKind(rt, self, items.slice(0, yield* countWhile(rt, self, items, closure)));
  },
  'dropWhile(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    const items = yield* allOf(rt, self);
    return sameKind(rt, self, items.slice(yield* countWhile(rt, self, items, closure)));
  },
  'reverse()': function* (rt, self: Value) {
    const items = [...(yield* allOf(rt, self))].reverse();
    return self instanceof List ? listOf(rt, items) : sameKind(rt, self, items);
  },
  'tails()': function* (rt, self: Value) {
    const items = yield* allOf(rt, self);
    return ends(rt, items, (at) => items.slice(at));
  },
  'inits()': function* (rt, self: Value) {
    const items = yield* allOf(rt, self);
    return ends(rt, items, (at) => items.slice(0, items.length - at));
  },
  'permutations()': function* (rt, self: Value) {
    return yield* permutations(rt, self);
  },
  'permutations(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return yield* rt.call(yield* permutations(rt, self), 'collect', [closure]);
  },
  'subsequences()': function* (rt, self: Value) {
    return subsequences(rt, yield* allOf(rt, self));
  },
  'shuffled()': function* (rt, self: Value) {
    const items = [...(yield* allOf(rt, self))];
    shuffleItems(rt, items);
    return new List(items);
  },
  'toUnique()': function* (rt, self: Value) {
    // A tree of Java finds equal elements here: it compares only what has one order.
    const tree = new GSet([], rt.class('java.util.TreeSet'), new GMap(rt.class('java.util.TreeMap'), treeOrder(rt)));
    return sameKind(
      rt,
      self,
      (yield* allOf(rt, self)).filter((item) => tree.add(item)),
    );
  },
  'toUnique(Closure)': function* (rt, self: Value, [order]: [Value]) {
    return sameKind(rt, self, yield* uniqueOf(rt, yield* allOf(rt, self), order));
  },
  'toUnique(Comparator)': function* (rt, self: Value, [order]: [Value]) {
    return sameKind(rt, self, yield* uniqueOf(rt, yield* allOf(rt, self), order));
  },
  'flatten()': function* (rt, self: Value) {
    const out: Value[] = [];
    flatten(rt, yield* allOf(rt, self), out, 0);
    return self instanceof GSet ? similarTo(rt, self, out) : new List(out);
  },
  'flatten(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    const out: Value[] = [];
    yield* flattenWith(rt, yield* allOf(rt, self), out, closure, 0);
    return self instanceof GSet ? similarTo(rt, self, out) : new List(out);
  },
  'chop(int...)': function* (rt, self: Value, [sizes]: [ArrayValue]) {
    const items = yield* allOf(rt, self);
    const parts: Value[] = [];
    let at = 0;
    for (const size of sizes.items as number[]) {
      const end = size < 0 ? items.length : Math.min(items.length, at + size);
      parts.push(listOf(rt, items.slice(at, end)));
      at = end;
      if (size < 0) break;
    }
    return listOf(rt, parts);
  },
  'eachPermutation(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    const items = yield* allOf(rt, self);
    if (items.length === 0) rt.fail('java.lang.IllegalArgumentException', 'At least one item required');
    for (const each of permuted(rt, items)) yield* rt.invoke(closure, [new List(each)]);
    return new JavaIterator(rt, cursorOver([]), 'groovy.util.PermutationGenerator');
  },
  'asCollection()': (_rt, self: Value) => self,
  'asReversed()': function* (rt, self: Value) {
    return new List(
      [...(yield* allOf(rt, self))].reverse(),
      rt.class('org.codehaus.groovy.runtime.ReversedList'),
      true,
    );
  },
  'plus(Iterable)': function* (rt, self: Value, [more]: [Value]) {
    return added(rt, self, [...(yield* allOf(rt, self)), ...(yield* allOf(rt, more))]);
  },
  'plus(Object[])': function* (rt, self: Value, [more]: [Value]) {
    const isSequence = self instanceof ArrayValue || self instanceof ByteArray;
    return added(rt, self, [...(yield* allOf(rt, self)), ...(isSequence ? yield* allOf(rt, more) : [more])]);
  },
  'plus(Object)': function* (rt, self: Value, [more]: [Value]) {
    return added(rt, self, [...(yield* allOf(rt, self)), more]);
  },
  'minus(Iterable)': function* (rt, self: Value, [less]: [Value]) {
    return sameKind(rt, self, without(rt, yield* allOf(rt, self), yield* allOf(rt, less)));
  },
  'minus(Object[])': function* (rt, self: Value, [less]: [Value]) {
    // An array is one element for a collection.
    const gone = self instanceof ArrayValue || self instanceof ByteArray ? yield* allOf(rt, less) : [less];
    return sameKind(rt, self, without(rt, yield* allOf(rt, self), gone));
  },
  'minus(Object)': function* (rt, self: Value, [less]: [Value]) {
    return sameKind(rt, self, without(rt, yield* allOf(rt, self), [less]));
  },
  'multiply(Number)': function* (rt, self: Value, [times]: [Value]) {
    const items = yield* allOf(rt, self);
    const count = countOf(times);
    if (count < 0 && items.length > 0)
      rt.fail('java.lang.IllegalArgumentException', `Illegal Capacity: ${items.length * count}`);
    rt.budget.spend(items.length * count);
    rt.budget.allocate(items.length * count * 8);
    const out: Value[] = [];
    for (let turn = 0; turn < count; turn++) for (const item of items) out.push(item);
    return sameKind(rt, self, out);
  },
  'intersect(Iterable)': function* (rt, self: Value, [other]: [Value]) {
    return sameKind(rt, self, within(rt, yield* allOf(rt, self), yield* allOf(rt, other)));
  },
  'disjoint(Iterable)': function* (rt, self: Value, [other]: [Value]) {
    return within(rt, yield* allOf(rt, self), yield* allOf(rt, other)).length === 0;
  },
};

/** Brings elements into a random order. */
export function shuffleItems(rt: Runtime, items: Value[]): void {
  rt.budget.spend(items.length);
  for (let at = items.length - 1; at > 0; at--) {
    const other = randomInt(at + 1);
    [items[at], items[other]] = [items[other]!, items[at]!];
  }
}

/** Parts of a list that leave out more and more at one end. */
function ends(rt: Runtime, items: readonly Value[], slice: (at: number) => Value[]): List {
  rt.budget.spend(items.length * items.length);
  rt.budget.allocate(items.length * items.length * 8);
  return new List(Array.from({ length: items.length + 1 }, (_, at) => new List(slice(at))));
}

const MOST_PERMUTED = 8;

function* permutations(rt: Runtime, self: Value): Steps<GSet> {
  const items = yield* allOf(rt, self);
  if (items.length === 0) rt.fail('java.lang.IllegalArgumentException', 'At least one item required');
  return hashSet(rt, permuted(rt, items));
}

function permuted(rt: Runtime, items: readonly Value[]): Value[][] {
  if (items.length > MOST_PERMUTED)
    rt.fail('java.lang.UnsupportedOperationException', `permutations of ${items.length} elements are not available`);
  rt.budget.spend(50);
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) =>
    permuted(rt, [...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]),
  );
}

/** All non-empty parts that keep the order, made in Groovy's order, because a hash set shows it. */
function subsequences(rt: Runtime, items: readonly Value[]): GSet {
  if (items.length > 16)
    rt.fail('java.lang.UnsupportedOperationException', `subsequences of ${items.length} elements are not available`);
  let parts = hashSet(rt, []);
  for (const item of items) {
    rt.budget.spend(parts.size * 4);
    rt.budget.allocate(parts.size * 64);
    const before = parts.items();
    const longer = before.map((part) => new List([...(part as List).items, item]));
    parts = hashSet(rt, []);
    for (const part of [...longer, ...before, new List([item])]) parts.add(part);
  }
  return parts;
}

function hashSet(rt: Runtime, lists: readonly Value[][]): GSet {
  return new GSet(
    lists.map((list) => new List(list)),
    rt.class('java.util.HashSet'),
    new GMap(rt.class('java.util.HashMap'), 'hash'),
  );
}

export function* countWhile(rt: Runtime, self: Value, items: readonly Value[], closure: Value): Steps<number> {
  let count = 0;
  while (count < items.length && (yield* holds(rt, self, closure, items[count]!))) count++;
  return count;
}

/** The first of each group of equal elements; equal by Groovy's order, by a key, or by a comparator. */
export function* uniqueOf(rt: Runtime, items: readonly Value[], order: Value): Steps<Value[]> {
  if (order === null && items.every((item) => typeof item === 'string' || typeof item === 'number'))
    return [...new Set(items)];
  const usesKey = order !== null && rt.arity(order) === 1;
  const compare = usesKey || order === null ? null : comparing(rt, order);
  const keys: Value[] = [];
  const out: Value[] = [];
  for (const item of items) {
    const key = usesKey ? yield* rt.invokeWith(order, item) : item;
    let isNew = true;
    for (const each of keys) {
      rt.budget.spend(2);
      const isSame =
        order === null
          ? rt.equals(each, key)
          : compare === null
            ? compareNow(rt, each, key) === 0
            : (yield* compare(key, each)) === 0;
      if (!isSame) continue;
      isNew = false;
      break;
    }
    if (!isNew) continue;
    keys.push(key);
    out.push(item);
  }
  return out;
}

/** A result that starts as a copy of the original. */
function added(rt: Runtime, original: Value, items: Value[]): Value {
  return original instanceof GSet ? copyLike(rt, original, items) : sameKind(rt, original, items);
}

function* flattenWith(rt: Runtime, items: readonly Value[], out: Value[], closure: Value, depth: number): Steps<void> {
  if (depth > 500) rt.fail('java.lang.StackOverflowError', null);
  const isCollection = (value: Value): boolean => rt.isInstance(value, rt.class('java.util.Collection'));
  for (const item of items) {
    rt.budget.allocate(16);
    if (isCollection(item) || item instanceof ArrayValue || item instanceof ByteArray) {
      yield* flattenWith(rt, itemsOf(item)!, out, closure, depth + 1);
      continue;
    }
    const made = yield* rt.invoke(closure, [item]);
    const inner = isCollection(made) ? yield* allOf(rt, made) : null;
    const isItself = made === item || (inner?.length === 1 && inner[0] === item);
    if (inner === null || isItself) out.push(made);
    else yield* flattenWith(rt, inner, out, closure, depth + 1);
  }
}

function flatten(rt: Runtime, items: readonly Value[], out: Value[], depth: number): void {
  if (depth > 500) rt.fail('java.lang.StackOverflowError', null);
  for (const item of items) {
    rt.budget.spend(1);
    const isSequence =
      item instanceof List || item instanceof GSet || item instanceof ArrayValue || item instanceof ByteArray;
    if (isSequence || (isWalkable(item) && !(item instanceof GMap))) flatten(rt, itemsOf(item)!, out, depth + 1);
    else out.push(item);
  }
  rt.budget.allocate(items.length * 8);
}

function without(rt: Runtime, items: readonly Value[], less: readonly Value[]): Value[] {
  return items.filter((item) => !isAmong(rt, item, less));
}

function within(rt: Runtime, items: readonly Value[], others: readonly Value[]): Value[] {
  return items.filter((item) => isAmong(rt, item, others));
}

function isAmong(rt: Runtime, item: Value, others: readonly Value[]): boolean {
  rt.budget.spend(1 + others.length);
  return others.some((other) => rt.equals(other, item));
}

/** Sorted elements, for methods that put them back or return them. */
export function* inOrder(rt: Runtime, self: Value, order: Value): Steps<Value[]> {
  return yield* sorted(rt, yield* allOf(rt, self), comparing(rt, order));
}
