import { Closure } from '../../values/closure.ts';
import { ArrayValue, Entry, GMap, List } from '../../values/collections.ts';
import type { LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { castFail } from '../../values/sam-results.ts';
import { compareNow, comparing, sorted } from './sorting.ts';
import { allOf, cursorOf, itemsOf, listOf } from './walk.ts';
import { callWith, holds } from './walking-methods.ts';

/** Methods over the elements of lists, sets, ranges, arrays and iterators whose result is no collection of the same kind. */
export const elementMethods: Readonly<Record<string, LibraryFunction>> = {
  'sum()': function* (rt, self: Value) {
    return yield* summed(rt, self, null, undefined);
  },
  'sum(Object)': function* (rt, self: Value, [initial]: [Value]) {
    if (initial === null) rt.fail('java.lang.NullPointerException', null);
    return yield* summed(rt, self, initial, undefined);
  },
  'sum(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return yield* summed(rt, self, null, closure);
  },
  'sum(Object, Closure)': function* (rt, self: Value, [initial, closure]: [Value, Value]) {
    if (initial !== null) return yield* summed(rt, self, initial, closure);
    for (const item of yield* allOf(rt, self)) yield* callWith(rt, self, closure, item);
    return rt.fail('java.lang.NullPointerException', null);
  },
  'average()': (rt, self: Value) => averageOf(rt, self, undefined),
  'average(Closure)': (rt, self: Value, [closure]: [Value]) => averageOf(rt, self, closure),
  'max()': (rt, self: Value) => extreme(rt, self, null, 1),
  'max(Closure)': (rt, self: Value, [order]: [Value]) => extremeBy(rt, self, order, 1),
  'max(Comparator)': (rt, self: Value, [order]: [Value]) => extremeBy(rt, self, order, 1),
  'min()': (rt, self: Value) => extreme(rt, self, null, -1),
  'min(Closure)': (rt, self: Value, [order]: [Value]) => extremeBy(rt, self, order, -1),
  'min(Comparator)': (rt, self: Value, [order]: [Value]) => extremeBy(rt, self, order, -1),
  'count(Object)': function* (rt, self: Value, [wanted]: [Value]) {
    let count = 0;
    for (const item of yield* allOf(rt, self)) if (rt.equals(item, wanted)) count++;
    return count;
  },
  'count(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    let count = 0;
    for (const item of yield* allOf(rt, self)) if (yield* holds(rt, self, closure, item)) count++;
    return count;
  },
  'countBy(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    const counts = new GMap();
    for (const item of yield* allOf(rt, self)) {
      const key = yield* callWith(rt, self, closure, item);
      counts.put(key, ((counts.get(key) as number | undefined) ?? 0) + 1);
    }
    return counts;
  },
  'groupBy(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return yield* grouped(rt, yield* allOf(rt, self), [closure]);
  },
  'groupBy(Object...)': function* (rt, self: Value, [closures]: [ArrayValue]) {
    return yield* grouped(rt, yield* allOf(rt, self), allClosures(rt, closures.items));
  },
  'groupBy(List)': function* (rt, self: Value, [closures]: [List]) {
    return yield* grouped(rt, yield* allOf(rt, self), allClosures(rt, closures.items));
  },
  'collectEntries()': function* (rt, self: Value) {
    const map = new GMap();
    for (const item of yield* allOf(rt, self)) addEntry(rt, map, item);
    return map;
  },
  'collectEntries(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return yield* entriesInto(rt, self, new GMap(), closure);
  },
  'collectEntries(Map, Closure)': function* (rt, self: Value, [target, closure]: [GMap, Value]) {
    return yield* entriesInto(rt, self, target, closure);
  },
  'collectEntries(Map)': function* (rt, self: Value, [target]: [GMap | null]) {
    if (target === null) return yield* entriesIntoNull(rt, self);
    for (const item of yield* allOf(rt, self)) addEntry(rt, target, item);
    return target;
  },
  'collectMany(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return listOf(rt, yield* manyOf(rt, self, closure));
  },
  'collectMany(Collection, Closure)': function* (rt, self: Value, [target, closure]: [Value, Value]) {
    for (const item of yield* manyOf(rt, self, closure)) yield* rt.call(target, 'add', [item]);
    return target;
  },
  'collectNested(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return yield* nested(rt, self, closure);
  },
  'collectNested(Collection, Closure)': function* (rt, self: Value, [target, closure]: [Value, Value]) {
    for (const item of (yield* nested(rt, self, closure)).items) yield* rt.call(target, 'add', [item]);
    return target;
  },
  'findResults()': function* (rt, self: Value) {
    const items = yield* allOf(rt, self);
    return listOf(
      rt,
      items.filter((item) => item !== null),
    );
  },
  'findResults(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    const cursor = yield* cursorOf(rt, self);
    const out: Value[] = [];
    while (cursor.hasNext()) {
      rt.budget.spend(1);
      const result = yield* callWith(rt, self, closure, cursor.next());
      if (result !== null) out.push(result);
    }
    return listOf(rt, out);
  },
  'join()': function* (rt, self: Value) {
    return joined(rt, yield* allOf(rt, self), '');
  },
  'join(String)': function* (rt, self: Value, [separator]: [string | null]) {
    return joined(rt, yield* allOf(rt, self), separator ?? '');
  },
  'toList()': function* (rt, self: Value) {
    return listOf(rt, [...(yield* allOf(rt, self))]);
  },
  'toSorted()': function* (rt, self: Value) {
    return listOf(rt, yield* sorted(rt, yield* allOf(rt, self), comparing(rt, null)));
  },
  'toSorted(Closure)': function* (rt, self: Value, [order]: [Value]) {
    return listOf(rt, yield* sorted(rt, yield* allOf(rt, self), comparing(rt, order)));
  },
  'toSorted(Comparator)': function* (rt, self: Value, [order]: [Value]) {
    return listOf(rt, yield* sorted(rt, yield* allOf(rt, self), comparing(rt, order)));
  },
  'withIndex()': function* (rt, self: Value) {
    return withIndex(rt, yield* allOf(rt, self), 0);
  },
  'withIndex(int)': function* (rt, self: Value, [offset]: [number]) {
    return withIndex(rt, yield* allOf(rt, self), offset);
  },
  'indexed()': function* (rt, self: Value) {
    return indexed(yield* allOf(rt, self), 0);
  },
  'indexed(int)': function* (rt, self: Value, [offset]: [number]) {
    return indexed(yield* allOf(rt, self), offset);
  },
  'collate(int)': function* (rt, self: Value, [size]: [number]) {
    return collated(rt, yield* allOf(rt, self), size, size, true);
  },
  'collate(int, boolean)': function* (rt, self: Value, [size, keeps]: [number, boolean]) {
    return collated(rt, yield* allOf(rt, self), size, size, keeps);
  },
  'collate(int, int)': function* (rt, self: Value, [size, step]: [number, number]) {
    return collated(rt, yield* allOf(rt, self), size, step, true);
  },
  'collate(int, int, boolean)': function* (rt, self: Value, [size, step, keeps]: [number, number, boolean]) {
    return collated(rt, yield* allOf(rt, self), size, step, keeps);
  },
  'forEach(java.util.function.Consumer)': function* (rt, self: Value, [action]: [Value]) {
    const cursor = yield* cursorOf(rt, self);
    while (cursor.hasNext()) {
      rt.budget.spend(1);
      yield* rt.invoke(action, [cursor.next()]);
    }
    return null;
  },
  'combinations()': function* (rt, self: Value) {
    return combinations(rt, yield* allOf(rt, self));
  },
  'combinations(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return yield* rt.call(combinations(rt, yield* allOf(rt, self)), 'collect', [closure]);
  },
};

