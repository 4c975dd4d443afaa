import { randomInt } from 'node:crypto';
import { type ArrayValue, ByteArray, GMap, GSet, List } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { comparedBy } from '../../values/sam-results.ts';
import { reversed } from '../functional/comparators.ts';
import { type StreamKind, streamOf } from '../functional/stream.ts';
import { countOf } from '../numeric.ts';
import { stepsOf } from '../steps-of.ts';
import { type AnyArray, refillArray } from './array-classes.ts';
import { cursorOver } from './cursors.ts';
import { arrayAsList, fixedList } from './fixed-lists.ts';
import { fixedMap } from './fixed-maps.ts';
import { sameKind } from './sequence-methods.ts';
import { type Comparing, sorted, treeOrder } from './sorting.ts';
import { checkChangeable, itemsNow, JavaIterator, listOf, refill } from './walk.ts';

/** The order of a comparator of Java, or of its `compareTo`. */
function javaOrder(rt: Runtime, order: Value): Comparing {
  const natural = treeOrder(rt);
  return order === null
    ? (left, right) => stepsOf(natural(left, right))
    : (left, right) => comparedBy(rt, order, left, right);
}

function* extreme(rt: Runtime, items: readonly Value[], order: Value, sign: 1 | -1): Steps {
  if (items.length === 0) rt.fail('java.util.NoSuchElementException', null);
  const compare = javaOrder(rt, order);
  let best: Value = items[0] ?? null;
  for (const item of items.slice(1)) if (sign * (yield* compare(item, best)) > 0) best = item;
  return best;
}

function fixedSet(rt: Runtime, items: Iterable<Value>, kind: string): GSet {
  const set = new GSet(items, rt.class(`java.util.Collections$${kind}`));
  set.isFixed = true;
  return set;
}

function changedItems(rt: Runtime, list: List): Value[] {
  checkChangeable(rt, list);
  rt.budget.spend(list.items.length);
  return list.items;
}

/** Java's search by halves: the index, or where the key would be. */
function* searched(items: readonly Value[], compare: (item: Value) => Steps<number>): Steps<number> {
  let from = 0;
  let end = items.length - 1;
  while (from <= end) {
    const middle = (from + end) >>> 1;
    const order = yield* compare(items[middle]!);
    if (order === 0) return middle;
    if (order < 0) from = middle + 1;
    else end = middle - 1;
  }
  return -(from + 1);
}

/** Java's order of moves, which a seed of Random makes known. */
function* shuffleWith(rt: Runtime, list: List, random: Value): Steps {
  const items = changedItems(rt, list);
  for (let size = items.length; size > 1; size--) {
    const other = countOf(yield* rt.call(random, 'nextInt', [size]));
    [items[size - 1], items[other]] = [items[other]!, items[size - 1]!];
  }
  return null;
}

function partIndexes(rt: Runtime, items: readonly Value[], part: readonly Value[]): number[] {
  rt.budget.spend(items.length * (1 + part.length));
  return Array.from({ length: Math.max(0, items.length - part.length + 1) }, (_, at) => at).filter((at) =>
    part.every((item, offset) => rt.javaEquals(item, items[at + offset]!)),
  );
}

function* sortList(rt: Runtime, list: List, order: Value): Steps {
  checkChangeable(rt, list);
  refill(list.items, yield* sorted(rt, list.items, javaOrder(rt, order)));
  return null;
}

const fixed = (rt: Runtime, value: Value): ReturnType<LibraryFunction> => rt.call(value, 'asUnmodifiable', []);

