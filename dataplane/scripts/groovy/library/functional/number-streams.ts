import { ArrayValue } from '../../values/collections.ts';
import { toBigInt, toDouble } from '../../values/conversions.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { Double } from '../../values/numbers.ts';
import { unboxed } from '../../values/sam-results.ts';
import { stepsOf } from '../steps-of.ts';
import { NumberOptional } from './number-optional.ts';
import { type NumberKind, NumberSummary, PREFIX } from './number-summaries.ts';
import { drained, END, type Pull, Stream, streamOf } from './stream.ts';
import { commonOperations, eachOf, flattening, mapping, ordering, peeking, reduced, using } from './stream-steps.ts';

const F = 'java.util.function.';
const KINDS = ['int', 'long', 'double'] as const;

const mapTo =
  (kind: NumberKind): LibraryFunction =>
  (rt: Runtime, self: Stream, [run]: [Value]) =>
    mapping(self, kind, function* (item) {
      return unboxed(rt, yield* rt.invoke(run, [item]), kind);
    });

/** Conversions between kinds that lose nothing: `asLongStream()`. */
const widening: LibraryFunction = (_rt: Runtime, self: Stream) =>
  mapping(self, 'long', (item) => stepsOf(toBigInt(item)));
const toDoubles: LibraryFunction = (_rt: Runtime, self: Stream) =>
  mapping(self, 'double', (item) => stepsOf(new Double(toDouble(item))));

function* combined(rt: Runtime, self: Stream, first: Value | typeof END, run: Value): Steps<Value | typeof END> {
  return yield* reduced(self, first, function* (left, right) {
    return unboxed(rt, yield* rt.invoke(run, [left, right]), self.kind);
  });
}

