import { ArrayValue, GMap, GSet, List } from '../../values/collections.ts';
import { type NumberValue, toDouble } from '../../values/conversions.ts';
import {
  type ClassSpec,
  type JavaClass,
  type LibraryFunction,
  OBJECT,
  type Obj,
  type Runtime,
  type Steps,
  type Value,
} from '../../values/java-class.ts';
import { chargeItems } from '../../values/meter.ts';
import { Double } from '../../values/numbers.ts';
import { cursorOver } from '../collections/cursors.ts';
import { uniqueOf } from '../collections/sequence-methods.ts';
import { comparing, sorted } from '../collections/sorting.ts';
import { itemsNow, JavaIterator } from '../collections/walk.ts';
import { countOf } from '../numeric.ts';
import { stepsOf } from '../steps-of.ts';
import { OptionalValue } from './optional-classes.ts';

/** A stream: its elements are computed at once, which no script can tell apart except by side effects. */
export class Stream implements Obj {
  readonly javaClass: JavaClass;
  readonly items: readonly Value[];
  /** True for IntStream and its relatives, whose sums are primitive. */
  readonly isPrimitive: boolean;
  /** Every stream is walked over once. */
  isUsed = false;

  constructor(rt: Runtime, items: readonly Value[], isPrimitive = false) {
    this.javaClass = rt.class(isPrimitive ? 'java.util.stream.IntStream' : 'java.util.stream.Stream');
    rt.budget.spend(items.length);
    rt.budget.allocate(items.length * 8);
    this.items = items;
    this.isPrimitive = isPrimitive;
  }

  elements(): Value[] {
    chargeItems(this.items.length);
    return [...this.items];
  }

  extent(): number {
    return this.items.length;
  }
}

/** Argument of `collect`: gathers elements. */
class Collector implements Obj {
  readonly javaClass: JavaClass;
  readonly gather: (items: readonly Value[]) => Steps;

  constructor(rt: Runtime, gather: (items: readonly Value[]) => Steps) {
    this.javaClass = rt.class('java.util.stream.Collector');
    this.gather = gather;
  }
}

function* mapped(rt: Runtime, { items }: Stream, run: Value): Steps<Value[]> {
  const out: Value[] = [];
  for (const item of items) out.push(yield* rt.invoke(run, [item]));
  return out;
}

function* filtered(rt: Runtime, items: readonly Value[], test: Value): Steps<Value[]> {
  const out: Value[] = [];
  for (const item of items) if (rt.truth(yield* rt.invoke(test, [item]))) out.push(item);
  return out;
}

function* someMatch(rt: Runtime, { items }: Stream, test: Value, wanted: boolean): Steps<boolean> {
  for (const item of items) if (rt.truth(yield* rt.invoke(test, [item])) === wanted) return true;
  return false;
}

function* reduced(rt: Runtime, items: readonly Value[], run: Value, initial: Value): Steps {
  let value = initial;
  for (const item of items) value = yield* rt.invoke(run, [value, item]);
  return value;
}

function* extreme(rt: Runtime, { items }: Stream, order: Value, sign: 1 | -1): Steps {
  const compare = comparing(rt, order);
  let best: Value = null;
  for (const [at, item] of items.entries()) if (at === 0 || sign * (yield* compare(item, best)) > 0) best = item;
  return new OptionalValue(rt, best);
}

function* total(rt: Runtime, items: readonly Value[]): Steps {
  let sum: Value = 0;
  for (const item of items) sum = yield* rt.operator('plus', sum, item);
  return sum;
}

