import { hashOfText } from '../../values/hash.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { isLeapYear, monthLength } from './date-element.ts';
import { DAY_NANOS, floorDiv, type TimeValue, timeFields } from './java-time.ts';

/** An amount of years, months and days. */
export class PeriodValue implements Obj {
  readonly javaClass: JavaClass;
  readonly years: number;
  readonly months: number;
  readonly days: number;

  constructor(rt: Runtime, years: number, months: number, days: number) {
    this.javaClass = rt.class('java.time.Period');
    this.years = years;
    this.months = months;
    this.days = days;
  }

  text(): string {
    const part = (value: number, unit: string): string => (value === 0 ? '' : `${value}${unit}`);
    const text = part(this.years, 'Y') + part(this.months, 'M') + part(this.days, 'D');
    return text === '' ? 'P0D' : `P${text}`;
  }

  equals(other: Value): boolean {
    return other instanceof PeriodValue && other.text() === this.text();
  }

  hash(): number {
    return hashOfText(this.text());
  }

  key(): string {
    return `\u0001period${this.text()}`;
  }
}

function read(rt: Runtime, text: string): PeriodValue {
  const match = /^([+-]?)P(?:([+-]?\d+)Y)?(?:([+-]?\d+)M)?(?:([+-]?\d+)W)?(?:([+-]?\d+)D)?$/i.exec(text);
  if (match === null || /^[+-]?P$/i.test(text)) {
    return rt.fail('java.time.format.DateTimeParseException', 'Text cannot be parsed to a Period');
  }
  const sign = match[1] === '-' ? -1 : 1;
  const part = (at: number): number => sign * Number(match[at] ?? 0);
  return new PeriodValue(rt, part(2), part(3), part(4) * 7 + part(5));
}

/** Whole months first, and the days that remain. */
function between(rt: Runtime, from: TimeValue, to: TimeValue): PeriodValue {
  const [a, b] = [timeFields(from), timeFields(to)];
  let months = (b.year! - a.year!) * 12 + b.month! - a.month!;
  let days = b.day! - a.day!;
  const dayOf = (time: TimeValue): number => Number(floorDiv(time.local, DAY_NANOS));
  if (months > 0 && days < 0) {
    months--;
    const total = a.year! * 12 + a.month! - 1 + months;
    const [year, month] = [Math.floor(total / 12), (total % 12) + 1];
    const day = Math.min(a.day!, monthLength(year, month));
    days = dayOf(to) - (dayOf(to) - b.day! + 1 - monthLength(year, month) + day - 1);
  } else if (months < 0 && days > 0) {
    months++;
    days -= monthLength(b.year!, b.month!);
  }
  return new PeriodValue(rt, Math.trunc(months / 12), months % 12, days);
}

const of =
  (make: (amount: number) => [number, number, number]): LibraryFunction =>
  (rt: Runtime, _self: Value, [amount]: [number]) =>
    new PeriodValue(rt, ...make(amount));

export const periodClasses: readonly ClassSpec[] = [
  {
    name: 'java.time.Period',
    constants: { ZERO: (rt) => new PeriodValue(rt, 0, 0, 0) },
    statics: {
      'ofDays(int)': of((amount) => [0, 0, amount]),
      'ofWeeks(int)': of((amount) => [0, 0, amount * 7]),
      'ofMonths(int)': of((amount) => [0, amount, 0]),
      'ofYears(int)': of((amount) => [amount, 0, 0]),
      'of(int, int, int)': (rt, _self: Value, [years, months, days]: [number, number, number]) =>
        new PeriodValue(rt, years, months, days),
      'parse(CharSequence)': (rt, _self: Value, [text]: [Value]) =>
        read(rt, rt.text(text ?? rt.fail('java.lang.NullPointerException', 'text'))),
      'between(java.time.LocalDate, java.time.LocalDate)': (rt, _self: Value, [from, to]: [TimeValue, TimeValue]) =>
        between(rt, from, to),
    },
    methods: {
      'getDays()': (_rt, self: PeriodValue) => self.days,
      'getMonths()': (_rt, self: PeriodValue) => self.months,
      'getYears()': (_rt, self: PeriodValue) => self.years,
      'toTotalMonths()': (_rt, self: PeriodValue) => BigInt(self.years * 12 + self.months),
      'isZero()': (_rt, self: PeriodValue) => self.text() === 'P0D',
      'isNegative()': (_rt, self: PeriodValue) => self.years < 0 || self.months < 0 || self.days < 0,
    },
  },
  {
    name: 'java.time.Year',
    statics: { 'isLeap(long)': (_rt, _self: Value, [year]: [bigint]) => isLeapYear(Number(year)) },
  },
];
