import { randomBytes, randomInt } from 'node:crypto';
import { ByteArray, GMap, List } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { Plain } from '../encoding/encoding-classes.ts';
import { type EnumConstant, enumSpec } from '../numbers/big-classes.ts';
import { surroundingsOf } from './surroundings.ts';

function mapOf(record: Readonly<Record<string, string | undefined>>): GMap {
  const map = new GMap();
  for (const [name, value] of Object.entries(record)) if (value !== undefined) map.put(name, value);
  return map;
}

const named = (record: Readonly<Record<string, string | undefined>>, name: string): string | null =>
  Object.hasOwn(record, name) ? (record[name] ?? null) : null;

const MOST_SLEEP = 60_000;

function* sleep(rt: Runtime, millis: bigint): Steps {
  if (millis < 0n) rt.fail('java.lang.IllegalArgumentException', 'timeout value is negative');
  const time = Math.min(Number(millis), MOST_SLEEP);
  rt.budget.spend(1);
  yield new Promise<Value>((resolve) => {
    setTimeout(() => resolve(null), time);
  });
  return null;
}

/** An object that shows the value it holds. */
function holder<T extends Value>(rt: Runtime, className: string, value: T): Plain<{ value: T }> {
  const made = new Plain(rt, className, { value });
  const text = (): string => rt.javaText(made.state.value);
  made.text = text;
  return made;
}

/** A counter that Java's classes of concurrency share. */
type Counter = Plain<{ value: number | bigint }>;

/** Exchanges of a value under a condition; there is one thread. */
function exchanging(type: string): Record<string, LibraryFunction> {
  return {
    [`getAndSet(${type})`]: (_rt: Runtime, self: Plain<{ value: Value }>, [value]: [Value]) => {
      const before = self.state.value;
      self.state.value = value;
      return before;
    },
    [`compareAndSet(${type}, ${type})`]: (
      _rt: Runtime,
      self: Plain<{ value: Value }>,
      [expected, value]: [Value, Value],
    ) => {
      const isSame = self.state.value === expected;
      if (isSame) self.state.value = value;
      return isSame;
    },
  };
}

function counter(name: string, isLong: boolean): ClassSpec {
  const type = isLong ? 'long' : 'int';
  const wrap = (value: bigint): number | bigint =>
    isLong ? BigInt.asIntN(64, value) : Number(BigInt.asIntN(32, value));
  const add =
    (by: bigint, isAfter: boolean): LibraryFunction =>
    (_rt: Runtime, self: Counter) => {
      const before = self.state.value;
      self.state.value = wrap(BigInt(before) + by);
      return isAfter ? self.state.value : before;
    };
  const updated = (arity: 1 | 2, isAfter: boolean): LibraryFunction =>
    function* (rt: Runtime, self: Counter, args: readonly Value[]): Steps {
      const before = self.state.value;
      const operands = arity === 1 ? [before] : [before, args[0]!];
      self.state.value = rt.cast(yield* rt.invoke(args.at(-1)!, operands), rt.class(type)) as number | bigint;
      return isAfter ? self.state.value : before;
    };
  const made = (rt: Runtime, value: number | bigint): Counter => holder(rt, name, value);
  return {
    name,
    superclass: 'java.lang.Number',
    constructors: {
      '()': (rt) => made(rt, isLong ? 0n : 0),
      [`(${type})`]: (rt: Runtime, _self: Value, [value]: [number | bigint]) => made(rt, value),
    },
    methods: {
      [`getAndAdd(${type})`]: (_rt: Runtime, self: Counter, [by]: [number | bigint]) => {
        const before = self.state.value;
        self.state.value = wrap(BigInt(before) + BigInt(by));
        return before;
      },
      [`getAndSet(${type})`]: (_rt: Runtime, self: Counter, [value]: [number | bigint]) => {
        const before = self.state.value;
        self.state.value = value;
        return before;
      },
      [`updateAndGet(java.util.function.${isLong ? 'Long' : 'Int'}UnaryOperator)`]: updated(1, true),
      [`getAndUpdate(java.util.function.${isLong ? 'Long' : 'Int'}UnaryOperator)`]: updated(1, false),
      [`accumulateAndGet(${type}, java.util.function.${isLong ? 'Long' : 'Int'}BinaryOperator)`]: updated(2, true),
      [`getAndAccumulate(${type}, java.util.function.${isLong ? 'Long' : 'Int'}BinaryOperator)`]: updated(2, false),
      'get()': (_rt, self: Counter) => self.state.value,
      'intValue()': (_rt, self: Counter) => Number(self.state.value),
      'longValue()': (_rt, self: Counter) => BigInt(self.state.value),
      'incrementAndGet()': add(1n, true),
      'decrementAndGet()': add(-1n, true),
      'getAndIncrement()': add(1n, false),
      'getAndDecrement()': add(-1n, false),
      [`set(${type})`]: (_rt: Runtime, self: Counter, [value]: [number | bigint]) => void (self.state.value = value),
      [`addAndGet(${type})`]: (_rt: Runtime, self: Counter, [by]: [number | bigint]) => {
        self.state.value = wrap(BigInt(self.state.value) + BigInt(by));
        return self.state.value;
      },
      [`compareAndSet(${type}, ${type})`]: (
        _rt: Runtime,
        self: Counter,
        [expected, value]: [number | bigint, number | bigint],
      ) => {
        if (self.state.value !== expected) return false;
        self.state.value = value;
        return true;
      },
    },
  };
}