const operations: Readonly<Record<string, LibraryFunction>> = {
  'map(java.util.function.Function)': function* (rt, self: Stream, [run]: [Value]) {
    return new Stream(rt, yield* mapped(rt, self, run), self.isPrimitive);
  },
  'mapToInt(java.util.function.ToIntFunction)': function* (rt, self: Stream, [run]: [Value]) {
    return new Stream(rt, yield* mapped(rt, self, run), true);
  },
  'mapToObj(java.util.function.IntFunction)': function* (rt, self: Stream, [run]: [Value]) {
    return new Stream(rt, yield* mapped(rt, self, run));
  },
  'boxed()': (rt, self: Stream) => new Stream(rt, self.items),
  'flatMap(java.util.function.Function)': function* (rt, self: Stream, [run]: [Value]) {
    return new Stream(
      rt,
      (yield* mapped(rt, self, run)).flatMap((inner) => itemsNow(rt, inner)),
    );
  },
  'filter(java.util.function.Predicate)': function* (rt, self: Stream, [test]: [Value]) {
    return new Stream(rt, yield* filtered(rt, self.items, test), self.isPrimitive);
  },
  'distinct()': function* (rt, self: Stream) {
    return new Stream(rt, yield* uniqueOf(rt, self.items, null), self.isPrimitive);
  },
  'sorted()': function* (rt, self: Stream) {
    return new Stream(rt, yield* sorted(rt, self.items, comparing(rt, null)), self.isPrimitive);
  },
  'sorted(Comparator)': function* (rt, self: Stream, [order]: [Value]) {
    return new Stream(rt, yield* sorted(rt, self.items, comparing(rt, order)));
  },
  'limit(long)': (rt, self: Stream, [count]: [bigint]) =>
    new Stream(rt, self.items.slice(0, Number(count)), self.isPrimitive),
  'skip(long)': (rt, self: Stream, [count]: [bigint]) =>
    new Stream(rt, self.items.slice(Number(count)), self.isPrimitive),
  'peek(java.util.function.Consumer)': function* (rt, self: Stream, [run]: [Value]) {
    yield* mapped(rt, self, run);
    return new Stream(rt, self.items, self.isPrimitive);
  },
  'forEach(java.util.function.Consumer)': function* (rt, self: Stream, [run]: [Value]) {
    yield* mapped(rt, self, run);
    return null;
  },
  'anyMatch(java.util.function.Predicate)': (rt, self: Stream, [test]: [Value]) => someMatch(rt, self, test, true),
  'allMatch(java.util.function.Predicate)': function* (rt, self: Stream, [test]: [Value]) {
    return !(yield* someMatch(rt, self, test, false));
  },
  'noneMatch(java.util.function.Predicate)': function* (rt, self: Stream, [test]: [Value]) {
    return !(yield* someMatch(rt, self, test, true));
  },
  'findFirst()': (rt, self: Stream) => new OptionalValue(rt, self.items[0] ?? null),
  'findAny()': (rt, self: Stream) => new OptionalValue(rt, self.items[0] ?? null),
  'count()': (_rt, self: Stream) => BigInt(self.items.length),
  'sum()': (rt, self: Stream) => total(rt, self.items),
  'max()': (rt, self: Stream) => extreme(rt, self, null, 1),
  'min()': (rt, self: Stream) => extreme(rt, self, null, -1),
  'max(Comparator)': (rt, self: Stream, [order]: [Value]) => extreme(rt, self, order, 1),
  'min(Comparator)': (rt, self: Stream, [order]: [Value]) => extreme(rt, self, order, -1),
  'reduce(java.util.function.BinaryOperator)': function* (rt, self: Stream, [run]: [Value]) {
    const [first, ...rest] = self.items;
    return new OptionalValue(rt, first === undefined ? null : yield* reduced(rt, rest, run, first));
  },
  'reduce(Object, java.util.function.BinaryOperator)': (rt, self: Stream, [initial, run]: [Value, Value]) =>
    reduced(rt, self.items, run, initial),
  'collect(java.util.stream.Collector)': (_rt, self: Stream, [collector]: [Collector]) => collector.gather(self.items),
  'toList()': (rt, self: Stream) => new List([...self.items], rt.class('java.util.ImmutableCollections$ListN'), true),
  'toSet()': (_rt, self: Stream) => new GSet(self.items),
  'toArray()': (rt, self: Stream) => new ArrayValue(self.isPrimitive ? rt.class('int') : OBJECT, [...self.items]),
  'iterator()': (rt, self: Stream) => new JavaIterator(rt, cursorOver(self.items)),
};