const collections: Readonly<Record<string, LibraryFunction>> = {
  'sort(List)': (rt, _self: Value, [list]: [List]) => sortList(rt, list, null),
  'sort(List, Comparator)': (rt, _self: Value, [list, order]: [List, Value]) => sortList(rt, list, order),
  'reverse(List)': (rt, _self: Value, [list]: [List]) => {
    checkChangeable(rt, list);
    list.items.reverse();
  },
  'shuffle(List)': (rt, _self: Value, [list]: [List]) => {
    checkChangeable(rt, list);
    for (let at = list.items.length - 1; at > 0; at--) {
      const other = randomInt(at + 1);
      [list.items[at], list.items[other]] = [list.items[other]!, list.items[at]!];
    }
  },
  'max(Collection)': (rt, _self: Value, [items]: [Value]) => extreme(rt, itemsNow(rt, items), null, 1),
  'min(Collection)': (rt, _self: Value, [items]: [Value]) => extreme(rt, itemsNow(rt, items), null, -1),
  'max(Collection, Comparator)': (rt, _self: Value, [items, order]: [Value, Value]) =>
    extreme(rt, itemsNow(rt, items), order, 1),
  'min(Collection, Comparator)': (rt, _self: Value, [items, order]: [Value, Value]) =>
    extreme(rt, itemsNow(rt, items), order, -1),
  'unmodifiableList(List)': (rt, _self: Value, [list]: [Value]) =>
    rt.isInstance(list, rt.class('java.util.LinkedList'))
      ? fixedList(rt, [...itemsNow(rt, list)], 'UnmodifiableList')
      : fixed(rt, list),
  'unmodifiableSet(Set)': (rt, _self: Value, [set]: [Value]) => fixed(rt, set),
  'unmodifiableCollection(Collection)': (rt) =>
    rt.fail('java.lang.UnsupportedOperationException', 'unmodifiableCollection(Collection) is not available'),
  'unmodifiableMap(Map)': (rt, _self: Value, [map]: [GMap]) => fixedMap(rt, map),
  'synchronizedList(List)': (rt, _self: Value, [list]: [Value]) => rt.call(list, 'asSynchronized', []),
  'synchronizedMap(Map)': (rt, _self: Value, [map]: [Value]) => rt.call(map, 'asSynchronized', []),
  'synchronizedSet(Set)': (rt, _self: Value, [set]: [Value]) => rt.call(set, 'asSynchronized', []),
  'emptyList()': (rt) => fixedList(rt, [], 'EmptyList'),
  'emptySet()': (rt) => fixedSet(rt, [], 'EmptySet'),
  'emptyMap()': (rt) => fixedMap(rt, new GMap(), 'EmptyMap'),
  'emptyIterator()': (rt) => new JavaIterator(rt, cursorOver([]), 'java.util.Collections$EmptyIterator'),
  'singletonList(Object)': (rt, _self: Value, [item]: [Value]) => fixedList(rt, [item], 'SingletonList'),
  'singleton(Object)': (rt, _self: Value, [item]: [Value]) => fixedSet(rt, [item], 'SingletonSet'),
  'singletonMap(Object, Object)': (rt, _self: Value, [key, value]: [Value, Value]) => {
    const map = new GMap();
    map.put(key, value);
    return fixedMap(rt, map, 'SingletonMap');
  },
  'binarySearch(List, Object)': (rt, _self: Value, [list, key]: [Value, Value]) =>
    searched(itemsNow(rt, list), (item) => javaOrder(rt, null)(item, key)),
  'binarySearch(List, Object, Comparator)': (rt, _self: Value, [list, key, order]: [Value, Value, Value]) =>
    searched(itemsNow(rt, list), (item) => javaOrder(rt, order)(item, key)),
  'rotate(List, int)': (rt, _self: Value, [list, distance]: [List, number]) => {
    const items = changedItems(rt, list);
    const by = items.length === 0 ? 0 : ((distance % items.length) + items.length) % items.length;
    refill(items, [...items.slice(items.length - by), ...items.slice(0, items.length - by)]);
  },
  'fill(List, Object)': (rt, _self: Value, [list, value]: [List, Value]) => void changedItems(rt, list).fill(value),
  'copy(List, List)': (rt, _self: Value, [target, source]: [List, List]) => {
    if (source.items.length > target.items.length)
      rt.fail('java.lang.IndexOutOfBoundsException', 'Source does not fit in dest');
    const items = changedItems(rt, target);
    for (const [at, item] of source.items.entries()) items[at] = item;
  },
  'replaceAll(List, Object, Object)': (rt, _self: Value, [list, from, to]: [List, Value, Value]) => {
    const items = changedItems(rt, list);
    const at = items.flatMap((item, index) => (rt.javaEquals(from, item) ? [index] : []));
    for (const index of at) items[index] = to;
    return at.length > 0;
  },
  'shuffle(List, Random)': (rt, _self: Value, [list, random]: [List, Value]) => shuffleWith(rt, list, random),
  'indexOfSubList(List, List)': (rt, _self: Value, [list, part]: [List, List]) =>
    partIndexes(rt, list.items, part.items)[0] ?? -1,
  'lastIndexOfSubList(List, List)': (rt, _self: Value, [list, part]: [List, List]) =>
    partIndexes(rt, list.items, part.items).at(-1) ?? -1,
  'list(java.util.Enumeration)': (rt, _self: Value, [items]: [Value]) => listOf(rt, [...itemsNow(rt, items)]),
  'enumeration(Collection)': (rt, _self: Value, [items]: [Value]) =>
    new JavaIterator(rt, cursorOver([...itemsNow(rt, items)]), 'java.util.Collections$3'),
  'nCopies(int, Object)': (rt, _self: Value, [count, item]: [number, Value]) => {
    if (count < 0) rt.fail('java.lang.IllegalArgumentException', `List length = ${count}`);
    rt.budget.allocate(count * 8);
    rt.budget.spend(count);
    return fixedList(
      rt,
      Array.from({ length: count }, () => item),
      'CopiesList',
    );
  },
  'frequency(Collection, Object)': (rt, _self: Value, [items, wanted]: [Value, Value]) =>
    itemsNow(rt, items).filter((item) => rt.javaEquals(wanted, item)).length,
  'addAll(Collection, Object...)': (rt, _self: Value, [target, items]: [Value, ArrayValue]) =>
    rt.call(target, 'addAll', [new List(items.items)]),
  'reverseOrder()': (rt) => reversed(rt, null),
  'reverseOrder(Comparator)': (rt, _self: Value, [order]: [Value]) => reversed(rt, order),
  'disjoint(Collection, Collection)': (rt, _self: Value, [left, right]: [Value, Value]) =>
    !itemsNow(rt, left).some((item) => itemsNow(rt, right).some((other) => rt.javaEquals(item, other))),
  'swap(List, int, int)': function* (rt, _self: Value, [list, left, right]: [Value, number, number]) {
    yield* rt.call(list, 'swap', [left, right]);
    return null;
  },
};

