import type { Functional } from '../../values/closure.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { comparedBy, type SamResult, unboxed } from '../../values/sam-results.ts';
import { treeOrder } from '../collections/sorting.ts';
import { stepsOf } from '../steps-of.ts';
import { functional } from './functional-classes.ts';

const F = 'java.util.function.';

const comparator = (rt: Runtime, compare: (left: Value, right: Value) => Steps<number>): Functional =>
  functional(rt, 'java.util.Comparator', 2, ([left, right]) => compare(left!, right!));

/** Java's `compareTo`: it takes neither null nor other types. */
function natural(rt: Runtime): Functional {
  const order = treeOrder(rt);
  return comparator(rt, (left, right) => stepsOf(order(left, right)));
}

export function reversed(rt: Runtime, order: Value): Functional {
  const above = order ?? natural(rt);
  return comparator(rt, (left, right) => comparedBy(rt, above, right, left));
}

function byKey(rt: Runtime, key: Value, order: Value, kind: SamResult = 'object'): Functional {
  const above = order ?? natural(rt);
  return comparator(rt, function* (left, right) {
    const first = unboxed(rt, yield* rt.invoke(key, [left]), kind);
    const second = unboxed(rt, yield* rt.invoke(key, [right]), kind);
    return yield* comparedBy(rt, above, first, second);
  });
}

function thenBy(rt: Runtime, first: Value, next: Value): Functional {
  return comparator(rt, function* (left, right) {
    const result = yield* comparedBy(rt, first, left, right);
    return result === 0 ? yield* comparedBy(rt, next, left, right) : result;
  });
}

/** An order in which null comes before or after everything. */
function withNulls(rt: Runtime, order: Value, sign: 1 | -1): Functional {
  return comparator(rt, function* (left, right) {
    if (left === null) return right === null ? 0 : -sign;
    if (right === null) return sign;
    return order === null ? 0 : yield* comparedBy(rt, order, left, right);
  });
}

const needed = (rt: Runtime, value: Value): Value => value ?? rt.fail('java.lang.NullPointerException', null);

const KINDS = ['Int', 'Long', 'Double'] as const;

function byNumber(): { statics: Record<string, LibraryFunction>; methods: Record<string, LibraryFunction> } {
  const statics: Record<string, LibraryFunction> = {};
  const methods: Record<string, LibraryFunction> = {};
  for (const name of KINDS) {
    const kind = name.toLowerCase() as SamResult;
    statics[`comparing${name}(${F}To${name}Function)`] = (rt: Runtime, _self: Value, [key]: [Value]) =>
      byKey(rt, needed(rt, key), null, kind);
    methods[`thenComparing${name}(${F}To${name}Function)`] = (rt: Runtime, self: Value, [key]: [Value]) =>
      thenBy(rt, self, byKey(rt, needed(rt, key), null, kind));
  }
  return { statics, methods };
}

const numbers = byNumber();

export const comparatorClasses: readonly ClassSpec[] = [
  {
    name: 'java.util.Comparator',
    kind: 'interface',
    sam: 'compare',
    statics: {
      'naturalOrder()': (rt) => natural(rt),
      'reverseOrder()': (rt) => reversed(rt, null),
      [`comparing(${F}Function)`]: (rt: Runtime, _self: Value, [key]: [Value]) => byKey(rt, needed(rt, key), null),
      [`comparing(${F}Function, Comparator)`]: (rt: Runtime, _self: Value, [key, order]: [Value, Value]) =>
        byKey(rt, needed(rt, key), needed(rt, order)),
      'nullsFirst(Comparator)': (rt: Runtime, _self: Value, [order]: [Value]) => withNulls(rt, order, 1),
      'nullsLast(Comparator)': (rt: Runtime, _self: Value, [order]: [Value]) => withNulls(rt, order, -1),
      ...numbers.statics,
    },
    methods: {
      'reversed()': (rt, self: Value) => reversed(rt, self),
      'thenComparing(Comparator)': (rt, self: Value, [next]: [Value]) => thenBy(rt, self, needed(rt, next)),
      // A closure can be both, and Groovy cannot choose.
      'thenComparing(Closure)': (rt) =>
        rt.fail('java.lang.UnsupportedOperationException', 'thenComparing(Closure) is not available'),
      [`thenComparing(${F}Function)`]: (rt: Runtime, self: Value, [key]: [Value]) =>
        thenBy(rt, self, byKey(rt, needed(rt, key), null)),
      [`thenComparing(${F}Function, Comparator)`]: (rt: Runtime, self: Value, [key, order]: [Value, Value]) =>
        thenBy(rt, self, byKey(rt, needed(rt, key), needed(rt, order))),
      ...numbers.methods,
    },
  },
];
