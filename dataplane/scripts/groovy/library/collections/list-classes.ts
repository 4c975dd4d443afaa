import { GSet, List } from '../../values/collections.ts';
import { LIST } from '../../values/core-classes.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { Range } from '../../values/range.ts';
import { tested } from '../../values/sam-results.ts';
import { countOf } from '../numeric.ts';
import { stepsOf } from '../steps-of.ts';
import { listCursor } from './cursors.ts';
import { elementMethods } from './element-methods.ts';
import { checkResizable, immutableList, rangePart, subList } from './fixed-lists.ts';
import {
  bordersOf,
  indexIn,
  isEmptyRange,
  isRange,
  listBordersOf,
  normalIndex,
  type RangeEnds,
} from './range-borders.ts';
import { inOrder, sequenceMethods, shuffleItems, uniqueOf } from './sequence-methods.ts';
import { allOf, checkChangeable, indicesOf, isIn, itemsNow, JavaIterator, listOf, refill } from './walk.ts';
import { holds } from './walking-methods.ts';

function indexCheck(rt: Runtime, index: number, length: number): void {
  if (index < 0 || index >= length) {
    rt.fail('java.lang.IndexOutOfBoundsException', `Index ${index} out of bounds for length ${length}`);
  }
}

/** Elements that are about to change; lists of a fixed size allow only other elements. */
function changed(rt: Runtime, self: Value, resizes = true): Value[] {
  if (!(self instanceof List)) return rt.fail('java.lang.UnsupportedOperationException', null);
  checkChangeable(rt, self);
  if (resizes) checkResizable(rt, self);
  return self.items;
}

function elementAt(rt: Runtime, self: Value, index: number): Value {
  const items = itemsNow(rt, self);
  return items[normalIndex(rt, index, items.length)] ?? null;
}

function partAt(rt: Runtime, self: Value, range: RangeEnds): Value {
  const items = itemsNow(rt, self);
  const { from, end, isReversed } = listBordersOf(rt, range, items.length);
  const part = items.slice(from, end);
  return listOf(rt, isReversed ? part.reverse() : part);
}

function partsAt(rt: Runtime, self: Value, indexes: Value): Value {
  const out: Value[] = [];
  for (const index of itemsNow(rt, indexes)) {
    if (isRange(index)) out.push(...itemsNow(rt, partAt(rt, self, index)));
    else if (rt.isInstance(index, LIST)) out.push(...itemsNow(rt, partsAt(rt, self, index)));
    else out.push(elementAt(rt, self, indexIn(rt, index)));
  }
  return listOf(rt, out);
}

function putAt(rt: Runtime, self: Value, index: number, value: Value): void {
  const items = changed(rt, self, false);
  const at = normalIndex(rt, index, items.length);
  if (at >= items.length) changed(rt, self);
  rt.budget.allocate(Math.max(0, at - items.length) * 8);
  while (items.length < at) items.push(null);
  items[at] = value;
}

function add(rt: Runtime, self: Value, value: Value): true {
  const items = changed(rt, self);
  rt.budget.allocate(8);
  items.push(value);
  return true;
}

function addAll(rt: Runtime, self: Value, more: Value, at?: number): boolean {
  const items = changed(rt, self);
  const added = [...itemsNow(rt, more)];
  rt.budget.allocate(added.length * 8);
  if (at !== undefined && (at < 0 || at > items.length)) {
    rt.fail('java.lang.IndexOutOfBoundsException', `Index: ${at}, Size: ${items.length}`);
  }
  const rest = at === undefined ? [] : items.splice(at);
  for (const item of added) items.push(item);
  for (const item of rest) items.push(item);
  return added.length > 0;
}

function removeAt(rt: Runtime, self: Value, index: number): Value {
  const items = changed(rt, self);
  indexCheck(rt, index, items.length);
  return items.splice(index, 1)[0]!;
}

