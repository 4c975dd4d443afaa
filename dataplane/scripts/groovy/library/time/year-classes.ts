import { hashOfText } from '../../values/hash.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { EnumConstant } from '../numbers/big-classes.ts';
import { elementsOf } from './date-classes.ts';
import { epochDay, isLeapYear, monthLength, monthNames } from './date-element.ts';
import { DAY_NANOS, TimeValue, timeFields } from './java-time.ts';
import { type Formatter, formatter, written } from './time-formatting.ts';

type Kind = 'Year' | 'YearMonth' | 'MonthDay';

/** A year, a month of a year, or a day that every year has. */
class CalendarPart implements Obj {
  readonly javaClass: JavaClass;
  readonly kind: Kind;
  readonly year: number;
  readonly month: number;
  readonly day: number;

  constructor(rt: Runtime, kind: Kind, year: number, month = 1, day = 1) {
    this.javaClass = rt.class(`java.time.${kind}`);
    this.kind = kind;
    this.year = year;
    this.month = month;
    this.day = day;
  }

  text(): string {
    const two = (value: number): string => String(value).padStart(2, '0');
    if (this.kind === 'Year') return String(this.year);
    if (this.kind === 'MonthDay') return `--${two(this.month)}-${two(this.day)}`;
    return `${this.year < 0 ? '-' : ''}${String(Math.abs(this.year)).padStart(4, '0')}-${two(this.month)}`;
  }

  equals(other: Value): boolean {
    return other instanceof CalendarPart && other.kind === this.kind && other.text() === this.text();
  }

  compare(other: Value): number {
    if (!(other instanceof CalendarPart)) return 1;
    return this.year - other.year || this.month - other.month || this.day - other.day;
  }

  hash(): number {
    return hashOfText(this.text());
  }

  key(): string {
    return `\u0001${this.kind}${this.text()}`;
  }
}

function checked(rt: Runtime, kind: Kind, year: number, month = 1, day = 1): CalendarPart {
  if (month < 1 || month > 12)
    rt.fail('java.time.DateTimeException', `Invalid value for MonthOfYear (valid values 1 - 12): ${month}`);
  if (day < 1 || day > 31)
    rt.fail('java.time.DateTimeException', `Invalid value for DayOfMonth (valid values 1 - 28/31): ${day}`);
  return new CalendarPart(rt, kind, year, month, day);
}

function parsed(rt: Runtime, kind: Kind, text: string): CalendarPart {
  const forms = { Year: /^(\d{4})()()$/, YearMonth: /^(\d{4})-(\d\d)()$/, MonthDay: /^--()(\d\d)-(\d\d)$/ };
  const match = forms[kind].exec(text);
  if (match === null)
    return rt.fail('java.time.format.DateTimeParseException', `Text '${text}' could not be parsed at index 0`);
  const [, year, month, day] = match;
  return checked(rt, kind, Number(year || 2000), Number(month || 1), Number(day || 1));
}

function dateIn(rt: Runtime, { year, month }: CalendarPart, day: number): TimeValue {
  if (day < 1 || day > monthLength(year, month))
    rt.fail('java.time.DateTimeException', `Invalid date '${monthNames[month - 1]!.toUpperCase()} ${day}'`);
  return new TimeValue(rt, 'LocalDate', BigInt(epochDay(year, month, day)) * DAY_NANOS);
}

const months =
  (sign: 1 | -1, size: 1 | 12): LibraryFunction =>
  (rt: Runtime, self: CalendarPart, [by]: [bigint]) => {
    const total = self.year * 12 + self.month - 1 + sign * size * Number(by);
    return new CalendarPart(rt, self.kind, Math.floor(total / 12), (((total % 12) + 12) % 12) + 1);
  };

const compared: Readonly<Record<string, LibraryFunction>> = {
  'isBefore(Object)': (_rt, self: CalendarPart, [other]: [Value]) => self.compare(other) < 0,
  'isAfter(Object)': (_rt, self: CalendarPart, [other]: [Value]) => self.compare(other) > 0,
};

const shown: Readonly<Record<string, LibraryFunction>> = {
  'format(java.time.format.DateTimeFormatter)': (rt, self: CalendarPart, [format]: [Formatter]) =>
    written(rt, dateIn(rt, self, self.day), format),
  'format(String)': (rt, self: CalendarPart, [pattern]: [string]) =>
    written(rt, dateIn(rt, self, self.day), formatter(rt, elementsOf(rt, pattern, 'modern'))),
};

const getters: Readonly<Record<string, LibraryFunction>> = {
  'getYear()': (_rt, self: CalendarPart) => self.year,
  'getMonthValue()': (_rt, self: CalendarPart) => self.month,
  'getMonth()': (rt, self: CalendarPart) =>
    new EnumConstant(rt.class('java.time.Month'), monthNames[self.month - 1]!.toUpperCase(), self.month - 1),
};

