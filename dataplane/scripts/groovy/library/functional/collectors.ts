import { GMap, GSet, List } from '../../values/collections.ts';
import { toBigInt, toDouble } from '../../values/conversions.ts';
import type { JavaClass, LibraryFunction, Obj, Runtime, Steps, Value } from '../../values/java-class.ts';
import { Double } from '../../values/numbers.ts';
import { castFail, comparedBy, tested, unboxed } from '../../values/sam-results.ts';
import { hashSetOf, tableSize } from '../collections/walk.ts';
import { stepsOf } from '../steps-of.ts';
import { type NumberKind, NumberSummary, PREFIX } from './number-summaries.ts';
import { OptionalValue } from './optional-classes.ts';
import { Stream } from './stream.ts';
import { eachOf } from './stream-steps.ts';

/** Takes the elements of one stream. */
interface Sink {
  add(item: Value): Steps<void>;
  finish(): Steps;
}

/** Argument of `collect`: opens a sink for each stream or group. */
export class Collector implements Obj {
  readonly javaClass: JavaClass;
  readonly open: () => Steps<Sink>;

  constructor(rt: Runtime, open: () => Steps<Sink>) {
    this.javaClass = rt.class('java.util.stream.Collectors$CollectorImpl');
    this.open = open;
  }
}

/** A collector of all elements. */
function gathering(rt: Runtime, gather: (items: Value[]) => Value): Collector {
  return gatheringSteps(rt, (items) => stepsOf(gather(items)));
}

function gatheringSteps(rt: Runtime, gather: (items: Value[]) => Steps): Collector {
  return new Collector(rt, () => {
    const items: Value[] = [];
    return stepsOf({
      add: (item: Value) => {
        rt.budget.allocate(8);
        items.push(item);
        return stepsOf(undefined);
      },
      finish: () => gather(items),
    });
  });
}

/** A collector that changes what reaches another one. */
function passing(rt: Runtime, inner: Collector, pass: (item: Value, sink: Sink) => Steps<void>): Collector {
  return new Collector(rt, function* () {
    const sink = yield* inner.open();
    return { add: (item) => pass(item, sink), finish: () => sink.finish() };
  });
}

/** A collector that combines the elements one after the other. */
function folding(
  rt: Runtime,
  initial: () => Value | undefined,
  combine: (value: Value | undefined, item: Value) => Steps,
  finish: (value: Value | undefined) => Value,
): Collector {
  return new Collector(rt, () => {
    let value = initial();
    return stepsOf({
      *add(item: Value): Steps<void> {
        value = yield* combine(value, item);
      },
      finish: () => stepsOf(finish(value)),
    });
  });
}

const optional =
  (rt: Runtime) =>
  (value: Value | undefined): Value =>
    new OptionalValue(rt, value ?? null);

const extreme =
  (sign: 1 | -1): LibraryFunction =>
  (rt: Runtime, _self: Value, [order]: [Value]) =>
    folding(
      rt,
      () => undefined,
      function* (best, item) {
        return best === undefined || sign * (yield* comparedBy(rt, order, best, item)) < 0 ? item : best;
      },
      optional(rt),
    );

function grouping(rt: Runtime, key: Value, supply: Value, inner: Collector): Collector {
  return new Collector(rt, function* () {
    const made = supply === null ? new GMap(rt.class('java.util.HashMap'), 'hash') : yield* rt.invoke(supply, []);
    const groups = made instanceof GMap ? made : castFail(rt, made, 'java.util.Map');
    const sinks = new Map<Value, Sink>();
    return {
      *add(item) {
        const group = yield* rt.invoke(key, [item]);
        if (group === null) rt.fail('java.lang.NullPointerException', 'element cannot be mapped to a null key');
        let token = groups.get(group);
        if (token === undefined) {
          rt.budget.allocate(128);
          token = new List();
          groups.put(group, token);
          sinks.set(token, yield* inner.open());
        }
        yield* sinks.get(token)!.add(item);
      },
      *finish() {
        for (const entry of groups.entries()) {
          const sink = sinks.get(entry.value);
          if (sink !== undefined) entry.value = yield* sink.finish();
        }
        return groups;
      },
    };
  });
}

function partitioning(rt: Runtime, test: Value, inner: Collector): Collector {
  return new Collector(rt, function* () {
    const sinks = { no: yield* inner.open(), yes: yield* inner.open() };
    return {
      *add(item) {
        yield* ((yield* tested(rt, test, [item])) ? sinks.yes : sinks.no).add(item);
      },
      *finish() {
        const map = new GMap(rt.class('java.util.stream.Collectors$Partition'));
        map.put(false, yield* sinks.no.finish());
        map.put(true, yield* sinks.yes.finish());
        return map;
      },
    };
  });
}

