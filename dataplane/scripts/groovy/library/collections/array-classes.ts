import { ArrayValue, ByteArray, List } from '../../values/collections.ts';
import { PRIMITIVES } from '../../values/core-classes.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { Byte } from '../../values/numbers.ts';
import { countOf } from '../numeric.ts';
import { cursorOver } from './cursors.ts';
import { elementMethods } from './element-methods.ts';
import { bordersOf, indexIn, isRange, listBordersOf, normalIndex, type RangeEnds } from './range-borders.ts';
import { inOrder, sameKind, sequenceMethods, uniqueOf } from './sequence-methods.ts';
import { hashSetOf, indicesOf, itemsNow, JavaIterator, listOf } from './walk.ts';

/** An array of Java. */
export type AnyArray = ArrayValue | ByteArray;

function lengthOf(array: AnyArray): number {
  return array instanceof ByteArray ? array.bytes.length : array.items.length;
}

function indexOf(rt: Runtime, array: AnyArray, index: number): number {
  const length = lengthOf(array);
  const at = normalIndex(rt, index, length);
  if (at >= length)
    rt.fail('java.lang.ArrayIndexOutOfBoundsException', `Index ${index} out of bounds for length ${length}`);
  return at;
}

export function isArray(value: Value): value is AnyArray {
  return value instanceof ArrayValue || value instanceof ByteArray;
}

export function elementAt(rt: Runtime, array: AnyArray, index: number): Value {
  const at = indexOf(rt, array, index);
  return array instanceof ByteArray ? new Byte(array.bytes[at]!) : array.items[at]!;
}

function putAt(rt: Runtime, array: AnyArray, index: number, value: Value): void {
  const at = indexOf(rt, array, index);
  if (array instanceof ByteArray) array.bytes[at] = countOf(rt.cast(value, rt.class('byte')));
  else array.items[at] = rt.cast(value, array.javaClass.component!);
}

function part(rt: Runtime, array: AnyArray, range: RangeEnds): Value {
  const isOfObjects = array instanceof ArrayValue && !Object.hasOwn(PRIMITIVES, array.javaClass.component!.name);
  const { from, end, isReversed } = (isOfObjects ? listBordersOf : bordersOf)(rt, range, lengthOf(array));
  // Groovy takes the elements of primitives one by one, so a border that is still negative counts from the end again.
  const found: Value[] = [];
  for (let at = from; at < end; at++) {
    if (at >= lengthOf(array)) rt.fail('java.lang.ArrayIndexOutOfBoundsException', null);
    found.push(elementAt(rt, array, at));
  }
  return listOf(rt, isReversed ? found.reverse() : found);
}

/** Puts sorted elements back. */
export function refillArray(array: AnyArray, items: readonly Value[]): void {
  for (const [at, item] of items.entries()) {
    if (array instanceof ByteArray) array.bytes[at] = countOf(item);
    else array.items[at] = item;
  }
}

function* sortArray(rt: Runtime, self: AnyArray, order: Value, mutates: boolean): Steps {
  const items = yield* inOrder(rt, self, order);
  if (!mutates) return sameKind(rt, self, items);
  refillArray(self, items);
  return self;
}