const timeUnits: Readonly<Record<string, bigint>> = {
  NANOSECONDS: 1n,
  MICROSECONDS: 1000n,
  MILLISECONDS: 1_000_000n,
  SECONDS: 1_000_000_000n,
  MINUTES: 60_000_000_000n,
  HOURS: 3_600_000_000_000n,
  DAYS: 86_400_000_000_000n,
};

function conversions(): Record<string, LibraryFunction> {
  const methods: Record<string, LibraryFunction> = {};
  const names: Readonly<Record<string, string>> = {
    Nanos: 'NANOSECONDS',
    Micros: 'MICROSECONDS',
    Millis: 'MILLISECONDS',
    Seconds: 'SECONDS',
    Minutes: 'MINUTES',
    Hours: 'HOURS',
    Days: 'DAYS',
  };
  for (const [name, unit] of Object.entries(names)) {
    methods[`to${name}(long)`] = (_rt: Runtime, self: EnumConstant, [amount]: [bigint]) =>
      (amount * timeUnits[self.name]!) / timeUnits[unit]!;
  }
  methods['convert(long, java.util.concurrent.TimeUnit)'] = (
    _rt: Runtime,
    self: EnumConstant,
    [amount, unit]: [bigint, EnumConstant],
  ) => (amount * timeUnits[unit.name]!) / timeUnits[self.name]!;
  methods['sleep(long)'] = (rt: Runtime, self: EnumConstant, [amount]: [bigint]) =>
    sleep(rt, (amount * timeUnits[self.name]!) / 1_000_000n);
  return methods;
}

const printer: LibraryFunction = (rt: Runtime, _self: Value, [value]: [Value]) => rt.print(`${rt.text(value)}\n`);

function* printFormatted(rt: Runtime, format: string, args: readonly Value[]): Steps {
  rt.print(rt.text(yield* rt.callStatic(rt.class('java.lang.String'), 'format', [format, ...args])));
  return null;
}

function propertyName(rt: Runtime, name: string | null): string {
  if (name === '') rt.fail('java.lang.IllegalArgumentException', "key can't be empty");
  return name ?? rt.fail('java.lang.NullPointerException', "key can't be null");
}