function copied(rt: Runtime, array: AnyArray, from: number, end: number): Value {
  const items = itemsNow(rt, array);
  if (from > items.length) rt.fail('java.lang.ArrayIndexOutOfBoundsException', null);
  if (from > end) rt.fail('java.lang.IllegalArgumentException', `${from} > ${end}`);
  rt.budget.allocate((end - from) * 8);
  const isByte = array instanceof ByteArray;
  const zero: Value = isByte || ['int', 'short', 'long'].includes(array.javaClass.component!.name) ? 0 : null;
  return sameKind(
    rt,
    array,
    Array.from({ length: end - from }, (_, at) => items[from + at] ?? zero),
  );
}

function areEqual(rt: Runtime, left: AnyArray | null, right: AnyArray | null): boolean {
  if (left === null || right === null) return left === right;
  const [a, b] = [itemsNow(rt, left), itemsNow(rt, right)];
  rt.budget.spend(a.length);
  return a.length === b.length && a.every((item, at) => rt.javaEquals(item, b[at]!));
}

/** Arrays of these types have streams of their own. */
function kindOf(array: AnyArray): StreamKind {
  const name = array instanceof ByteArray ? '' : array.javaClass.component!.name;
  return name === 'int' || name === 'long' || name === 'double' ? name : 'object';
}

