import type { ClassSpec, JavaClass, Obj, Runtime, Value } from '../../values/java-class.ts';
import { ZoneValue } from './date-classes.ts';
import { epochDay, monthLength, weekDay } from './date-element.ts';
import { DateValue, fieldsAt } from './date-value.ts';
import { offsetOfLocal } from './zone.ts';

/** Numbers of the fields that scripts name. */
const fields = {
  YEAR: 1,
  MONTH: 2,
  DATE: 5,
  DAY_OF_MONTH: 5,
  DAY_OF_YEAR: 6,
  DAY_OF_WEEK: 7,
  HOUR: 10,
  HOUR_OF_DAY: 11,
  MINUTE: 12,
  SECOND: 13,
  MILLISECOND: 14,
};
const months = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
];
const days = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

/** A lenient calendar of Gregory. */
export class CalendarValue implements Obj {
  readonly javaClass: JavaClass;
  time: number;
  zone: string;

  constructor(rt: Runtime, time: number, zone = 'UTC') {
    this.javaClass = rt.class('java.util.GregorianCalendar');
    this.time = time;
    this.zone = zone;
  }

  compare(other: Value): number {
    return other instanceof CalendarValue ? Math.sign(this.time - other.time) : 1;
  }

  equals(other: Value): boolean {
    return other instanceof CalendarValue && other.time === this.time;
  }
}

function get(rt: Runtime, self: CalendarValue, field: number): number {
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, nano = 0 } = fieldsAt(self.time, self.zone);
  switch (field) {
    case fields.YEAR:
      return year;
    case fields.MONTH:
      return month - 1;
    case fields.DATE:
      return day;
    case fields.DAY_OF_YEAR:
      return epochDay(year, month, day) - epochDay(year, 1, 1) + 1;
    case fields.DAY_OF_WEEK:
      return (weekDay(epochDay(year, month, day)) % 7) + 1;
    case fields.HOUR:
      return hour % 12;
    case fields.HOUR_OF_DAY:
      return hour;
    case fields.MINUTE:
      return minute;
    case fields.SECOND:
      return second;
    case fields.MILLISECOND:
      return nano / 1_000_000;
    default:
      return rt.fail('java.lang.UnsupportedOperationException', `the field ${field} of Calendar is not available`);
  }
}

/** Sets local fields; those beyond their limits carry over. */
function place(self: CalendarValue, year: number, month: number, rest: number): void {
  const extra = Math.floor(month / 12);
  const local = epochDay(year + extra, (((month % 12) + 12) % 12) + 1, 1) * 86_400_000 + rest;
  self.time = local - offsetOfLocal(self.zone, Math.floor(local / 1000)) * 1000;
}

const units: Readonly<Record<number, number>> = {
  5: 86_400_000,
  6: 86_400_000,
  7: 86_400_000,
  10: 3_600_000,
  11: 3_600_000,
  12: 60_000,
  13: 1000,
  14: 1,
};

function restOf(rt: Runtime, self: CalendarValue): number {
  const part = (field: number): number => get(rt, self, field) * units[field]!;
  return part(5) - units[5]! + part(11) + part(12) + part(13) + part(14);
}

function set(rt: Runtime, self: CalendarValue, field: number, value: number): void {
  const [year, month] = [get(rt, self, fields.YEAR), get(rt, self, fields.MONTH)];
  if (field === fields.YEAR) place(self, value, month, restOf(rt, self));
  else if (field === fields.MONTH) place(self, year, value, restOf(rt, self));
  else if (field === fields.HOUR)
    place(self, year, month, restOf(rt, self) + (value - get(rt, self, field)) * units[10]!);
  else place(self, year, month, restOf(rt, self) + (value - get(rt, self, field)) * (units[field] ?? 0));
}