export const systemClasses: readonly ClassSpec[] = [
  {
    name: 'java.lang.System',
    statics: {
      'currentTimeMillis()': () => BigInt(Date.now()),
      'nanoTime()': () => process.hrtime.bigint(),
      'getenv(String)': (rt, _self: Value, [name]: [string | null]) =>
        named(surroundingsOf(rt).environment, name ?? rt.fail('java.lang.NullPointerException')),
      'getenv()': (rt) => mapOf(surroundingsOf(rt).environment),
      'getProperty(String)': (rt, _self: Value, [name]: [string | null]) =>
        named(surroundingsOf(rt).properties, propertyName(rt, name)),
      'getProperty(String, String)': (rt, _self: Value, [name, fallback]: [string | null, string]) =>
        named(surroundingsOf(rt).properties, propertyName(rt, name)) ?? fallback,
      'lineSeparator()': () => '\n',
      'identityHashCode(Object)': (rt, _self: Value, [value]: [Value]) => rt.hash(value),
    },
    constants: {
      out: (rt) => new Plain(rt, 'java.io.PrintStream', null),
      err: (rt) => new Plain(rt, 'java.io.NullPrintStream', null),
    },
  },
  {
    name: 'java.io.PrintStream',
    methods: {
      'println(Object)': printer,
      'println()': (rt) => rt.print('\n'),
      'print(Object)': (rt, _self: Value, [value]: [Value]) => rt.print(rt.text(value)),
      // Groovy's own printf, without a value, fits a single argument better than that of PrintStream does.
      'printf(String, Object)': function* (rt, _self: Value, [format, value]: [string, Value]): Steps {
        if (value === null) {
          rt.fail('java.lang.NullPointerException', 'Cannot invoke "Object.getClass()" because "arg" is null');
        }
        yield* printFormatted(rt, format, value instanceof List ? value.items : [value]);
        return null;
      },
      'printf(String, Object...)': function* (rt, self: Value, [format, args]: [string, { items: Value[] }]): Steps {
        yield* printFormatted(rt, format, args.items);
        return self;
      },
      'format(String, Object...)': function* (rt, self: Value, [format, args]: [string, { items: Value[] }]): Steps {
        yield* printFormatted(rt, format, args.items);
        return self;
      },
      'flush()': () => undefined,
    },
  },
  {
    name: 'java.io.NullPrintStream',
    methods: { 'println(Object)': () => undefined, 'print(Object)': () => undefined, 'println()': () => undefined },
  },
  { name: 'java.lang.Thread', statics: { 'sleep(long)': (rt, _self: Value, [millis]: [bigint]) => sleep(rt, millis) } },
  {
    name: 'java.security.SecureRandom',
    constructors: { '()': (rt) => new Plain(rt, 'java.security.SecureRandom', null) },
    methods: {
      'nextBytes(byte[])': (rt, _self: Value, [array]: [ByteArray]) => {
        rt.budget.spend(array.bytes.length);
        array.bytes.set(randomBytes(array.bytes.length));
      },
      'nextInt()': () => randomBytes(4).readInt32BE(),
      'nextInt(int)': (rt, _self: Value, [bound]: [number]) =>
        bound > 0 ? randomInt(bound) : rt.fail('java.lang.IllegalArgumentException', 'bound must be positive'),
      'nextLong()': () => randomBytes(8).readBigInt64BE(),
      'generateSeed(int)': (rt, _self: Value, [count]: [number]) => {
        rt.budget.allocate(count);
        return new ByteArray(new Uint8Array(randomBytes(count)));
      },
    },
  },
  counter('java.util.concurrent.atomic.AtomicInteger', false),
  counter('java.util.concurrent.atomic.AtomicLong', true),
  {
    name: 'java.util.concurrent.atomic.AtomicBoolean',
    constructors: {
      '()': (rt) => holder<boolean>(rt, 'java.util.concurrent.atomic.AtomicBoolean', false),
      '(boolean)': (rt, _self: Value, [value]: [boolean]) =>
        holder(rt, 'java.util.concurrent.atomic.AtomicBoolean', value),
    },
    methods: {
      'get()': (_rt, self: Plain<{ value: boolean }>) => self.state.value,
      'set(boolean)': (_rt, self: Plain<{ value: boolean }>, [value]: [boolean]) => void (self.state.value = value),
      ...exchanging('boolean'),
    },
  },
  {
    name: 'java.util.concurrent.atomic.AtomicReference',
    constructors: {
      '()': (rt) => holder<Value>(rt, 'java.util.concurrent.atomic.AtomicReference', null),
      '(Object)': (rt, _self: Value, [value]: [Value]) =>
        holder(rt, 'java.util.concurrent.atomic.AtomicReference', value),
    },
    methods: {
      'get()': (_rt, self: Plain<{ value: Value }>) => self.state.value,
      'set(Object)': (_rt, self: Plain<{ value: Value }>, [value]: [Value]) => void (self.state.value = value),
      ...exchanging('Object'),
      'updateAndGet(java.util.function.UnaryOperator)': function* (
        rt: Runtime,
        self: Plain<{ value: Value }>,
        [run]: [Value],
      ): Steps {
        self.state.value = yield* rt.invoke(run, [self.state.value]);
        return self.state.value;
      },
      'getAndUpdate(java.util.function.UnaryOperator)': function* (
        rt: Runtime,
        self: Plain<{ value: Value }>,
        [run]: [Value],
      ): Steps {
        const before = self.state.value;
        self.state.value = yield* rt.invoke(run, [before]);
        return before;
      },
    },
  },
  enumSpec('java.util.concurrent.TimeUnit', Object.keys(timeUnits), { methods: conversions() }),
];