function toMap(rt: Runtime, key: Value, value: Value, join: Value, supply: Value, isFixed = false): Collector {
  return new Collector(rt, function* () {
    const made = supply === null ? new GMap(rt.class('java.util.HashMap'), 'hash') : yield* rt.invoke(supply, []);
    const map = made instanceof GMap ? made : castFail(rt, made, 'java.util.Map');
    return {
      *add(item) {
        const at = yield* rt.invoke(key, [item]);
        const put = yield* rt.invoke(value, [item]);
        if (put === null || (isFixed && at === null)) rt.fail('java.lang.NullPointerException', null);
        const before = map.get(at);
        if (before !== undefined && join === null)
          rt.fail(
            'java.lang.IllegalStateException',
            `Duplicate key ${rt.javaText(at)} (attempted merging values ${rt.javaText(before)} and ${rt.javaText(put)})`,
          );
        const merged = before === undefined ? put : yield* rt.invoke(join, [before, put]);
        rt.budget.allocate(64);
        if (merged === null) map.delete(at);
        else map.put(at, merged);
      },
      *finish() {
        return isFixed ? yield* rt.callStatic(rt.class('java.util.Map'), 'copyOf', [map]) : map;
      },
    };
  });
}

const joining = (rt: Runtime, separator: Value, prefix: Value, suffix: Value): Collector =>
  gathering(rt, (items) => {
    const texts = items.map((item) => charactersOf(rt, item));
    const text = `${rt.text(prefix)}${texts.join(rt.text(separator))}${rt.text(suffix)}`;
    rt.budget.allocate(text.length * 2);
    return text;
  });

function charactersOf(rt: Runtime, value: Value): string {
  if (value !== null && !rt.isInstance(value, rt.class('java.lang.CharSequence')))
    castFail(rt, value, 'java.lang.CharSequence');
  return rt.text(value);
}

/** A collector over the number that a function gives for each element. */
function numbers(kind: NumberKind, result: (summary: NumberSummary) => Value): LibraryFunction {
  return (rt: Runtime, _self: Value, [run]: [Value]) =>
    passing(
      rt,
      gathering(rt, (items) => result(new NumberSummary(rt, kind, items))),
      function* (item, sink) {
        yield* sink.add(unboxed(rt, yield* rt.invoke(run, [item]), kind));
      },
    );
}

const KINDS = ['int', 'long', 'double'] as const;
const F = 'java.util.function.';
const C = 'java.util.stream.Collector';

const sumOf = (kind: NumberKind, summary: NumberSummary): Value =>
  kind === 'int' ? Number(BigInt.asIntN(32, toBigInt(summary.sum()))) : summary.sum();

const toList = (rt: Runtime): Collector => gathering(rt, (items) => new List(items));

function fixedSet(rt: Runtime, items: Value[]): GSet {
  if (items.includes(null)) rt.fail('java.lang.NullPointerException', null);
  const size = new GSet(items).size;
  const set = new GSet(
    items,
    rt.class(`java.util.ImmutableCollections$${size === 1 || size === 2 ? 'Set12' : 'SetN'}`),
  );
  set.isFixed = true;
  return set;
}