function* averageOf(rt: Runtime, self: Value, closure: Value | undefined): Steps {
  const { length } = yield* allOf(rt, self);
  if (length === 0) return rt.fail('java.lang.NullPointerException', null);
  return yield* rt.operator('div', yield* summed(rt, self, null, closure), BigInt(length));
}

/** The elements of all collections that a closure returns. */
function* manyOf(rt: Runtime, self: Value, closure: Value): Steps<Value[]> {
  const out: Value[] = [];
  for (const item of yield* allOf(rt, self)) {
    const more = yield* callWith(rt, self, closure, item);
    if (more === null) return rt.fail('java.lang.NullPointerException', null);
    const type = rt.classOf(more);
    if (!rt.isInstance(more, rt.class('java.util.Collection')))
      return rt.fail('java.lang.ClassCastException', `class ${type.name} cannot be cast to class java.util.Collection`);
    for (const each of yield* allOf(rt, more)) out.push(each);
  }
  return out;
}

function* summed(rt: Runtime, self: Value, initial: Value, closure: Value | undefined): Steps {
  const cursor = yield* cursorOf(rt, self);
  let total = initial;
  let isFirst = initial === null;
  while (cursor.hasNext()) {
    rt.budget.spend(1);
    const item = cursor.next();
    const addend = closure === undefined ? item : yield* callWith(rt, self, closure, item);
    total = isFirst ? addend : yield* rt.operator('plus', total, addend);
    isFirst = false;
  }
  return total;
}

