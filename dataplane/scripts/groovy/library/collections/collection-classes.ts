import { ArrayValue, type Entry, GMap, GSet, List } from '../../values/collections.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { OBJECT } from '../../values/java-class.ts';
import { Range } from '../../values/range.ts';
import { tested } from '../../values/sam-results.ts';
import { stepsOf } from '../steps-of.ts';
import { type Cursor, cursorOver, listCursor, mapCursor } from './cursors.ts';
import { elementMethods } from './element-methods.ts';
import { iteratorClasses } from './iterator-classes.ts';
import { MapView } from './map-views.ts';
import { inOrder, sequenceMethods, uniqueOf } from './sequence-methods.ts';
import { comparatorOf, type IsInPart, orderOf, partMethods } from './sorted-ranges.ts';
import { treeOrder } from './sorting.ts';
import {
  allOf,
  checkChangeable,
  hashSetOf,
  isIn,
  itemsNow,
  JavaIterator,
  listOf,
  shortened,
  tableSize,
} from './walk.ts';
import { holds, walkingMethods } from './walking-methods.ts';

function sizeOf(rt: Runtime, self: Value): number {
  if (self instanceof List || self instanceof ArrayValue) return self.items.length;
  if (self instanceof GSet) return self.size;
  return self instanceof MapView ? self.map.size : itemsNow(rt, self).length;
}

/** A cursor that removes from what it walks over. */
function removingCursor(rt: Runtime, self: Value): Cursor {
  if (self instanceof List) return self.isFixed ? cursorOver(self.items) : listCursor(rt, self);
  if (self instanceof GSet) return mapCursor(rt, self.map, (entry) => entry.entryKey);
  if (self instanceof MapView)
    return mapCursor(rt, self.map, (entry) => (self.part === 'values' ? entry.value : entry));
  const items = itemsNow(rt, self);
  let at = 0;
  return {
    hasNext: () => at < items.length,
    next: () => (at < items.length ? items[at++]! : rt.fail('java.util.NoSuchElementException', null)),
  };
}

function contains(rt: Runtime, self: Value, value: Value): boolean {
  rt.budget.spend(1);
  if (self instanceof GSet) return self.has(value);
  const items = itemsNow(rt, self);
  rt.budget.spend(items.length);
  return items.some((item) => rt.javaEquals(value, item));
}

/** Removes every element that a test picks, from a set or from a view of a map. */
function* removeThat(rt: Runtime, self: Value, picks: (item: Value) => Steps<boolean>): Steps<boolean> {
  const cursor = removingCursor(rt, self);
  if (self instanceof GSet) checkChangeable(rt, self);
  if (self instanceof MapView) checkChangeable(rt, self.map);
  let isChanged = false;
  while (cursor.hasNext()) {
    rt.budget.spend(1);
    if (!(yield* picks(cursor.next()))) continue;
    if (cursor.remove === undefined) rt.fail('java.lang.UnsupportedOperationException', null);
    cursor.remove();
    isChanged = true;
  }
  return isChanged;
}

function arrayOfAll(rt: Runtime, self: Value, component: JavaClass): ArrayValue {
  const items = itemsNow(rt, self);
  rt.budget.allocate(items.length * 8);
  return new ArrayValue(component, [...items]);
}

/** The given array if it is long enough, else a new one of its class. */
function filledArray(rt: Runtime, self: Value, like: ArrayValue): ArrayValue {
  const type = like.javaClass.component!;
  const made = arrayOfAll(rt, self, type);
  if (made.items.some((item) => item !== null && !rt.isInstance(item, type)))
    rt.fail(
      'java.lang.ArrayStoreException',
      `arraycopy: element type mismatch: can not cast one of the elements of java.lang.Object[] to the type of the destination array, ${type.name}`,
    );
  if (like.items.length < made.items.length) return made;
  for (const [at, item] of made.items.entries()) like.items[at] = item;
  if (like.items.length > made.items.length) like.items[made.items.length] = null;
  return like;
}

function fixed(rt: Runtime, self: Value): Value {
  const items = [...itemsNow(rt, self)];
  rt.budget.allocate(items.length * 8);
  if (self instanceof GSet) {
    const isSorted = typeof self.map.order === 'function';
    const kind = `java.util.Collections$Unmodifiable${isSorted ? 'SortedSet' : 'Set'}`;
    const set = new GSet(items, rt.class(kind), isSorted ? new GMap(undefined, self.map.order) : undefined);
    set.isFixed = true;
    return set;
  }
  return new List(items, rt.class('java.util.Collections$UnmodifiableRandomAccessList'), true);
}