const methods = Object.fromEntries(
  Object.entries(operations).map(([signature, code]): [string, LibraryFunction] => [
    signature,
    (rt: Runtime, self: Stream, args: never) => {
      if (self.isUsed) rt.fail('java.lang.IllegalStateException', 'stream has already been operated upon or closed');
      self.isUsed = true;
      return code(rt, self as never, args);
    },
  ]),
);

/** A collector without arguments of its own. */
const gathering = (rt: Runtime, gather: (items: readonly Value[]) => Value): Collector =>
  new Collector(rt, (items) => stepsOf(gather(items)));

function* grouped(rt: Runtime, items: readonly Value[], key: Value, inner: Collector | null): Steps {
  const groups = new GMap(rt.class('java.util.HashMap'), 'hash');
  for (const item of items) {
    const group = yield* rt.invoke(key, [item]);
    const found = groups.get(group);
    if (found instanceof List) found.items.push(item);
    else groups.put(group, new List([item]));
  }
  if (inner !== null)
    for (const entry of groups.entries()) entry.value = yield* inner.gather((entry.value as List).items);
  return groups;
}

function* toMap(rt: Runtime, items: readonly Value[], key: Value, value: Value, join: Value): Steps {
  const map = new GMap(rt.class('java.util.HashMap'), 'hash');
  for (const item of items) {
    const at = yield* rt.invoke(key, [item]);
    const put = yield* rt.invoke(value, [item]);
    const before = map.get(at);
    if (before !== undefined && join === null) {
      rt.fail(
        'java.lang.IllegalStateException',
        `Duplicate key ${rt.text(at)} (attempted merging values ${rt.text(before)} and ${rt.text(put)})`,
      );
    }
    map.put(at, before === undefined ? put : yield* rt.invoke(join, [before, put]));
  }
  return map;
}

const joining = (rt: Runtime, separator: Value, prefix: Value, suffix: Value): Collector =>
  gathering(
    rt,
    (items) =>
      `${rt.text(prefix)}${items.map((item) => charactersOf(rt, item)).join(rt.text(separator))}${rt.text(suffix)}`,
  );

function charactersOf(rt: Runtime, value: Value): string {
  if (value !== null && !rt.isInstance(value, rt.class('java.lang.CharSequence')))
    rt.fail(
      'java.lang.ClassCastException',
      `class ${rt.classOf(value).name} cannot be cast to class java.lang.CharSequence`,
    );
  return rt.text(value);
}