const arrayMethods: Readonly<Record<string, LibraryFunction>> = {
  ...elementMethods,
  ...sequenceMethods,
  'getAt(int)': (rt, self: AnyArray, [index]: [number]) => elementAt(rt, self, index),
  'getAt(Range)': (rt, self: AnyArray, [range]: [RangeEnds]) => part(rt, self, range),
  'getAt(Collection)': (rt, self: AnyArray, [indexes]: [Value]) =>
    listOf(
      rt,
      itemsNow(rt, indexes).flatMap((index) =>
        isRange(index) ? itemsNow(rt, part(rt, self, index)) : [elementAt(rt, self, indexIn(rt, index))],
      ),
    ),
  'putAt(int, Object)': (rt, self: AnyArray, [index, value]: [number, Value]) => putAt(rt, self, index, value),
  'size()': (_rt, self: AnyArray) => lengthOf(self),
  'asBoolean()': (_rt, self: AnyArray) => lengthOf(self) > 0,
  'contains(Object)': (rt, self: AnyArray, [value]: [Value]) =>
    itemsNow(rt, self).some((item) => rt.equals(item, value)),
  'isCase(Object)': (rt, self: AnyArray, [value]: [Value]) => itemsNow(rt, self).some((item) => rt.equals(item, value)),
  'clone()': (rt, self: AnyArray) => sameKind(rt, self, [...itemsNow(rt, self)]),
  'iterator()': (rt, self: AnyArray) => new JavaIterator(rt, cursorOver(itemsNow(rt, self))),
  'getIndices()': (rt, self: AnyArray) => indicesOf(rt, lengthOf(self)),
  'equals(Object)': (rt, self: AnyArray, [other]: [Value]) =>
    (isArray(other) || other instanceof List) &&
    rt.equals(listOf(rt, itemsNow(rt, self)), listOf(rt, itemsNow(rt, other))),
  'swap(int, int)': (rt, self: AnyArray, [left, right]: [number, number]) => {
    const [a, b] = [elementAt(rt, self, left), elementAt(rt, self, right)];
    putAt(rt, self, left, b);
    putAt(rt, self, right, a);
    return self;
  },
  'sort()': (rt, self: AnyArray) => sortArray(rt, self, null, true),
  'sort(boolean)': (rt, self: AnyArray, [mutates]: [boolean]) => sortArray(rt, self, null, mutates),
  'sort(Closure)': (rt, self: AnyArray, [order]: [Value]) => sortArray(rt, self, order, true),
  'sort(Comparator)': (rt, self: AnyArray, [order]: [Value]) => sortArray(rt, self, order, true),
  'toSorted()': (rt, self: AnyArray) => sortArray(rt, self, null, false),
  'toSorted(Closure)': (rt, self: AnyArray, [order]: [Value]) => sortArray(rt, self, order, false),
  'toUnique()': function* (rt, self: AnyArray) {
    return sameKind(rt, self, yield* uniqueOf(rt, itemsNow(rt, self), null));
  },
  'reverse(boolean)': (rt, self: AnyArray, [mutates]: [boolean]) => {
    const items = [...itemsNow(rt, self)].reverse();
    if (!mutates) return sameKind(rt, self, items);
    refillArray(self, items);
    return self;
  },
  'reverseEach(Closure)': function* (rt, self: AnyArray, [closure]: [Value]) {
    for (const item of [...itemsNow(rt, self)].reverse()) yield* rt.invokeWith(closure, item);
    return self;
  },
  'asList()': (rt, self: AnyArray) => listOf(rt, [...itemsNow(rt, self)]),
  'toArray()': (_rt, self: AnyArray) => self,
};

/** Methods of arrays of primitive types: Groovy has fewer for them. */
const PRIMITIVE_NAMES: ReadonlySet<string> = new Set(
  'average contains count flatten getIndices indexed join max min size sum swap toList toSet getAt putAt clone iterator asBoolean isCase asList stream'.split(
    ' ',
  ),
);

const primitiveMethods = Object.fromEntries(
  Object.entries(arrayMethods).filter(([signature]) => PRIMITIVE_NAMES.has(signature.slice(0, signature.indexOf('(')))),
);

const getters = { length: (_rt: Runtime, self: AnyArray) => lengthOf(self) };

/** Methods of collections that no array has. */
const COLLECTIONS_ONLY: ReadonlySet<string> = new Set(
  'collectNested withIndex indexed forEach combinations tails inits permutations subsequences eachPermutation asCollection asReversed multiply intersect disjoint asList toArray'.split(
    ' ',
  ),
);

const objectMethods = Object.fromEntries(
  Object.entries(arrayMethods).filter(
    ([signature]) => !COLLECTIONS_ONLY.has(signature.slice(0, signature.indexOf('('))),
  ),
);

/** Arrays of primitive types are equal to themselves; only those of ints are compared. */
const isSame: LibraryFunction = (rt: Runtime, self: AnyArray, [other]: [Value]) =>
  self === other ||
  (self.javaClass.component!.name === 'int' &&
    other instanceof ArrayValue &&
    other.javaClass === self.javaClass &&
    rt.equals(listOf(rt, itemsNow(rt, self)), listOf(rt, itemsNow(rt, other))));

/** A sum is of the type of the elements, and wraps as it does. */
const primitiveSum: LibraryFunction = function* (rt: Runtime, self: AnyArray): Steps {
  const type = self.javaClass.component!;
  const total = yield* rt.call(listOf(rt, itemsNow(rt, self)), 'sum', [rt.cast(0, type)]);
  return rt.cast(total, type);
};

export const arrayClasses: readonly ClassSpec[] = [
  { name: 'java.lang.Object[]', methods: objectMethods, getters },
  {
    name: 'primitive[]',
    methods: {
      ...primitiveMethods,
      'toSet()': (rt, self: AnyArray) => hashSetOf(rt, itemsNow(rt, self)),
      'sum()': primitiveSum,
      'equals(Object)': isSame,
    },
    getters,
  },
];