function removeFirst(rt: Runtime, self: Value, value: Value): boolean {
  const items = changed(rt, self);
  rt.budget.spend(items.length);
  const at = items.findIndex((item) => rt.javaEquals(value, item));
  if (at >= 0) items.splice(at, 1);
  return at >= 0;
}

function* keepOnly(rt: Runtime, self: Value, keeps: (item: Value) => Steps<boolean>): Steps<boolean> {
  const items = changed(rt, self);
  const kept: Value[] = [];
  for (const item of items) if (yield* keeps(item)) kept.push(item);
  const isChanged = kept.length !== items.length;
  refill(items, kept);
  return isChanged;
}

function* sortInPlace(rt: Runtime, self: Value, order: Value, mutates: boolean): Steps {
  const items = yield* inOrder(rt, self, order);
  if (mutates && self instanceof Range && items.length > 0) rt.fail('java.lang.UnsupportedOperationException', null);
  if (!mutates || !(self instanceof List)) return listOf(rt, items);
  refill(changed(rt, self, false), items);
  return self;
}

function* uniqueInPlace(rt: Runtime, self: Value, order: Value | undefined, mutates: boolean): Steps {
  const all = yield* allOf(rt, self);
  if (order === null && all.length > 1) rt.fail('java.lang.NullPointerException', null);
  if (mutates && self instanceof Range) rt.fail('java.lang.UnsupportedOperationException', null);
  const items = yield* uniqueOf(rt, all, order ?? null);
  if (!mutates || !(self instanceof List)) return listOf(rt, items);
  refill(changed(rt, self), items);
  return self;
}

function listIterator(rt: Runtime, self: Value, at: number): JavaIterator {
  const list = self instanceof List ? self : new List([...itemsNow(rt, self)], undefined, true);
  if (at < 0 || at > list.items.length) rt.fail('java.lang.IndexOutOfBoundsException', `Index: ${at}`);
  return new JavaIterator(rt, listCursor(rt, list, at), 'java.util.ArrayList$ListItr');
}

/** An empty range names the place of an element, or the end of the list. */
function placeOf(rt: Runtime, range: RangeEnds, size: number): { readonly from: number; readonly end: number } {
  const at = normalIndex(rt, indexIn(rt, range.from), size);
  if (at > size) rt.fail('java.lang.IndexOutOfBoundsException', `toIndex = ${at}`);
  return { from: at, end: at };
}

const putRange: LibraryFunction = (rt: Runtime, self: Value, [range, value]: [RangeEnds, Value]) => {
  const items = changed(rt, self);
  const { from, end } = isEmptyRange(range) ? placeOf(rt, range, items.length) : bordersOf(rt, range, items.length);
  if (from < 0) rt.fail('java.lang.IndexOutOfBoundsException', `fromIndex = ${from}`);
  const isSequence = value instanceof List || value instanceof GSet;
  const rest = items.slice(end);
  rt.budget.allocate(8 * Math.max(0, from - items.length));
  const before = [...items.slice(0, from), ...new Array<Value>(Math.max(0, from - items.length)).fill(null)];
  refill(items, [...before, ...(isSequence ? itemsNow(rt, value) : [value]), ...rest]);
  rt.budget.spend(items.length);
};

const plusAt: LibraryFunction = (rt: Runtime, self: Value, [index, more]: [number, Value]) => {
  const copy = listOf(rt, [...itemsNow(rt, self)]);
  addAll(rt, copy, more, index);
  return copy;
};

