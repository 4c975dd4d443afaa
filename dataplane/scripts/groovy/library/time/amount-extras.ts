import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import type { EnumConstant } from '../numbers/big-classes.ts';
import { Amount, CLOCK_UNITS, DAY_NANOS, floorDiv, mod } from './java-time.ts';
import { PeriodValue } from './period-classes.ts';

const TIME = 'java.time.';
const NANOS = 1_000_000_000n;

const period = (change: (self: PeriodValue, amount: number) => [number, number, number]): LibraryFunction => {
  return (rt: Runtime, self: PeriodValue, [amount]: [bigint | number]) =>
    new PeriodValue(rt, ...change(self, Number(amount ?? 0)));
};

const times = ({ years, months, days }: PeriodValue, by: number): [number, number, number] => [
  years * by + 0,
  months * by + 0,
  days * by + 0,
];

const sum =
  (sign: 1 | -1): LibraryFunction =>
  (rt: Runtime, self: PeriodValue, [other]: [PeriodValue]) =>
    new PeriodValue(
      rt,
      self.years + sign * other.years,
      self.months + sign * other.months,
      self.days + sign * other.days,
    );

const periodMethods: Readonly<Record<string, LibraryFunction>> = {
  'plusDays(long)': period((self, by) => [self.years, self.months, self.days + by]),
  'plusMonths(long)': period((self, by) => [self.years, self.months + by, self.days]),
  'plusYears(long)': period((self, by) => [self.years + by, self.months, self.days]),
  'minusDays(long)': period((self, by) => [self.years, self.months, self.days - by]),
  'minusMonths(long)': period((self, by) => [self.years, self.months - by, self.days]),
  'minusYears(long)': period((self, by) => [self.years - by, self.months, self.days]),
  'withDays(int)': period((self, by) => [self.years, self.months, by]),
  'withMonths(int)': period((self, by) => [self.years, by, self.days]),
  'withYears(int)': period((self, by) => [by, self.months, self.days]),
  'multipliedBy(int)': period(times),
  'multiply(int)': period(times),
  'negated()': period((self) => times(self, -1)),
  'negative()': period((self) => times(self, -1)),
  'normalized()': period((self) => {
    const total = self.years * 12 + self.months;
    return [Math.trunc(total / 12), total % 12, self.days];
  }),
  [`plus(${TIME}Period)`]: sum(1),
  [`minus(${TIME}Period)`]: sum(-1),
};

const unitNanos: Readonly<Record<string, bigint>> = {
  ...CLOCK_UNITS,
  HALF_DAYS: DAY_NANOS / 2n,
  DAYS: DAY_NANOS,
};

const amount = (change: (nanos: bigint, by: bigint) => bigint): LibraryFunction => {
  return (rt: Runtime, self: Amount, [by]: [bigint?]) => new Amount(rt, change(self.nanos, by ?? 0n));
};

const divided: LibraryFunction = (rt: Runtime, self: Amount, [by]: [bigint]) =>
  by === 0n ? rt.fail('java.lang.ArithmeticException', 'Cannot divide by zero') : new Amount(rt, self.nanos / by);

const durationMethods: Readonly<Record<string, LibraryFunction>> = {
  'multiply(long)': amount((nanos, by) => nanos * by),
  'div(long)': divided,
  'negative()': amount((nanos) => -nanos),
  'positive()': amount((nanos) => nanos),
  'next()': amount((nanos) => nanos + NANOS),
  'previous()': amount((nanos) => nanos - NANOS),
  'isPositive()': (_rt, self: Amount) => self.nanos > 0n,
  'isNonnegative()': (_rt, self: Amount) => self.nanos >= 0n,
  'isNonpositive()': (_rt, self: Amount) => self.nanos <= 0n,
  'toMillisPart()': (_rt, self: Amount) => Number(mod(self.nanos, NANOS) / 1_000_000n),
  'toNanosPart()': (_rt, self: Amount) => Number(mod(self.nanos, NANOS)),
  'toDaysPart()': (_rt, self: Amount) => self.nanos / DAY_NANOS,
  'withNanos(int)': (rt, self: Amount, [nanos]: [number]) => {
    if (nanos < 0 || nanos > 999_999_999)
      rt.fail('java.time.DateTimeException', `Invalid value for NanoOfSecond (valid values 0 - 999999999): ${nanos}`);
    return new Amount(rt, floorDiv(self.nanos, NANOS) * NANOS + BigInt(nanos));
  },
  'withSeconds(long)': (rt, self: Amount, [seconds]: [bigint]) =>
    new Amount(rt, seconds * NANOS + mod(self.nanos, NANOS)),
};

export const amountExtraClasses: readonly ClassSpec[] = [
  { name: `${TIME}Period`, methods: periodMethods },
  {
    name: `${TIME}Duration`,
    methods: durationMethods,
    statics: {
      [`of(long, ${TIME}temporal.ChronoUnit)`]: (rt: Runtime, _self: Value, [by, unit]: [bigint, EnumConstant]) =>
        new Amount(
          rt,
          by *
            (unitNanos[unit.name] ??
              rt.fail(
                'java.time.temporal.UnsupportedTemporalTypeException',
                'Unit must not have an estimated duration',
              )),
        ),
    },
  },
];