function add(rt: Runtime, self: CalendarValue, field: number, amount: number): void {
  if (field !== fields.YEAR && field !== fields.MONTH) {
    set(rt, self, field, get(rt, self, field) + amount);
    return;
  }
  const total =
    get(rt, self, fields.YEAR) * 12 + get(rt, self, fields.MONTH) + amount * (field === fields.YEAR ? 12 : 1);
  const [year, month] = [Math.floor(total / 12), ((total % 12) + 12) % 12];
  const day = get(rt, self, fields.DATE);
  const cut = day - Math.min(day, monthLength(year, month + 1));
  place(self, year, month, restOf(rt, self) - cut * units[5]!);
}

const now = (rt: Runtime, zone = 'UTC'): CalendarValue => new CalendarValue(rt, Date.now(), zone);

export const calendarClasses: readonly ClassSpec[] = [
  {
    name: 'java.util.Calendar',
    kind: 'abstract',
    interfaces: ['java.lang.Comparable'],
    constants: {
      ...fields,
      ...Object.fromEntries(months.map((name, at) => [name, at])),
      ...Object.fromEntries(days.map((name, at) => [name, at + 1])),
    },
    statics: {
      'getInstance()': (rt) => now(rt),
      'getInstance(TimeZone)': (rt, _self: Value, [zone]: [ZoneValue]) => now(rt, zone.id),
    },
    methods: {
      'get(int)': (rt, self: CalendarValue, [field]: [number]) => get(rt, self, field),
      'getAt(int)': (rt, self: CalendarValue, [field]: [number]) => get(rt, self, field),
      'set(int, int)': (rt, self: CalendarValue, [field, value]: [number, number]) => set(rt, self, field, value),
      'set(int, int, int)': (rt, self: CalendarValue, [year, month, day]: [number, number, number]) =>
        place(self, year, month, restOf(rt, self) + (day - get(rt, self, 5)) * units[5]!),
      'set(int, int, int, int, int, int)': (
        rt,
        self: CalendarValue,
        [year, month, day, hour, minute, second]: [number, number, number, number, number, number],
      ) =>
        place(self, year, month, (((day - 1) * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + get(rt, self, 14)),
      'add(int, int)': (rt, self: CalendarValue, [field, amount]: [number, number]) => add(rt, self, field, amount),
      'getTime()': (rt, self: CalendarValue) => new DateValue(rt, self.time),
      'setTime(Date)': (_rt, self: CalendarValue, [date]: [DateValue]) => void (self.time = date.time),
      'getTimeInMillis()': (_rt, self: CalendarValue) => BigInt(self.time),
      'setTimeInMillis(long)': (_rt, self: CalendarValue, [time]: [bigint]) => void (self.time = Number(time)),
      'getTimeZone()': (rt, self: CalendarValue) => new ZoneValue(rt, self.zone),
      'setTimeZone(TimeZone)': (_rt, self: CalendarValue, [zone]: [ZoneValue]) => void (self.zone = zone.id),
      'before(Object)': (_rt, self: CalendarValue, [other]: [CalendarValue]) => self.time < other.time,
      'after(Object)': (_rt, self: CalendarValue, [other]: [CalendarValue]) => self.time > other.time,
      'format(String)': (rt, self: CalendarValue, [pattern]: [string]) =>
        rt.call(new DateValue(rt, self.time), 'format', [pattern, new ZoneValue(rt, self.zone)]),
    },
  },
  {
    name: 'java.util.GregorianCalendar',
    superclass: 'java.util.Calendar',
    constructors: {
      '()': (rt) => now(rt),
      '(int, int, int)': (rt, _self: Value, [year, month, day]: [number, number, number]) => {
        const calendar = new CalendarValue(rt, 0);
        place(calendar, year, month, (day - 1) * units[5]!);
        return calendar;
      },
    },
  },
  {
    name: 'java.util.Date',
    methods: {
      'toCalendar()': (rt, self: DateValue) => new CalendarValue(rt, self.time),
      'getAt(int)': (rt, self: DateValue, [field]: [number]) => get(rt, new CalendarValue(rt, self.time), field),
    },
  },
];