const collectors: Readonly<Record<string, LibraryFunction>> = {
  'toList()': (rt) => gathering(rt, (items) => new List([...items])),
  'toSet()': (rt) =>
    gathering(
      rt,
      (items) => new GSet(items, rt.class('java.util.HashSet'), new GMap(rt.class('java.util.HashMap'), 'hash')),
    ),
  'toUnmodifiableList()': (rt) =>
    gathering(rt, (items) => new List([...items], rt.class('java.util.ImmutableCollections$ListN'), true)),
  'joining()': (rt) => joining(rt, '', '', ''),
  'joining(CharSequence)': (rt, _self: Value, [separator]: [Value]) => joining(rt, separator, '', ''),
  'joining(CharSequence, CharSequence, CharSequence)': (
    rt,
    _self: Value,
    [separator, prefix, suffix]: [Value, Value, Value],
  ) => joining(rt, separator, prefix, suffix),
  'counting()': (rt) => gathering(rt, (items) => BigInt(items.length)),
  'groupingBy(java.util.function.Function)': (rt, _self: Value, [key]: [Value]) =>
    new Collector(rt, (items) => grouped(rt, items, key, null)),
  'groupingBy(java.util.function.Function, java.util.stream.Collector)': (
    rt,
    _self: Value,
    [key, inner]: [Value, Collector],
  ) => new Collector(rt, (items) => grouped(rt, items, key, inner)),
  'partitioningBy(java.util.function.Predicate)': (rt, _self: Value, [test]: [Value]) =>
    new Collector(rt, function* (items) {
      const map = new GMap(rt.class('java.util.stream.Collectors$Partition'));
      const parts = { yes: new List(), no: new List() };
      for (const item of items) (rt.truth(yield* rt.invoke(test, [item])) ? parts.yes : parts.no).items.push(item);
      map.put(false, parts.no);
      map.put(true, parts.yes);
      return map;
    }),
  'mapping(java.util.function.Function, java.util.stream.Collector)': (
    rt,
    _self: Value,
    [run, inner]: [Value, Collector],
  ) =>
    new Collector(rt, function* (items) {
      return yield* inner.gather(yield* mapped(rt, new Stream(rt, items), run));
    }),
  'toMap(java.util.function.Function, java.util.function.Function)': (rt, _self: Value, [key, value]: [Value, Value]) =>
    new Collector(rt, (items) => toMap(rt, items, key, value, null)),
  'toMap(java.util.function.Function, java.util.function.Function, java.util.function.BinaryOperator)': (
    rt,
    _self: Value,
    [key, value, join]: [Value, Value, Value],
  ) => new Collector(rt, (items) => toMap(rt, items, key, value, join)),
  'summingInt(java.util.function.ToIntFunction)': (rt, _self: Value, [run]: [Value]) =>
    new Collector(rt, function* (items) {
      return yield* total(rt, yield* mapped(rt, new Stream(rt, items), run));
    }),
  'averagingInt(java.util.function.ToIntFunction)': (rt, _self: Value, [run]: [Value]) =>
    new Collector(rt, function* (items) {
      const numbers = yield* mapped(rt, new Stream(rt, items), run);
      const sum = numbers.reduce((left: number, right) => left + toDouble(right as NumberValue), 0);
      return new Double(numbers.length === 0 ? 0 : sum / numbers.length);
    }),
};

function numbers(rt: Runtime, from: number, end: number): Stream {
  const count = Math.max(0, end - from);
  rt.budget.allocate(count * 8);
  rt.budget.spend(count);
  return new Stream(
    rt,
    Array.from({ length: count }, (_, at) => from + at),
    true,
  );
}

const stream: LibraryFunction = (rt: Runtime, self: Value) => new Stream(rt, [...itemsNow(rt, self)]);

export const streamClasses: readonly ClassSpec[] = [
  { name: 'java.util.stream.BaseStream', kind: 'interface' },
  {
    name: 'java.util.stream.Stream',
    interfaces: ['java.util.stream.BaseStream'],
    methods,
    statics: {
      'of(Object...)': (rt, _self: Value, [items]: [ArrayValue]) => new Stream(rt, items.items),
      'empty()': (rt) => new Stream(rt, []),
      'concat(java.util.stream.Stream, java.util.stream.Stream)': (rt, _self: Value, [left, right]: [Stream, Stream]) =>
        new Stream(rt, [...left.items, ...right.items]),
    },
  },
  {
    name: 'java.util.stream.IntStream',
    interfaces: ['java.util.stream.BaseStream'],
    methods,
    statics: {
      'range(int, int)': (rt, _self: Value, [from, end]: [number, number]) => numbers(rt, from, end),
      'rangeClosed(int, int)': (rt, _self: Value, [from, last]: [number, number]) => numbers(rt, from, last + 1),
      'of(int...)': (rt, _self: Value, [items]: [ArrayValue]) => new Stream(rt, items.items.map(countOf), true),
    },
  },
  { name: 'java.util.stream.Collector', kind: 'class' },
  { name: 'java.util.stream.Collectors$Partition', superclass: 'java.util.AbstractMap' },
  { name: 'java.util.stream.Collectors', statics: collectors },
  { name: 'java.util.Collection', methods: { 'stream()': stream, 'parallelStream()': stream } },
  { name: 'java.lang.Object[]', methods: { 'stream()': stream } },
];