/** The same elements under the name of a synchronized class: there is one thread. */
function synchronizedCopy(rt: Runtime, self: Value): Value {
  if (self instanceof GSet) return new GSet([], rt.class('java.util.Collections$SynchronizedSet'), self.map);
  if (!(self instanceof List)) return self;
  return new List(self.items, rt.class('java.util.Collections$SynchronizedRandomAccessList'), self.isFixed);
}

/** Groovy compares elements as `==` does, of two lists or of two sets. */
function isSameKind(rt: Runtime, left: Value, right: Value): boolean {
  const kinds = ['java.util.List', 'java.util.Set'].filter((name) => rt.isInstance(left, rt.class(name)));
  return kinds.length === 0 ? left === right : kinds.every((name) => rt.isInstance(right, rt.class(name)));
}

/** Methods of every collection; lists have their own of some. */
const collectionMethods: Readonly<Record<string, LibraryFunction>> = {
  'size()': sizeOf as LibraryFunction,
  'toListString()': (rt, self: Value) => rt.text(self instanceof Range ? new List([...self.items]) : self),
  'toListString(int)': (rt, self: Value, [most]: [number]) =>
    shortened(
      itemsNow(rt, self).map((item) => rt.text(item)),
      most,
    ),
  'isEmpty()': (rt, self: Value) => sizeOf(rt, self) === 0,
  'contains(Object)': (rt, self: Value, [value]: [Value]) => {
    if (value === null && rt.classOf(self).name.startsWith('java.util.ImmutableCollections$'))
      rt.fail('java.lang.NullPointerException', null);
    return contains(rt, self, value);
  },
  'eachCombination(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    for (const each of itemsNow(rt, yield* rt.call(self, 'combinations', []))) yield* rt.invoke(closure, [each]);
    return null;
  },
  'equals(Object)': (rt, self: Value, [other]: [Value]) =>
    other !== null && isSameKind(rt, self, other) && rt.equals(self, other),
  'containsAll(Collection)': (rt, self: Value, [values]: [Value]) =>
    itemsNow(rt, values).every((value) => contains(rt, self, value)),
  ...Object.fromEntries(
    ['int', 'long', 'double', 'char', 'byte'].map((type) => [
      `containsAll(${type}[])`,
      (rt: Runtime, self: Value, [values]: [Value]) => itemsNow(rt, values).every((value) => contains(rt, self, value)),
    ]),
  ),
  'containsAll(Object...)': (rt, self: Value, [values]: [Value]) =>
    itemsNow(rt, values).every((value) => contains(rt, self, value)),
  'isCase(Object)': (rt, self: Value, [value]: [Value]) => contains(rt, self, value),
  'asBoolean()': (rt, self: Value) => sizeOf(rt, self) > 0,
  'iterator()': (rt, self: Value) => new JavaIterator(rt, removingCursor(rt, self)),
  'toArray()': (rt, self: Value) => arrayOfAll(rt, self, OBJECT),
  'toArray(Object[])': (rt, self: Value, [like]: [ArrayValue]) => filledArray(rt, self, like),
  'asImmutable()': fixed as LibraryFunction,
  'asUnmodifiable()': fixed as LibraryFunction,
  'asSynchronized()': (rt, self: Value) => synchronizedCopy(rt, self),
  'toSet()': function* (rt, self: Value) {
    const items = yield* allOf(rt, self);
    return hashSetOf(rt, items, tableSize(items.length));
  },
  'asList()': function* (rt, self: Value) {
    return listOf(rt, [...(yield* allOf(rt, self))]);
  },
  'getAt(int)': (rt, self: Value, [index]: [number]) => itemsNow(rt, self).at(index) ?? null,
  'sort()': function* (rt, self: Value) {
    return listOf(rt, yield* inOrder(rt, self, null));
  },
  'sort(boolean)': function* (rt, self: Value) {
    return listOf(rt, yield* inOrder(rt, self, null));
  },
  'sort(Closure)': function* (rt, self: Value, [order]: [Value]) {
    if (order === null) rt.fail('java.lang.NullPointerException', null);
    return listOf(rt, yield* inOrder(rt, self, order));
  },
  'sort(Comparator)': function* (rt, self: Value, [order]: [Value]) {
    return listOf(rt, yield* inOrder(rt, self, order));
  },
  'unique()': function* (rt, self: Value) {
    return self instanceof GSet ? self : listOf(rt, yield* uniqueOf(rt, yield* allOf(rt, self), null));
  },
  'removeAll(Collection)': function* (rt, self: Value, [others]: [Value]) {
    const less = itemsNow(rt, others);
    return yield* removeThat(rt, self, (item) => stepsOf(isIn(rt, item, less)));
  },
  'removeAll(Object...)': function* (rt, self: Value, [others]: [Value]) {
    const less = itemsNow(rt, others);
    return yield* removeThat(rt, self, (item) => stepsOf(isIn(rt, item, less)));
  },
  'retainAll(Collection)': function* (rt, self: Value, [others]: [Value]) {
    const kept = itemsNow(rt, others);
    return yield* removeThat(rt, self, (item) => stepsOf(!isIn(rt, item, kept)));
  },
  'removeAll(Closure)': (rt, self: Value, [closure]: [Value]) =>
    removeThat(rt, self, (item) => holds(rt, self, closure, item)),
  'retainAll(Closure)': (rt, self: Value, [closure]: [Value]) =>
    removeThat(rt, self, function* (item) {
      return !(yield* holds(rt, self, closure, item));
    }),
  'removeIf(java.util.function.Predicate)': (rt, self: Value, [predicate]: [Value]) =>
    removeThat(rt, self, function* (item) {
      return yield* tested(rt, predicate, [item]);
    }),
  'remove(Object)': function* (rt, self: Value, [value]: [Value]) {
    if (self instanceof GSet) {
      checkChangeable(rt, self);
      return self.delete(value);
    }
    let isFound = false;
    return yield* removeThat(rt, self, (item) => {
      const isIt = !isFound && rt.javaEquals(item, value);
      isFound ||= isIt;
      return stepsOf(isIt);
    });
  },
  'clear()': (rt, self: Value) => {
    const map =
      self instanceof GSet || self instanceof MapView
        ? self.map
        : rt.fail('java.lang.UnsupportedOperationException', null);
    checkChangeable(rt, self instanceof GSet ? self : map);
    map.clear();
  },
};