/** Methods of lists, ranges among them. */
const listMethods: Readonly<Record<string, LibraryFunction>> = {
  'get(int)': (rt, self: Value, [index]: [number]) => {
    const items = itemsNow(rt, self);
    indexCheck(rt, index, items.length);
    return items[index]!;
  },
  'getAt(int)': (rt, self: Value, [index]: [number]) => elementAt(rt, self, index),
  'getAt(Number)': (rt, self: Value, [index]: [Value]) => elementAt(rt, self, countOf(index)),
  'getAt(Range)': (rt, self: Value, [range]: [RangeEnds]) => partAt(rt, self, range),
  'getAt(Collection)': (rt, self: Value, [indexes]: [Value]) => partsAt(rt, self, indexes),
  'putAt(int, Object)': (rt, self: Value, [index, value]: [number, Value]) => putAt(rt, self, index, value),
  'putAt(Number, Object)': (rt, self: Value, [index, value]: [Value, Value]) => putAt(rt, self, countOf(index), value),
  'putAt(groovy.lang.Range, Object)': putRange,
  'putAt(groovy.lang.Range, Collection)': putRange,
  'putAt(groovy.lang.IntRange, Object)': putRange,
  'putAt(groovy.lang.IntRange, Collection)': putRange,
  'set(int, Object)': (rt, self: Value, [index, value]: [number, Value]) => {
    const items = changed(rt, self, false);
    indexCheck(rt, index, items.length);
    const before = items[index]!;
    items[index] = value;
    return before;
  },
  'add(Object)': (rt, self: Value, [value]: [Value]) => add(rt, self, value),
  'add(int, Object)': (rt, self: Value, [index, value]: [number, Value]) => {
    const items = changed(rt, self);
    if (index < 0 || index > items.length) {
      rt.fail('java.lang.IndexOutOfBoundsException', `Index: ${index}, Size: ${items.length}`);
    }
    rt.budget.spend(1 + (items.length - index) / 16);
    items.splice(index, 0, value);
  },
  'addAll(Collection)': (rt, self: Value, [more]: [Value]) => addAll(rt, self, more),
  'addAll(int, Collection)': (rt, self: Value, [index, more]: [number, Value]) => addAll(rt, self, more, index),
  'addAll(Iterable)': (rt, self: Value, [more]: [Value]) => addAll(rt, self, more),
  'addAll(Object...)': (rt, self: Value, [more]: [Value]) => addAll(rt, self, more),
  'addAll(int, Object...)': (rt, self: Value, [index, more]: [number, Value]) => addAll(rt, self, more, index),
  'plus(int, Iterable)': plusAt,
  'plus(int, Object...)': plusAt,
  'leftShift(Object)': (rt, self: Value, [value]: [Value]) => {
    add(rt, self, value);
    return self;
  },
  'push(Object)': (rt, self: Value, [value]: [Value]) => {
    changed(rt, self).unshift(value);
    return true;
  },
  'pop()': (rt, self: List) => {
    if (self.items.length === 0) rt.fail('java.util.NoSuchElementException', 'Cannot pop() an empty List');
    return removeAt(rt, self, 0);
  },
  'removeLast()': (rt, self: List) => {
    if (self.items.length === 0) rt.fail('java.util.NoSuchElementException', 'Cannot removeLast() an empty List');
    return removeAt(rt, self, self.items.length - 1);
  },
  'remove(int)': (rt, self: Value, [index]: [number]) => removeAt(rt, self, index),
  'removeAt(int)': (rt, self: Value, [index]: [number]) => removeAt(rt, self, index),
  'remove(Object)': (rt, self: Value, [value]: [Value]) => removeFirst(rt, self, value),
  'removeElement(Object)': (rt, self: Value, [value]: [Value]) => removeFirst(rt, self, value),
  'removeAll(Collection)': function* (rt, self: Value, [others]: [Value]) {
    const less = itemsNow(rt, others);
    return yield* keepOnly(rt, self, (item) => stepsOf(!isIn(rt, item, less)));
  },
  'removeAll(Object...)': function* (rt, self: Value, [others]: [Value]) {
    const less = itemsNow(rt, others);
    return yield* keepOnly(rt, self, (item) => stepsOf(!isIn(rt, item, less)));
  },
  'removeAll(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return yield* keepOnly(rt, self, function* (item) {
      return !(yield* holds(rt, self, closure, item));
    });
  },
  'removeIf(java.util.function.Predicate)': function* (rt, self: Value, [predicate]: [Value]) {
    return yield* keepOnly(rt, self, function* (item) {
      return !(yield* tested(rt, predicate, [item]));
    });
  },
  'retainAll(Collection)': function* (rt, self: Value, [others]: [Value]) {
    const more = itemsNow(rt, others);
    return yield* keepOnly(rt, self, (item) => stepsOf(isIn(rt, item, more)));
  },
  'retainAll(Object...)': function* (rt, self: Value, [others]: [Value]) {
    const more = itemsNow(rt, others);
    return yield* keepOnly(rt, self, (item) => stepsOf(isIn(rt, item, more)));
  },
  'retainAll(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return yield* keepOnly(rt, self, (item) => holds(rt, self, closure, item));
  },
  'replaceAll(java.util.function.UnaryOperator)': function* (rt, self: Value, [operator]: [Value]) {
    const items = changed(rt, self, false);
    for (let at = 0; at < items.length; at++) items[at] = yield* rt.invoke(operator, [items[at]!]);
    return null;
  },
  'clear()': (rt, self: Value) => void (changed(rt, self).length = 0),
  'indexOf(Object)': (rt, self: Value, [value]: [Value]) => {
    const items = itemsNow(rt, self);
    rt.budget.spend(items.length);
    return items.findIndex((item) => rt.javaEquals(value, item));
  },
  'lastIndexOf(Object)': (rt, self: Value, [value]: [Value]) => {
    const items = itemsNow(rt, self);
    rt.budget.spend(items.length);
    return items.findLastIndex((item) => rt.javaEquals(value, item));
  },
  'subList(int, int)': (rt, self: Value, [from, to]: [number, number]) => {
    const items = itemsNow(rt, self);
    if (from < 0) rt.fail('java.lang.IndexOutOfBoundsException', `fromIndex = ${from}`);
    if (to > items.length) rt.fail('java.lang.IndexOutOfBoundsException', `toIndex = ${to}`);
    if (from > to) rt.fail('java.lang.IllegalArgumentException', `fromIndex(${from}) > toIndex(${to})`);
    return self instanceof Range ? rangePart(rt, self, from, to) : subList(rt, self as List, from, to);
  },
  'sort()': (rt, self: Value) => sortInPlace(rt, self, null, true),
  'sort(boolean)': (rt, self: Value, [mutates]: [boolean]) => sortInPlace(rt, self, null, mutates),
  'sort(Closure)': (rt, self: Value, [order]: [Value]) => sortInPlace(rt, self, order, true),
  'sort(boolean, Closure)': (rt, self: Value, [mutates, order]: [boolean, Value]) =>
    sortInPlace(rt, self, order, mutates),
  'sort(boolean, Comparator)': (rt, self: Value, [mutates, order]: [boolean, Value]) =>
    sortInPlace(rt, self, order, mutates),
  'sort(Comparator)': function* (rt, self: Value, [order]: [Value]) {
    yield* sortInPlace(rt, self, order, true);
    return null;
  },
  'unique()': (rt, self: Value) => uniqueInPlace(rt, self, undefined, true),
  'unique(boolean)': (rt, self: Value, [mutates]: [boolean]) => uniqueInPlace(rt, self, undefined, mutates),
  'unique(Closure)': (rt, self: Value, [order]: [Value]) => uniqueInPlace(rt, self, order, true),
  'unique(Comparator)': (rt, self: Value, [order]: [Value]) => uniqueInPlace(rt, self, order, true),
  'unique(boolean, Closure)': (rt, self: Value, [mutates, order]: [boolean, Value]) =>
    uniqueInPlace(rt, self, order, mutates),
  'unique(boolean, Comparator)': (rt, self: Value, [mutates, order]: [boolean, Value]) =>
    uniqueInPlace(rt, self, order, mutates),
  'reverse(boolean)': (rt, self: List, [mutates]: [boolean]) => {
    if (!mutates) return listOf(rt, [...self.items].reverse());
    changed(rt, self, false).reverse();
    return self;
  },
  'reverseEach(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    for (const item of [...itemsNow(rt, self)].reverse()) yield* rt.invokeWith(closure, item);
    return self;
  },
  'swap(int, int)': (rt, self: List, [left, right]: [number, number]) => {
    const items = changed(rt, self, false);
    indexCheck(rt, left, items.length);
    indexCheck(rt, right, items.length);
    [items[left], items[right]] = [items[right]!, items[left]!];
    return self;
  },
  'transpose()': (rt, self: Value) => transposed(rt, itemsNow(rt, self)),
  'toSpreadMap()': (rt) => rt.fail('java.lang.UnsupportedOperationException', 'toSpreadMap is not available'),
  'asList()': (_rt, self: Value) => self,
  'getIndices()': (rt, self: Value) => indicesOf(rt, itemsNow(rt, self).length),
  'listIterator()': (rt, self: Value) => listIterator(rt, self, 0),
  'listIterator(int)': (rt, self: Value, [at]: [number]) => listIterator(rt, self, at),
  'putAt(List, Object)': (rt, self: Value, [indexes, value]: [List, Value]) => {
    for (const index of indexes.items) {
      indexCheck(rt, countOf(index), itemsNow(rt, self).length);
      putAt(rt, self, countOf(index), value);
    }
  },
  'putAt(List, List)': (rt, self: Value, [indexes, values]: [List, List]) => {
    if (indexes.items.length !== values.items.length)
      rt.fail(
        'java.lang.IllegalArgumentException',
        `Trying to replace ${indexes.items.length} elements with ${values.items.length} elements`,
      );
    for (const [at, index] of indexes.items.entries()) putAt(rt, self, countOf(index), values.items[at]!);
  },
  'shuffle()': (rt, self: Value) => shuffleItems(rt, changed(rt, self, false)),
  'ensureCapacity(int)': () => null,
  'trimToSize()': () => null,
};