/** Values that have no order are an error here, where sorting goes by their hashes. */
function comparedStrictly(rt: Runtime, left: Value, right: Value): number {
  return left === null || right === null ? compareNow(rt, left, right) : rt.compare(left, right);
}

/** A comparator that is null fails at the first comparison. */
function* extremeBy(rt: Runtime, self: Value, order: Value, sign: 1 | -1): Steps {
  if (order === null && (yield* allOf(rt, self)).length > 1) rt.fail('java.lang.NullPointerException', null);
  return yield* extreme(rt, self, order, sign);
}

function* extreme(rt: Runtime, self: Value, order: Value, sign: 1 | -1): Steps {
  const usesKey = order !== null && rt.arity(order) === 1;
  const compare = comparing(rt, usesKey ? null : order);
  const cursor = yield* cursorOf(rt, self);
  let best: Value = null;
  let bestKey: Value = null;
  let isEmpty = true;
  // The greatest key is compared from the other side, which the message of an error shows.
  const byNature = (key: Value): number =>
    usesKey && sign === 1 ? -comparedStrictly(rt, bestKey, key) : comparedStrictly(rt, key, bestKey);
  while (cursor.hasNext()) {
    rt.budget.spend(1);
    const item = cursor.next();
    const key = usesKey ? yield* callWith(rt, self, order, item) : item;
    if (order === null && item === null) continue;
    if (isEmpty || sign * (usesKey || order === null ? byNature(key) : yield* compare(item, best)) > 0) {
      best = item;
      bestKey = key;
    }
    isEmpty = false;
  }
  return best;
}

/** Arguments of `groupBy`, which must be closures even if there is nothing to group. */
export function allClosures(rt: Runtime, values: readonly Value[]): readonly Value[] {
  for (const value of values)
    if (value !== null && !(value instanceof Closure)) castFail(rt, value, 'groovy.lang.Closure');
  return values;
}

export function* grouped(rt: Runtime, items: readonly Value[], closures: readonly Value[]): Steps<GMap> {
  const [closure, ...rest] = closures;
  const groups = new GMap();
  for (const item of items) {
    const key = closure === undefined ? item : yield* rt.invokeWith(closure, item);
    const group = groups.get(key);
    if (group instanceof List) group.items.push(item);
    else groups.put(key, new List([item]));
    rt.budget.spend(1);
  }
  rt.budget.allocate(groups.size * 64 + items.length * 8);
  if (rest.length > 0) {
    for (const entry of groups.entries()) entry.value = yield* grouped(rt, (entry.value as List).items, rest);
  }
  return groups;
}