const arrays: Readonly<Record<string, LibraryFunction>> = {
  'asList(Object...)': (rt, _self: Value, [items]: [ArrayValue | null]) =>
    arrayAsList(rt, (items ?? rt.fail('java.lang.NullPointerException', null)).items),
  'asList(int[])': (rt, _self: Value, [items]: [ArrayValue]) => arrayAsList(rt, [...items.items]),
  'toString(Object[])': (rt, _self: Value, [array]: [Value]) =>
    array === null
      ? 'null'
      : `[${itemsNow(rt, array)
          .map((item) => rt.javaText(item))
          .join(', ')}]`,
  'deepToString(Object[])': (rt, _self: Value, [array]: [Value]) => rt.text(new List(itemsNow(rt, array))),
  'equals(Object[], Object[])': (rt, _self: Value, [left, right]: [AnyArray, AnyArray]) => areEqual(rt, left, right),
  'hashCode(Object[])': (rt, _self: Value, [array]: [Value]) => {
    if (array === null) return 0;
    const items = itemsNow(rt, array);
    rt.budget.spend(items.length);
    return rt.hash(new List(items));
  },
  'copyOf(Object[], int)': (rt, _self: Value, [array, length]: [AnyArray, number]) => copied(rt, array, 0, length),
  'copyOfRange(Object[], int, int)': (rt, _self: Value, [array, from, end]: [AnyArray, number, number]) =>
    copied(rt, array, from, end),
  'fill(Object[], Object)': (rt, _self: Value, [array, value]: [AnyArray, Value]) =>
    refillArray(
      array,
      itemsNow(rt, array).map(() => value),
    ),
  'sort(Object[])': function* (rt, _self: Value, [array]: [AnyArray]) {
    refillArray(array, yield* sorted(rt, itemsNow(rt, array), javaOrder(rt, null)));
    return null;
  },
  'sort(Object[], Comparator)': function* (rt, _self: Value, [array, order]: [AnyArray, Value]) {
    refillArray(array, yield* sorted(rt, itemsNow(rt, array), javaOrder(rt, order)));
    return null;
  },
  'stream(Object[])': (rt, _self: Value, [array]: [AnyArray]) => streamOf(rt, itemsNow(rt, array), kindOf(array)),
  'stream(Object[], int, int)': (rt, _self: Value, [array, from, end]: [AnyArray, number, number]) => {
    const items = itemsNow(rt, array);
    if (from > end) rt.fail('java.lang.ArrayIndexOutOfBoundsException', `origin(${from}) > fence(${end})`);
    if (from < 0 || end > items.length) {
      rt.fail('java.lang.ArrayIndexOutOfBoundsException', `Array index out of range: ${from < 0 ? from : end}`);
    }
    return streamOf(rt, items.slice(from, end), kindOf(array));
  },
  'binarySearch(Object[], Object)': (rt, _self: Value, [array, key]: [Value, Value]) => {
    return searched(itemsNow(rt, array), (item) => javaOrder(rt, null)(item, key));
  },
};

const objects: Readonly<Record<string, LibraryFunction>> = {
  'equals(Object, Object)': (rt, _self: Value, [left, right]: [Value, Value]) => rt.javaEquals(left, right),
  'hash(Object...)': (rt, _self: Value, [values]: [ArrayValue | null]) =>
    values === null ? 0 : rt.hash(new List(values.items)),
  'hashCode(Object)': (rt, _self: Value, [value]: [Value]) => rt.hash(value),
  'toString(Object)': (rt, _self: Value, [value]: [Value]) => rt.javaText(value),
  'toString(Object, String)': (rt, _self: Value, [value, fallback]: [Value, Value]) =>
    value === null ? fallback : rt.javaText(value),
  'isNull(Object)': (_rt, _self: Value, [value]: [Value]) => value === null,
  'nonNull(Object)': (_rt, _self: Value, [value]: [Value]) => value !== null,
  'requireNonNull(Object)': (rt, _self: Value, [value]: [Value]) =>
    value ?? rt.fail('java.lang.NullPointerException', null),
  'requireNonNull(Object, String)': (rt, _self: Value, [value, message]: [Value, string]) =>
    value ?? rt.fail('java.lang.NullPointerException', message),
  'requireNonNullElse(Object, Object)': (rt, _self: Value, [value, other]: [Value, Value]) =>
    value ?? other ?? rt.fail('java.lang.NullPointerException', 'defaultObj'),
  'compare(Object, Object, Comparator)': function* (rt, _self: Value, [left, right, order]: [Value, Value, Value]) {
    return rt.javaEquals(left, right) ? 0 : yield* comparedBy(rt, order, left, right);
  },
};