function addTo(rt: Runtime, self: GSet, value: Value): boolean {
  checkChangeable(rt, self);
  if (self.javaClass.name.startsWith('java.util.LinkedHashMap$'))
    rt.fail('java.lang.UnsupportedOperationException', null);
  rt.budget.spend(1);
  rt.budget.allocate(48);
  return self.add(value);
}

function addAllTo(rt: Runtime, self: GSet, values: Value): boolean {
  let isChanged = false;
  for (const value of itemsNow(rt, values)) if (addTo(rt, self, value)) isChanged = true;
  return isChanged;
}

const setMethods: Readonly<Record<string, LibraryFunction>> = {
  'add(Object)': (rt, self: GSet, [value]: [Value]) => addTo(rt, self, value),
  'addAll(Collection)': (rt, self: GSet, [values]: [Value]) => addAllTo(rt, self, values),
  'addAll(Object[])': (rt, self: GSet, [values]: [Value]) => addAllTo(rt, self, values),
  'leftShift(Object)': (rt, self: GSet, [value]: [Value]) => {
    addTo(rt, self, value);
    return self;
  },
  'clone()': (rt, self: GSet) => newSet(rt, self.javaClass.name, self.items(), self.map.order),
};

function newSet(rt: Runtime, className: string, items: Iterable<Value>, order?: GMap['order']): GSet {
  const kind = order ?? (className === 'java.util.HashSet' ? 'hash' : 'linked');
  const map = new GMap(rt.class('java.util.HashMap'), kind);
  const set = new GSet(items, rt.class(className), map);
  if (set.size > 0) map.reserve(set.size + 1);
  rt.budget.allocate(64 + set.size * 48);
  return set;
}

function setSpec(className: string): ClassSpec {
  return {
    name: className,
    constructors: {
      '()': (rt) => newSet(rt, className, []),
      '(int)': (rt) => newSet(rt, className, []),
      '(Collection)': function* (rt: Runtime, _self: Value, [items]: [Value]): Steps {
        return newSet(rt, className, yield* allOf(rt, items));
      },
    },
  };
}

function navigated(
  pick: (items: Value[], order: ReturnType<typeof orderOf>, key: Value) => Value | undefined,
  isNeeded = false,
): LibraryFunction {
  return (rt: Runtime, self: GSet, [key = null]: [Value?]) => {
    const found = pick(self.items(), orderOf(self.map), key);
    return found === undefined ? (isNeeded ? rt.fail('java.util.NoSuchElementException', null) : null) : found;
  };
}

