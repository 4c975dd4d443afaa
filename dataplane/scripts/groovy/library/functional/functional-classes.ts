import { Functional } from '../../values/closure.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { tested } from '../../values/sam-results.ts';
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
  ['ToLongBiFunction', 'applyAsLong'],
  ['ToDoubleBiFunction', 'applyAsDouble'],
  ['LongConsumer', 'accept'],
  ['DoubleConsumer', 'accept'],
  ['IntToLongFunction', 'applyAsLong'],
  ['IntToDoubleFunction', 'applyAsDouble'],
  ['LongToIntFunction', 'applyAsInt'],
  ['LongToDoubleFunction', 'applyAsDouble'],
  ['DoubleToIntFunction', 'applyAsInt'],
  ['DoubleToLongFunction', 'applyAsLong'],
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
      return !(yield* tested(rt, self, args));
    }),
  'and(java.util.function.Predicate)': (rt, self: Value, [other]: [Value]) =>
    functional(rt, 'java.util.function.Predicate', 1, function* (args) {
      return (yield* tested(rt, self, args)) && (yield* tested(rt, other, args));
    }),
  'or(java.util.function.Predicate)': (rt, self: Value, [other]: [Value]) =>
    functional(rt, 'java.util.function.Predicate', 1, function* (args) {
      return (yield* tested(rt, self, args)) || (yield* tested(rt, other, args));
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
];