const PRIMITIVE_ARRAYS = ['int', 'long', 'double', 'char', 'byte', 'boolean', 'short', 'float'] as const;

const setKinds = ['EmptySet', 'SynchronizedSet'] as const;
const mapKinds = ['EmptyMap', 'SingletonMap', 'SynchronizedMap', 'UnmodifiableSortedMap'] as const;

/** The iterator of a collection of one element. */
function loneIterator(rt: Runtime, self: Value): Value {
  const remove = (): never => rt.fail('java.lang.UnsupportedOperationException', null);
  return new JavaIterator(rt, { ...cursorOver(itemsNow(rt, self)), remove }, 'java.util.Collections$1');
}

export const staticsClasses: readonly ClassSpec[] = [
  ...setKinds.map(
    (kind): ClassSpec => ({ name: `java.util.Collections$${kind}`, superclass: 'java.util.AbstractSet' }),
  ),
  ...mapKinds.map(
    (kind): ClassSpec => ({ name: `java.util.Collections$${kind}`, superclass: 'java.util.AbstractMap' }),
  ),
  { name: 'java.util.Collections$EmptyIterator', interfaces: ['java.util.Iterator'] },
  { name: 'java.util.Collections$1', interfaces: ['java.util.Iterator'] },
  {
    name: 'java.util.Collections$SingletonSet',
    superclass: 'java.util.AbstractSet',
    methods: { 'iterator()': loneIterator },
  },
  { name: 'java.util.Collections$SingletonList', methods: { 'iterator()': loneIterator } },
  { name: 'java.util.Collections$SingletonMap', methods: { 'iterator()': loneIterator } },
  {
    name: 'java.util.Enumeration',
    kind: 'interface',
    methods: {
      'hasMoreElements()': (_rt, self: JavaIterator) => self.cursor.hasNext(),
      'nextElement()': (rt, self: JavaIterator) =>
        self.cursor.hasNext() ? self.cursor.next() : rt.fail('java.util.NoSuchElementException', null),
    },
  },
  {
    name: 'java.util.Collections$3',
    interfaces: ['java.util.Enumeration'],
    methods: { 'toList()': (rt, self: Value) => listOf(rt, [...itemsNow(rt, self)]) },
  },
  {
    name: 'java.util.Collections',
    statics: collections,
    constants: {
      EMPTY_LIST: (rt) => fixedList(rt, [], 'EmptyList'),
      EMPTY_MAP: (rt) => fixedMap(rt, new GMap(), 'EmptyMap'),
      EMPTY_SET: (rt) => fixedSet(rt, [], 'EmptySet'),
    },
  },
  { name: 'java.util.Arrays', statics: forAllArrays(arrays) },
  { name: 'java.util.Objects', statics: objects },
];

/** The methods once for arrays of objects and once for each primitive type. */
function forAllArrays(methods: Readonly<Record<string, LibraryFunction>>): Record<string, LibraryFunction> {
  const out: Record<string, LibraryFunction> = {};
  for (const [signature, code] of Object.entries(methods)) {
    out[signature] = code;
    for (const type of PRIMITIVE_ARRAYS) out[signature.replaceAll('Object[]', `${type}[]`)] = code;
  }
  return out;
}
