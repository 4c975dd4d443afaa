import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import { Amount, type TimeValue } from './java-time.ts';

const NANOS = 1_000_000_000n;
const units: Readonly<Record<string, bigint>> = {
  Days: 86_400n * NANOS,
  Hours: 3600n * NANOS,
  Minutes: 60n * NANOS,
  Seconds: NANOS,
  Millis: 1_000_000n,
  Nanos: 1n,
};

function read(rt: Runtime, text: string): Amount {
  const match = /^([+-]?)P(?:([+-]?\d+)D)?(T(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?\d+)(?:\.(\d{0,9}))?S)?)?$/i.exec(
    text,
  );
  if (match === null || match[3]?.length === 1 || /^[+-]?PT?$/i.test(text)) {
    return rt.fail('java.time.format.DateTimeParseException', 'Text cannot be parsed to a Duration');
  }
  const [, sign, days = '0', , hours = '0', minutes = '0', seconds = '0', fraction = ''] = match;
  const part = BigInt(fraction.padEnd(9, '0')) * (seconds.startsWith('-') ? -1n : 1n);
  const total =
    BigInt(days) * units['Days']! +
    BigInt(hours) * units['Hours']! +
    BigInt(minutes) * units['Minutes']! +
    BigInt(seconds) * NANOS +
    part;
  return new Amount(rt, sign === '-' ? -total : total);
}

function perUnit(): { statics: Record<string, LibraryFunction>; methods: Record<string, LibraryFunction> } {
  const statics: Record<string, LibraryFunction> = {};
  const methods: Record<string, LibraryFunction> = {};
  for (const [name, size] of Object.entries(units)) {
    statics[`of${name}(long)`] = (rt: Runtime, _self: Value, [amount]: [bigint]) => new Amount(rt, amount * size);
    methods[`to${name}()`] = (_rt: Runtime, self: Amount) => self.nanos / size;
    methods[`plus${name}(long)`] = (rt: Runtime, self: Amount, [amount]: [bigint]) =>
      new Amount(rt, self.nanos + amount * size);
    methods[`minus${name}(long)`] = (rt: Runtime, self: Amount, [amount]: [bigint]) =>
      new Amount(rt, self.nanos - amount * size);
  }
  return { statics, methods };
}

const { statics, methods } = perUnit();

export const durationClasses: readonly ClassSpec[] = [
  {
    name: 'java.time.Duration',
    interfaces: ['java.lang.Comparable'],
    constants: { ZERO: (rt) => new Amount(rt, 0n) },
    statics: {
      ...statics,
      'ofSeconds(long, long)': (rt, _self: Value, [seconds, nanos]: [bigint, bigint]) =>
        new Amount(rt, seconds * NANOS + nanos),
      'parse(CharSequence)': (rt, _self: Value, [text]: [Value]) =>
        read(rt, rt.text(text ?? rt.fail('java.lang.NullPointerException', 'text'))),
      'between(java.time.temporal.Temporal, java.time.temporal.Temporal)': (
        rt,
        _self: Value,
        [from, to]: [TimeValue, TimeValue],
      ) => {
        if (from.kind === 'LocalDate')
          rt.fail('java.time.temporal.UnsupportedTemporalTypeException', 'Unsupported unit: Seconds');
        return new Amount(rt, to.instant - from.instant);
      },
    },
    methods: {
      ...methods,
      'getSeconds()': (_rt, self: Amount) => (self.nanos - (((self.nanos % NANOS) + NANOS) % NANOS)) / NANOS,
      'getNano()': (_rt, self: Amount) => Number(((self.nanos % NANOS) + NANOS) % NANOS),
      'toMinutesPart()': (_rt, self: Amount) => Number((self.nanos / units['Minutes']!) % 60n),
      'toHoursPart()': (_rt, self: Amount) => Number((self.nanos / units['Hours']!) % 24n),
      'toSecondsPart()': (_rt, self: Amount) => Number((self.nanos / NANOS) % 60n),
      'plus(long)': (rt, self: Amount, [seconds]: [bigint]) => new Amount(rt, self.nanos + seconds * NANOS),
      'minus(long)': (rt, self: Amount, [seconds]: [bigint]) => new Amount(rt, self.nanos - seconds * NANOS),
      'plus(java.time.Duration)': (rt, self: Amount, [other]: [Amount]) => new Amount(rt, self.nanos + other.nanos),
      'minus(java.time.Duration)': (rt, self: Amount, [other]: [Amount]) => new Amount(rt, self.nanos - other.nanos),
      'multipliedBy(long)': (rt, self: Amount, [factor]: [bigint]) => new Amount(rt, self.nanos * factor),
      'dividedBy(long)': (rt, self: Amount, [divisor]: [bigint]) =>
        divisor === 0n
          ? rt.fail('java.lang.ArithmeticException', 'Cannot divide by zero')
          : new Amount(rt, self.nanos / divisor),
      'negated()': (rt, self: Amount) => new Amount(rt, -self.nanos),
      'abs()': (rt, self: Amount) => new Amount(rt, self.nanos < 0n ? -self.nanos : self.nanos),
      'isZero()': (_rt, self: Amount) => self.nanos === 0n,
      'isNegative()': (_rt, self: Amount) => self.nanos < 0n,
    },
  },
];