export const collectors: Readonly<Record<string, LibraryFunction>> = {
  'toList()': toList,
  'toSet()': (rt: Runtime) => gathering(rt, (items) => hashSetOf(rt, items, tableSize(items.length))),
  'toUnmodifiableList()': (rt: Runtime) =>
    gathering(rt, (items) => {
      if (items.includes(null)) rt.fail('java.lang.NullPointerException', null);
      const kind = items.length === 1 || items.length === 2 ? 'List12' : 'ListN';
      return new List(items, rt.class(`java.util.ImmutableCollections$${kind}`), true);
    }),
  'toUnmodifiableSet()': (rt: Runtime) => gathering(rt, (items) => fixedSet(rt, items)),
  [`toUnmodifiableMap(${F}Function, ${F}Function)`]: (rt: Runtime, _self: Value, [key, value]: [Value, Value]) =>
    toMap(rt, key, value, null, null, true),
  [`toCollection(${F}Supplier)`]: (rt: Runtime, _self: Value, [supply]: [Value]) =>
    new Collector(rt, function* () {
      const target = yield* rt.invoke(supply, []);
      return {
        *add(item) {
          yield* rt.call(target, 'add', [item]);
        },
        finish: () => stepsOf(target),
      };
    }),
  'joining()': (rt: Runtime) => joining(rt, '', '', ''),
  'joining(CharSequence)': (rt: Runtime, _self: Value, [separator]: [Value]) => joining(rt, separator, '', ''),
  'joining(CharSequence, CharSequence, CharSequence)': (
    rt: Runtime,
    _self: Value,
    [separator, prefix, suffix]: [Value, Value, Value],
  ) => joining(rt, separator, prefix, suffix),
  'counting()': (rt: Runtime) => gathering(rt, (items) => BigInt(items.length)),
  [`groupingBy(${F}Function)`]: (rt: Runtime, _self: Value, [key]: [Value]) => grouping(rt, key, null, toList(rt)),
  [`groupingBy(${F}Function, ${C})`]: (rt: Runtime, _self: Value, [key, inner]: [Value, Collector]) =>
    grouping(rt, key, null, inner),
  [`groupingBy(${F}Function, ${F}Supplier, ${C})`]: (
    rt: Runtime,
    _self: Value,
    [key, supply, inner]: [Value, Value, Collector],
  ) => grouping(rt, key, supply, inner),
  [`partitioningBy(${F}Predicate)`]: (rt: Runtime, _self: Value, [test]: [Value]) => partitioning(rt, test, toList(rt)),
  [`partitioningBy(${F}Predicate, ${C})`]: (rt: Runtime, _self: Value, [test, inner]: [Value, Collector]) =>
    partitioning(rt, test, inner),
  [`mapping(${F}Function, ${C})`]: (rt: Runtime, _self: Value, [run, inner]: [Value, Collector]) =>
    passing(rt, inner, function* (item, sink) {
      yield* sink.add(yield* rt.invoke(run, [item]));
    }),
  [`filtering(${F}Predicate, ${C})`]: (rt: Runtime, _self: Value, [test, inner]: [Value, Collector]) =>
    passing(rt, inner, function* (item, sink) {
      if (yield* tested(rt, test, [item])) yield* sink.add(item);
    }),
  [`flatMapping(${F}Function, ${C})`]: (rt: Runtime, _self: Value, [run, inner]: [Value, Collector]) =>
    passing(rt, inner, function* (item, sink) {
      const made = yield* rt.invoke(run, [item]);
      if (made === null) return;
      if (!(made instanceof Stream)) return castFail(rt, made, 'java.util.stream.Stream');
      made.use();
      yield* eachOf(made, function* (each) {
        yield* sink.add(each);
        return null;
      });
    }),
  [`collectingAndThen(${C}, ${F}Function)`]: (rt: Runtime, _self: Value, [inner, run]: [Collector, Value]) =>
    new Collector(rt, function* () {
      const sink = yield* inner.open();
      return {
        add: (item) => sink.add(item),
        *finish() {
          return yield* rt.invoke(run, [yield* sink.finish()]);
        },
      };
    }),
  [`teeing(${C}, ${C}, ${F}BiFunction)`]: (
    rt: Runtime,
    _self: Value,
    [left, right, run]: [Collector, Collector, Value],
  ) =>
    new Collector(rt, function* () {
      const sinks = [yield* left.open(), yield* right.open()] as const;
      return {
        *add(item) {
          for (const sink of sinks) yield* sink.add(item);
        },
        *finish() {
          return yield* rt.invoke(run, [yield* sinks[0].finish(), yield* sinks[1].finish()]);
        },
      };
    }),
  [`reducing(${F}BinaryOperator)`]: (rt: Runtime, _self: Value, [run]: [Value]) =>
    folding(
      rt,
      () => undefined,
      function* (value, item) {
        return value === undefined ? item : yield* rt.invoke(run, [value, item]);
      },
      optional(rt),
    ),
  [`reducing(Object, ${F}BinaryOperator)`]: (rt: Runtime, _self: Value, [initial, run]: [Value, Value]) =>
    folding(
      rt,
      () => initial,
      (value, item) => rt.invoke(run, [value!, item]),
      (value) => value!,
    ),
  [`reducing(Object, ${F}Function, ${F}BinaryOperator)`]: (
    rt: Runtime,
    _self: Value,
    [initial, change, run]: [Value, Value, Value],
  ) =>
    folding(
      rt,
      () => initial,
      function* (value, item) {
        return yield* rt.invoke(run, [value!, yield* rt.invoke(change, [item])]);
      },
      (value) => value!,
    ),
  'maxBy(Comparator)': extreme(1),
  'minBy(Comparator)': extreme(-1),
  [`toMap(${F}Function, ${F}Function)`]: (rt: Runtime, _self: Value, [key, value]: [Value, Value]) =>
    toMap(rt, key, value, null, null),
  [`toMap(${F}Function, ${F}Function, ${F}BinaryOperator)`]: (
    rt: Runtime,
    _self: Value,
    [key, value, join]: [Value, Value, Value],
  ) => toMap(rt, key, value, join, null),
  [`toMap(${F}Function, ${F}Function, ${F}BinaryOperator, ${F}Supplier)`]: (
    rt: Runtime,
    _self: Value,
    [key, value, join, supply]: [Value, Value, Value, Value],
  ) => toMap(rt, key, value, join, supply),
  ...Object.fromEntries(
    KINDS.flatMap((kind): [string, LibraryFunction][] => {
      const to = `(${F}To${PREFIX[kind]}Function)`;
      return [
        [`summing${PREFIX[kind]}${to}`, numbers(kind, (summary) => sumOf(kind, summary))],
        [`averaging${PREFIX[kind]}${to}`, numbers(kind, (summary) => new Double(toDouble(summary.average())))],
        [`summarizing${PREFIX[kind]}${to}`, numbers(kind, (summary) => summary)],
      ];
    }),
  ),
};