function operationsOf(kind: NumberKind): Record<string, LibraryFunction> {
  const P = PREFIX[kind];
  const optional = (rt: Runtime, value: Value | typeof END): NumberOptional =>
    new NumberOptional(rt, kind, value === END ? null : value);
  const summary = function* (rt: Runtime, self: Stream): Steps<NumberSummary> {
    return new NumberSummary(rt, kind, yield* drained(self));
  };
  const first: LibraryFunction = function* (rt: Runtime, self: Stream) {
    return optional(rt, yield* self.pull()());
  };
  const each: LibraryFunction = (rt: Runtime, self: Stream, [run]: [Value]) =>
    eachOf(self, (item) => rt.invoke(run, [item]));
  const extreme = (sign: 1 | -1): LibraryFunction =>
    function* (rt: Runtime, self: Stream) {
      const found = yield* summary(rt, self);
      return optional(rt, found.numbers.length === 0 ? END : found.extreme(sign));
    };
  const operations: Record<string, LibraryFunction> = {
    ...commonOperations(`${P}Predicate`),
    [`map(${F}${P}UnaryOperator)`]: mapTo(kind),
    [`mapToObj(${F}${P}Function)`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
      mapping(self, 'object', (item) => rt.invoke(run, [item])),
    'boxed()': (_rt: Runtime, self: Stream) => mapping(self, 'object', (item) => stepsOf(item)),
    [`flatMap(${F}${P}Function)`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
      flattening(self, kind, (item) => rt.invoke(run, [item])),
    [`peek(${F}${P}Consumer)`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
      peeking(self, (item) => rt.invoke(run, [item])),
    [`forEach(${F}${P}Consumer)`]: each,
    [`forEachOrdered(${F}${P}Consumer)`]: each,
    'sorted()': (rt: Runtime, self: Stream) => ordering(self, (left, right) => stepsOf(rt.compare(left, right))),
    'findFirst()': first,
    'findAny()': first,
    'max()': extreme(1),
    'min()': extreme(-1),
    'sum()': function* (rt: Runtime, self: Stream) {
      const sum = (yield* summary(rt, self)).sum();
      return kind === 'int' ? Number(BigInt.asIntN(32, sum as bigint)) : sum;
    },
    'average()': function* (rt: Runtime, self: Stream) {
      const found = yield* summary(rt, self);
      return new NumberOptional(rt, 'double', found.numbers.length === 0 ? null : found.average());
    },
    'summaryStatistics()': summary,
    [`reduce(${kind}, ${F}${P}BinaryOperator)`]: (rt: Runtime, self: Stream, [initial, run]: [Value, Value]) =>
      combined(rt, self, initial, run),
    [`reduce(${F}${P}BinaryOperator)`]: function* (rt: Runtime, self: Stream, [run]: [Value]) {
      return optional(rt, yield* combined(rt, self, END, run));
    },
    'toArray()': function* (rt: Runtime, self: Stream) {
      const items = yield* drained(self);
      rt.budget.allocate(items.length * 8);
      return new ArrayValue(rt.class(kind), items);
    },
  };
  for (const other of KINDS)
    if (other !== kind) operations[`mapTo${PREFIX[other]}(${F}${P}To${PREFIX[other]}Function)`] = mapTo(other);
  if (kind === 'int') operations['asLongStream()'] = widening;
  if (kind !== 'double') operations['asDoubleStream()'] = toDoubles;
  return using(operations);
}

/** `first` and then what a function makes of each, while a test holds. */
export function iterating(
  rt: Runtime,
  kind: Stream['kind'],
  first: Value,
  test: ((item: Value) => Steps<boolean>) | null,
  next: (item: Value) => Steps,
): Stream {
  return new Stream(rt, kind, (): Pull => {
    let last: Value | typeof END | undefined;
    return function* () {
      if (last === END) return END;
      const item: Value = last === undefined ? first : yield* next(last);
      last = test === null || (yield* test(item)) ? item : END;
      return last;
    };
  });
}

export function generating(rt: Runtime, kind: Stream['kind'], make: () => Steps): Stream {
  return new Stream(rt, kind, (): Pull => make);
}

function range(kind: 'int' | 'long', isClosed: boolean): LibraryFunction {
  return (rt: Runtime, _self: Value, [from, to]: [number | bigint, number | bigint]) => {
    const start = BigInt(from);
    const end = BigInt(to) + (isClosed ? 1n : 0n);
    const open = (): Pull => {
      let at = start;
      // biome-ignore lint/correctness/useYield: numbers need no steps
      return function* () {
        if (at >= end) return END;
        const value = at++;
        return kind === 'int' ? Number(value) : value;
      };
    };
    return new Stream(rt, kind, open, () => Math.max(0, Number(end - start)));
  };
}

function staticsOf(kind: NumberKind): Record<string, LibraryFunction> {
  const P = PREFIX[kind];
  const unary = (rt: Runtime, run: Value) =>
    function* (item: Value): Steps {
      return unboxed(rt, yield* rt.invoke(run, [item]), kind);
    };
  const statics: Record<string, LibraryFunction> = {
    [`of(${kind}...)`]: (rt: Runtime, _self: Value, [items]: [ArrayValue]) => streamOf(rt, items.items, kind),
    'empty()': (rt: Runtime) => streamOf(rt, [], kind),
    [`iterate(${kind}, ${F}${P}UnaryOperator)`]: (rt: Runtime, _self: Value, [first, next]: [Value, Value]) =>
      iterating(rt, kind, first, null, unary(rt, next)),
    [`iterate(${kind}, ${F}${P}Predicate, ${F}${P}UnaryOperator)`]: (
      rt: Runtime,
      _self: Value,
      [first, test, next]: [Value, Value, Value],
    ) =>
      iterating(
        rt,
        kind,
        first,
        function* (item) {
          return unboxed(rt, yield* rt.invoke(test, [item]), 'boolean') as boolean;
        },
        unary(rt, next),
      ),
    [`generate(${F}${P}Supplier)`]: (rt: Runtime, _self: Value, [make]: [Value]) =>
      generating(rt, kind, function* () {
        return unboxed(rt, yield* rt.invoke(make, []), kind);
      }),
  };
  if (kind !== 'double') {
    statics[`range(${kind}, ${kind})`] = range(kind, false);
    statics[`rangeClosed(${kind}, ${kind})`] = range(kind, true);
  }
  return statics;
}

export const numberStreamClasses: readonly ClassSpec[] = KINDS.flatMap((kind): ClassSpec[] => {
  const name = `java.util.stream.${PREFIX[kind]}`;
  return [
    {
      name: `${name}Stream`,
      kind: 'interface',
      interfaces: ['java.util.stream.BaseStream'],
      methods: operationsOf(kind),
      statics: staticsOf(kind),
    },
    { name: `${name}Pipeline`, interfaces: [`${name}Stream`] },
    { name: `${name}Pipeline$Head`, superclass: `${name}Pipeline` },
  ];
});