const treeSet: ClassSpec = {
  name: 'java.util.TreeSet',
  constructors: {
    '()': (rt) => newSet(rt, 'java.util.TreeSet', [], treeOrder(rt)),
    '(Comparator)': (rt, _self: Value, [order]: [Value]) => newSet(rt, 'java.util.TreeSet', [], treeOrder(rt, order)),
    '(Collection)': function* (rt: Runtime, _self: Value, [items]: [Value]): Steps {
      const all = yield* allOf(rt, items);
      return newSet(rt, 'java.util.TreeSet', all, treeOrder(rt));
    },
  },
  methods: {
    'first()': navigated((items) => items[0], true),
    'last()': navigated((items) => items.at(-1), true),
    'floor(Object)': navigated((items, order, key) => items.findLast((item) => order(item, key) <= 0)),
    'lower(Object)': navigated((items, order, key) => items.findLast((item) => order(item, key) < 0)),
    'ceiling(Object)': navigated((items, order, key) => items.find((item) => order(item, key) >= 0)),
    'higher(Object)': navigated((items, order, key) => items.find((item) => order(item, key) > 0)),
    ...partMethods('Set', setPart),
    'comparator()': (_rt, self: GSet) => comparatorOf(self.map),
    'sort()': (_rt, self: GSet) => self,
    'toSorted()': (rt, self: GSet) => newSet(rt, 'java.util.LinkedHashSet', self.items()),
    'asReversed()': (rt, self: GSet) => descending(rt, self),
    'descendingSet()': (rt, self: GSet) => descending(rt, self),
    'descendingIterator()': (rt, self: GSet) => new JavaIterator(rt, cursorOver(self.items().reverse())),
    'pollFirst()': (rt, self: GSet) => polled(rt, self, 0),
    'pollLast()': (rt, self: GSet) => polled(rt, self, -1),
  },
};

function setPart(isIn: IsInPart): LibraryFunction {
  return (rt: Runtime, self: GSet, bounds: readonly Value[]) => {
    const order = orderOf(self.map);
    const items = self.items().filter((item) => isIn(order, item, bounds));
    return newSet(rt, 'java.util.TreeSet', items, order);
  };
}

function descending(rt: Runtime, self: GSet): GSet {
  const order = orderOf(self.map);
  return newSet(rt, 'java.util.TreeSet', self.items(), (left, right) => order(right, left));
}

function polled(rt: Runtime, self: GSet, at: 0 | -1): Value {
  const item = self.items().at(at) ?? null;
  rt.budget.spend(1);
  if (self.size > 0) self.delete(item);
  return item;
}

const immutableKind = (size: number): string =>
  `java.util.ImmutableCollections$${size === 1 || size === 2 ? 'Set12' : 'SetN'}`;

const setStatics: Readonly<Record<string, LibraryFunction>> = {
  'of(Object...)': (rt, _self: Value, [items]: [ArrayValue]) => {
    const set = new GSet([], rt.class(immutableKind(items.items.length)));
    for (const item of items.items) {
      if (item === null) rt.fail('java.lang.NullPointerException', null);
      if (!set.add(item)) rt.fail('java.lang.IllegalArgumentException', `duplicate element: ${rt.text(item)}`);
    }
    set.isFixed = true;
    return set;
  },
  'copyOf(Collection)': (rt, _self: Value, [items]: [Value]) => {
    const set = new GSet(itemsNow(rt, items), rt.class(immutableKind(new GSet(itemsNow(rt, items)).size)));
    set.isFixed = true;
    return set;
  },
};

/** Methods over elements that only lists have. */
function withoutListMethods(): Record<string, LibraryFunction> {
  const { 'reverse()': _reverse, 'subsequences()': _parts, 'asReversed()': _reversed, ...rest } = sequenceMethods;
  return rest;
}

export const collectionClasses: readonly ClassSpec[] = [
  { name: 'java.lang.Iterable', methods: { ...elementMethods, ...withoutListMethods(), ...walkingMethods } },
  { name: 'java.util.Collection', methods: collectionMethods },
  { name: 'java.util.Set', methods: setMethods, statics: setStatics },
  setSpec('java.util.HashSet'),
  setSpec('java.util.LinkedHashSet'),
  treeSet,
  ...iteratorClasses,
  { name: 'java.util.ImmutableCollections$Set12', superclass: 'java.util.AbstractSet' },
  { name: 'java.util.ImmutableCollections$SetN', superclass: 'java.util.AbstractSet' },
  { name: 'java.util.Collections$UnmodifiableSet', superclass: 'java.util.AbstractSet' },
  { name: 'java.util.Collections$UnmodifiableSortedSet', superclass: 'java.util.AbstractSet' },
  ...['LinkedHashMap$Linked', 'HashMap$', 'TreeMap$'].flatMap((owner): ClassSpec[] => [
    { name: `java.util.${owner}KeySet`, superclass: 'java.util.AbstractSet' },
    { name: `java.util.${owner}Values`, superclass: 'java.util.AbstractCollection' },
    { name: `java.util.${owner}EntrySet`, superclass: 'java.util.AbstractSet' },
  ]),
];

/** Methods of entries. */
export const entryMethods: Readonly<Record<string, LibraryFunction>> = {
  'getKey()': (_rt, self: Entry) => self.entryKey,
  'getValue()': (_rt, self: Entry) => self.value,
  'setValue(Object)': (_rt, self: Entry, [value]: [Value]) => {
    const before = self.value;
    self.value = value;
    return before;
  },
};