export function* entriesInto(rt: Runtime, self: Value, map: GMap, closure: Value): Steps<GMap> {
  const cursor = yield* cursorOf(rt, self);
  while (cursor.hasNext()) {
    rt.budget.spend(1);
    rt.budget.allocate(48);
    addEntry(rt, map, yield* callWith(rt, self, closure, cursor.next()));
  }
  return map;
}

/** Groovy takes a null for the map to add to. */
function* entriesIntoNull(rt: Runtime, self: Value): Steps {
  for (const item of yield* allOf(rt, self)) {
    if (item === null) continue;
    const isPair = item instanceof GMap || item instanceof Entry || item instanceof List || item instanceof ArrayValue;
    if (!isPair) addEntry(rt, new GMap(), item);
    rt.fail('java.lang.NullPointerException', null);
  }
  return null;
}

/** Adds a map, an entry, or a pair of key and value. */
export function addEntry(rt: Runtime, map: GMap, entry: Value): void {
  if (entry instanceof GMap) for (const each of entry.entries()) map.put(each.entryKey, each.value);
  else if (entry instanceof Entry) map.put(entry.entryKey, entry.value);
  else if (entry instanceof List || entry instanceof ArrayValue)
    map.put(entry.items[0] ?? null, entry.items[1] ?? null);
  else if (entry !== null) map.put(rt.now(rt.call(entry, 'getKey', [])), rt.now(rt.call(entry, 'getValue', [])));
}

function* nested(rt: Runtime, self: Value, closure: Value): Steps<List> {
  const out: Value[] = [];
  for (const item of yield* allOf(rt, self)) {
    out.push(item instanceof List ? yield* nested(rt, item, closure) : yield* rt.invokeWith(closure, item));
  }
  return listOf(rt, out);
}

export function joined(rt: Runtime, items: readonly Value[], separator: string): string {
  const texts: string[] = [];
  let length = 0;
  for (const item of items) {
    const text = rt.text(item);
    length += text.length + separator.length;
    rt.budget.spend(1);
    rt.budget.allocate(text.length * 2 + separator.length * 2);
    texts.push(text);
  }
  rt.budget.spend(Math.ceil(length / 64));
  return texts.join(separator);
}

/** A pair of Groovy, which is a list of two that cannot be changed. */
export function tuple(rt: Runtime, ...items: Value[]): List {
  return new List(items, rt.class(`groovy.lang.Tuple${items.length}`), true);
}

function withIndex(rt: Runtime, items: readonly Value[], offset: number): List {
  rt.budget.allocate(items.length * 64);
  return listOf(
    rt,
    items.map((item, at) => tuple(rt, item, at + offset)),
  );
}

function indexed(items: readonly Value[], offset: number): GMap {
  const map = new GMap();
  for (const [at, item] of items.entries()) map.put(at + offset, item);
  return map;
}

function collated(rt: Runtime, items: readonly Value[], size: number, step: number, keepsRemainder: boolean): List {
  if (size <= 0) return listOf(rt, [listOf(rt, [...items])]);
  if (step === 0) rt.fail('java.lang.IllegalArgumentException', 'step cannot be zero');
  const out: Value[] = [];
  for (let at = 0; at < items.length && at >= 0; at += step) {
    if (at > items.length - size && !keepsRemainder) break;
    out.push(listOf(rt, items.slice(at, at + size)));
  }
  return listOf(rt, out);
}

/** Bytes of a list beside its elements. */
const ROW_BYTES = 64;

/** All ways to take one element of each list; the first varies fastest. */
function combinations(rt: Runtime, lists: readonly Value[]): List {
  let rows: Value[][] = [];
  for (const [at, each] of lists.entries()) {
    const items = itemsOf(each) ?? [each];
    const count = (at === 0 ? 1 : rows.length) * items.length;
    rt.budget.allocate(count * (ROW_BYTES + 8 * at));
    rows = at === 0 ? items.map((item) => [item]) : items.flatMap((item) => rows.map((row) => [...row, item]));
  }
  return listOf(
    rt,
    rows.map((row) => new List(row)),
  );
}