function transposed(rt: Runtime, rows: readonly Value[]): List {
  const lists = rows.map((row) => itemsNow(rt, rt.cast(row, rt.class('java.util.List'))));
  const width = lists.length === 0 ? 0 : Math.min(...lists.map((list) => list.length));
  rt.budget.allocate(width * lists.length * 8 + width * 32);
  return listOf(
    rt,
    Array.from({ length: width }, (_, at) => new List(lists.map((list) => list[at]!))),
  );
}

function construct(className: string): ClassSpec {
  return {
    name: className,
    constructors: {
      '()': (rt) => new List([], rt.class(className)),
      '(int)': (rt, _self: Value, [capacity]: [number]) => {
        if (capacity < 0) rt.fail('java.lang.IllegalArgumentException', `Illegal Capacity: ${capacity}`);
        return new List([], rt.class(className));
      },
      '(Collection)': function* (rt: Runtime, _self: Value, [items]: [Value]): Steps {
        if (items === null) rt.fail('java.lang.NullPointerException', null);
        return new List([...(yield* allOf(rt, items))], rt.class(className));
      },
    },
    methods: {
      'clone()': (rt, self: List) => {
        rt.budget.allocate(self.items.length * 8);
        return new List([...self.items], self.javaClass);
      },
    },
  };
}

export const listClasses: readonly ClassSpec[] = [
  {
    name: 'java.util.List',
    methods: { ...elementMethods, ...sequenceMethods, ...listMethods },
    statics: immutableList,
  },
  construct('java.util.ArrayList'),
  construct('java.util.LinkedList'),
  { ...construct('java.util.Vector'), superclass: 'java.util.AbstractList', interfaces: ['java.util.RandomAccess'] },
  { ...construct('java.util.Stack'), superclass: 'java.util.Vector' },
  { ...construct('java.util.ArrayDeque'), superclass: 'java.util.AbstractCollection', interfaces: ['java.util.Deque'] },
  {
    ...construct('java.util.concurrent.CopyOnWriteArrayList'),
    superclass: 'java.util.AbstractList',
    interfaces: ['java.util.RandomAccess'],
  },
];
