import { Functional } from '../../values/closure.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { compareNow, comparing } from '../collections/sorting.ts';
import { countOf } from '../numeric.ts';
import { stepsOf } from '../steps-of.ts';

const functions: readonly (readonly [string, string])[] = [
  ['Function', 'apply'],
  ['BiFunction', 'apply'],
  ['UnaryOperator', 'apply'],
  ['BinaryOperator', 'apply'],
  ['Supplier', 'get'],
  ['Consumer', 'accept'],
  ['BiConsumer', 'accept'],
  ['Predicate', 'test'],
  ['BiPredicate', 'test'],
  ['IntFunction', 'apply'],
  ['IntPredicate', 'test'],
  ['IntUnaryOperator', 'applyAsInt'],
  ['IntBinaryOperator', 'applyAsInt'],
  ['IntConsumer', 'accept'],
  ['ToIntFunction', 'applyAsInt'],
  ['ToLongFunction', 'applyAsLong'],
  ['ToDoubleFunction', 'applyAsDouble'],
  ['BooleanSupplier', 'getAsBoolean'],
  ['LongUnaryOperator', 'applyAsLong'],
  ['LongBinaryOperator', 'applyAsLong'],
  ['LongFunction', 'apply'],
  ['LongPredicate', 'test'],
  ['DoubleFunction', 'apply'],
  ['DoubleUnaryOperator', 'applyAsDouble'],
  ['DoubleBinaryOperator', 'applyAsDouble'],
  ['DoublePredicate', 'test'],
  ['IntSupplier', 'getAsInt'],
  ['LongSupplier', 'getAsLong'],
  ['DoubleSupplier', 'getAsDouble'],
  ['ToIntBiFunction', 'applyAsInt'],
];

const superclasses: Readonly<Record<string, string>> = {
  UnaryOperator: 'java.util.function.Function',
  BinaryOperator: 'java.util.function.BiFunction',
};

/** A functional interface that the library implements. */
export function functional(
  rt: Runtime,
  className: string,
  arity: number,
  code: (args: readonly Value[]) => Steps,
): Functional {
  return new Functional(rt.class(className), arity, code);
}

const comparator = (rt: Runtime, compare: (left: Value, right: Value) => Steps<number>): Functional =>
  functional(rt, 'java.util.Comparator', 2, function* ([left, right]) {
    return yield* compare(left!, right!);
  });

function byKey(rt: Runtime, key: Value): Functional {
  return comparator(rt, function* (left, right) {
    const first = yield* rt.invoke(key, [left]);
    return compareNow(rt, first, yield* rt.invoke(key, [right]));
  });
}

function* compareBy(rt: Runtime, order: Value, left: Value, right: Value): Steps<number> {
  return countOf(yield* rt.invoke(order, [left, right]));
}

function thenBy(rt: Runtime, first: Value, next: Value): Functional {
  return comparator(rt, function* (left, right) {
    const result = yield* compareBy(rt, first, left, right);
    return result === 0 ? yield* compareBy(rt, next, left, right) : result;
  });
}

const natural = (rt: Runtime): Functional => comparator(rt, comparing(rt, null));
export const reversed = (rt: Runtime, order: Value): Functional =>
  comparator(rt, function* (left, right) {
    return order === null ? compareNow(rt, right, left) : yield* compareBy(rt, order, right, left);
  });

const composition: Readonly<Record<string, LibraryFunction>> = {
  'andThen(java.util.function.Function)': (rt, self: Value, [after]: [Value]) =>
    functional(rt, 'java.util.function.Function', 1, function* (args) {
      return yield* rt.invoke(after, [yield* rt.invoke(self, args)]);
    }),
  'compose(java.util.function.Function)': (rt, self: Value, [before]: [Value]) =>
    functional(rt, 'java.util.function.Function', 1, function* (args) {
      return yield* rt.invoke(self, [yield* rt.invoke(before, args)]);
    }),
};

const predicates: Readonly<Record<string, LibraryFunction>> = {
  'negate()': (rt, self: Value) =>
    functional(rt, 'java.util.function.Predicate', 1, function* (args) {
      return !rt.truth(yield* rt.invoke(self, args));
    }),
  'and(java.util.function.Predicate)': (rt, self: Value, [other]: [Value]) =>
    functional(rt, 'java.util.function.Predicate', 1, function* (args) {
      return rt.truth(yield* rt.invoke(self, args)) && rt.truth(yield* rt.invoke(other, args));
    }),
  'or(java.util.function.Predicate)': (rt, self: Value, [other]: [Value]) =>
    functional(rt, 'java.util.function.Predicate', 1, function* (args) {
      return rt.truth(yield* rt.invoke(self, args)) || rt.truth(yield* rt.invoke(other, args));
    }),
};

function methodsOf(name: string): Readonly<Record<string, LibraryFunction>> {
  if (name === 'Function' || name === 'BiFunction') return composition;
  return name === 'Predicate' ? predicates : {};
}

const identity: LibraryFunction = (rt: Runtime) =>
  functional(rt, 'java.util.function.Function', 1, ([value]) => stepsOf(value!));

export const functionalClasses: readonly ClassSpec[] = [
  ...functions.map(
    ([name, sam]): ClassSpec => ({
      name: `java.util.function.${name}`,
      kind: 'interface',
      sam,
      interfaces: superclasses[name] === undefined ? [] : [superclasses[name]!],
      methods: methodsOf(name),
      ...(name === 'Function' || name === 'UnaryOperator' ? { statics: { 'identity()': identity } } : {}),
    }),
  ),
  { name: 'java.util.concurrent.Callable', kind: 'interface', sam: 'call' },
  { name: 'java.lang.Runnable', kind: 'interface', sam: 'run' },
  {
    name: 'java.util.Comparator',
    kind: 'interface',
    sam: 'compare',
    statics: {
      'naturalOrder()': (rt) => natural(rt),
      'reverseOrder()': (rt) => reversed(rt, null),
      'comparing(java.util.function.Function)': (rt, _self: Value, [key]: [Value]) => byKey(rt, key),
      'comparingInt(java.util.function.ToIntFunction)': (rt, _self: Value, [key]: [Value]) => byKey(rt, key),
      'comparingLong(java.util.function.ToLongFunction)': (rt, _self: Value, [key]: [Value]) => byKey(rt, key),
    },
    methods: {
      'reversed()': (rt, self: Value) => reversed(rt, self),
      'thenComparing(Comparator)': (rt, self: Value, [next]: [Value]) => thenBy(rt, self, next),
      'thenComparing(java.util.function.Function)': (rt, self: Value, [key]: [Value]) =>
        thenBy(rt, self, byKey(rt, key)),
    },
  },
];