function partClass(kind: Kind, methods: Readonly<Record<string, LibraryFunction>>): ClassSpec {
  const of: Record<Kind, string> = { Year: 'of(int)', YearMonth: 'of(int, int)', MonthDay: 'of(int, int)' };
  return {
    name: `java.time.${kind}`,
    interfaces: ['java.lang.Comparable'],
    methods: { ...compared, ...methods },
    statics: {
      [of[kind]]: (rt: Runtime, _self: Value, [first, second = 1]: [number, number?]) =>
        kind === 'MonthDay' ? checked(rt, kind, 2000, first, second) : checked(rt, kind, first, second),
      'parse(CharSequence)': (rt: Runtime, _self: Value, [text]: [Value]) => parsed(rt, kind, rt.text(text)),
      'now()': (rt: Runtime) => {
        const now = new Date();
        return new CalendarPart(
          rt,
          kind,
          kind === 'MonthDay' ? 2000 : now.getUTCFullYear(),
          kind === 'Year' ? 1 : now.getUTCMonth() + 1,
          kind === 'MonthDay' ? now.getUTCDate() : 1,
        );
      },
      'from(java.time.temporal.Temporal)': (rt: Runtime, _self: Value, [time]: [TimeValue]) => {
        const { year = 1970, month = 1, day = 1 } = timeFields(time);
        return new CalendarPart(
          rt,
          kind,
          kind === 'MonthDay' ? 2000 : year,
          kind === 'Year' ? 1 : month,
          kind === 'MonthDay' ? day : 1,
        );
      },
    },
  };
}

export const yearClasses: readonly ClassSpec[] = [
  partClass('Year', {
    ...shown,
    'getValue()': (_rt, self: CalendarPart) => self.year,
    'isLeap()': (_rt, self: CalendarPart) => isLeapYear(self.year),
    'length()': (_rt, self: CalendarPart) => (isLeapYear(self.year) ? 366 : 365),
    'plusYears(long)': months(1, 12),
    'minusYears(long)': months(-1, 12),
    'atMonth(int)': (rt, self: CalendarPart, [month]: [number]) => checked(rt, 'YearMonth', self.year, month),
    'atDay(int)': (rt, self: CalendarPart, [day]: [number]) =>
      new TimeValue(rt, 'LocalDate', BigInt(epochDay(self.year, 1, 1) + day - 1) * DAY_NANOS),
    'next()': (rt, self: CalendarPart) => new CalendarPart(rt, 'Year', self.year + 1),
    'previous()': (rt, self: CalendarPart) => new CalendarPart(rt, 'Year', self.year - 1),
  }),
  partClass('YearMonth', {
    ...getters,
    ...shown,
    'lengthOfMonth()': (_rt, self: CalendarPart) => monthLength(self.year, self.month),
    'lengthOfYear()': (_rt, self: CalendarPart) => (isLeapYear(self.year) ? 366 : 365),
    'isLeapYear()': (_rt, self: CalendarPart) => isLeapYear(self.year),
    'plusMonths(long)': months(1, 1),
    'minusMonths(long)': months(-1, 1),
    'plusYears(long)': months(1, 12),
    'minusYears(long)': months(-1, 12),
    'plus(long)': months(1, 1),
    'minus(long)': months(-1, 1),
    'next()': (rt, self: CalendarPart) => rt.call(self, 'plusMonths', [1n]),
    'previous()': (rt, self: CalendarPart) => rt.call(self, 'minusMonths', [1n]),
    'atDay(int)': (rt, self: CalendarPart, [day]: [number]) => dateIn(rt, self, day),
    'atEndOfMonth()': (rt, self: CalendarPart) => dateIn(rt, self, monthLength(self.year, self.month)),
    'withMonth(int)': (rt, self: CalendarPart, [month]: [number]) => checked(rt, 'YearMonth', self.year, month),
    'withYear(int)': (rt, self: CalendarPart, [year]: [number]) => checked(rt, 'YearMonth', year, self.month),
  }),
  partClass('MonthDay', {
    'getMonthValue()': (_rt, self: CalendarPart) => self.month,
    'getMonth()': getters['getMonth()']!,
    'getDayOfMonth()': (_rt, self: CalendarPart) => self.day,
    'atYear(int)': (rt, self: CalendarPart, [year]: [number]) =>
      dateIn(rt, checked(rt, 'YearMonth', year, self.month), Math.min(self.day, monthLength(year, self.month))),
    'isValidYear(int)': (_rt, self: CalendarPart, [year]: [number]) => self.day <= monthLength(year, self.month),
  }),
];
