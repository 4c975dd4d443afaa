import { ArrayValue, List } from '../../values/collections.ts';
import {
  type JavaClass,
  type LibraryFunction,
  OBJECT,
  type Runtime,
  type Steps,
  type Value,
} from '../../values/java-class.ts';
import { castFail, comparedBy, unboxed } from '../../values/sam-results.ts';
import { treeOrder } from '../collections/sorting.ts';
import { stepsOf } from '../steps-of.ts';
import type { Collector } from './collectors.ts';
import { functional } from './functional-classes.ts';
import { OptionalValue } from './optional-classes.ts';
import { drained, END, type Stream } from './stream.ts';
import { commonOperations, eachOf, flattening, mapping, ordering, peeking, reduced, using } from './stream-steps.ts';

const F = 'java.util.function.';

const mapTo =
  (kind: 'int' | 'long' | 'double'): LibraryFunction =>
  (rt: Runtime, self: Stream, [run]: [Value]) =>
    mapping(self, kind, function* (item) {
      return unboxed(rt, yield* rt.invoke(run, [item]), kind);
    });

/** The least or greatest element; the first of equal ones. */
const extreme =
  (sign: 1 | -1): LibraryFunction =>
  (rt: Runtime, self: Stream, [order]: [Value]) =>
    optionally(rt, self, function* (best, item) {
      return sign * (yield* comparedBy(rt, order, best, item)) >= 0 ? best : item;
    });

function* optionally(rt: Runtime, self: Stream, combine: (left: Value, right: Value) => Steps): Steps {
  const found = yield* reduced(self, END, combine);
  if (found === null) return rt.fail('java.lang.NullPointerException', null);
  return new OptionalValue(rt, found === END ? null : found);
}

function* first(rt: Runtime, self: Stream): Steps {
  const found = yield* self.pull()();
  if (found === null) return rt.fail('java.lang.NullPointerException', null);
  return new OptionalValue(rt, found === END ? null : found);
}

/** An array of a class; elements of other classes are an error. */
function arrayOf(rt: Runtime, component: JavaClass, items: Value[]): ArrayValue {
  rt.budget.allocate(items.length * 8);
  for (const item of items)
    if (item !== null && !rt.isInstance(item, component))
      rt.fail('java.lang.ArrayStoreException', rt.classOf(item).name);
  return new ArrayValue(component, items);
}

/** A function of two that Java calls with an accumulator. */
const combining =
  (rt: Runtime, run: Value) =>
  (left: Value, right: Value): Steps =>
    rt.invoke(run, [left, right]);

export const streamOperations = using({
  ...commonOperations('Predicate'),
  [`map(${F}Function)`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
    mapping(self, 'object', (item) => rt.invoke(run, [item])),
  [`mapToInt(${F}ToIntFunction)`]: mapTo('int'),
  [`mapToLong(${F}ToLongFunction)`]: mapTo('long'),
  [`mapToDouble(${F}ToDoubleFunction)`]: mapTo('double'),
  [`flatMap(${F}Function)`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
    flattening(self, 'object', (item) => rt.invoke(run, [item])),
  [`mapMulti(${F}BiConsumer)`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
    flattening(self, 'object', function* (item) {
      const out: Value[] = [];
      const sink = functional(rt, `${F}Consumer`, 1, ([value]) => {
        rt.budget.allocate(8);
        out.push(value!);
        return stepsOf(null);
      });
      yield* rt.invoke(run, [item, sink]);
      return yield* rt.call(new List(out), 'stream', []);
    }),
  [`peek(${F}Consumer)`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
    peeking(self, (item) => rt.invoke(run, [item])),
  'sorted()': (rt: Runtime, self: Stream) => {
    const order = treeOrder(rt);
    return ordering(self, (left, right) => stepsOf(order(left, right)));
  },
  'sorted(Comparator)': (rt: Runtime, self: Stream, [order]: [Value]) =>
    order === null
      ? rt.fail('java.lang.NullPointerException', null)
      : ordering(self, (left, right) => comparedBy(rt, order, left, right)),
  [`forEach(${F}Consumer)`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
    eachOf(self, (item) => rt.invoke(run, [item])),
  [`forEachOrdered(${F}Consumer)`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
    eachOf(self, (item) => rt.invoke(run, [item])),
  'findFirst()': (rt: Runtime, self: Stream) => first(rt, self),
  'findAny()': (rt: Runtime, self: Stream) => first(rt, self),
  'max(Comparator)': extreme(1),
  'min(Comparator)': extreme(-1),
  [`reduce(${F}BinaryOperator)`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
    optionally(rt, self, combining(rt, run)),
  [`reduce(Object, ${F}BinaryOperator)`]: (rt: Runtime, self: Stream, [initial, run]: [Value, Value]) =>
    reduced(self, initial, combining(rt, run)),
  [`reduce(Object, ${F}BiFunction, ${F}BinaryOperator)`]: (rt: Runtime, self: Stream, [initial, run]: [Value, Value]) =>
    reduced(self, initial, combining(rt, run)),
  'collect(java.util.stream.Collector)': function* (_rt: Runtime, self: Stream, [collector]: [Collector]) {
    const sink = yield* collector.open();
    yield* eachOf(self, function* (item) {
      yield* sink.add(item);
      return null;
    });
    return yield* sink.finish();
  },
  [`collect(${F}Supplier, ${F}BiConsumer, ${F}BiConsumer)`]: function* (
    rt: Runtime,
    self: Stream,
    [supply, add]: [Value, Value],
  ) {
    const container = yield* rt.invoke(supply, []);
    yield* eachOf(self, (item) => rt.invoke(add, [container, item]));
    return container;
  },
  'toList()': function* (rt: Runtime, self: Stream) {
    return new List(yield* drained(self), rt.class('java.util.ImmutableCollections$ListN'), true);
  },
  'toArray()': function* (rt: Runtime, self: Stream) {
    return arrayOf(rt, OBJECT, yield* drained(self));
  },
  'toArray(Class)': function* (rt: Runtime, self: Stream, [component]: [JavaClass]) {
    return arrayOf(rt, component, yield* drained(self));
  },
  [`toArray(${F}IntFunction)`]: function* (rt: Runtime, self: Stream, [make]: [Value]) {
    const items = yield* drained(self);
    const array = yield* rt.invoke(make, [items.length]);
    if (!(array instanceof ArrayValue)) return castFail(rt, array, '[Ljava.lang.Object;');
    return arrayOf(rt, array.javaClass.component!, items);
  },
});
