import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { Plain } from '../encoding/encoding-classes.ts';
import { checkLocale } from '../strings/locales.ts';
import { type DateElement, type DateFields, epochDay, monthLength, weekDay } from './date-element.ts';
import { formatDate } from './date-format.ts';
import { DateTextError, parseDate } from './date-parse.ts';
import { compileDatePattern, DatePatternError, UnknownDateLetter } from './date-pattern.ts';
import { DateValue, fieldsAt } from './date-value.ts';
import { isZoneId, offsetOfLocal } from './zone.ts';

const DAY = 86_400_000;

/** Class of the objects that `TimeZone.getTimeZone` gives. */
const ZONE_INFO = 'sun.util.calendar.ZoneInfo';

/** A java.util.TimeZone, by its id. */
export class ZoneValue implements Obj {
  readonly javaClass: JavaClass;
  readonly id: string;
  readonly #rt: Runtime;

  constructor(rt: Runtime, id: string, className = ZONE_INFO) {
    this.#rt = rt;
    this.javaClass = rt.class(className);
    this.id = id;
  }

  text(): string {
    if (this.javaClass.name !== ZONE_INFO) return this.id;
    // Other zones show the number of their changes.
    if (!/^(?:UTC|GMT)$/.test(this.id))
      return this.#rt.fail(
        'java.lang.UnsupportedOperationException',
        `the text of the time zone ${this.id} is not available`,
      );
    return `${ZONE_INFO}[id="${this.id}",offset=0,dstSavings=0,useDaylight=false,transitions=0,lastRule=null]`;
  }

  equals(other: Value): boolean {
    return other instanceof ZoneValue && other.id === this.id;
  }

  key(): string {
    return `\u0001zone${this.id}`;
  }
}

/** A zone of java.time: an offset, or a region. */
export function zoneFor(rt: Runtime, id: string): ZoneValue {
  return new ZoneValue(rt, id, `java.time.${/^(?:Z$|[+-])/.test(id) ? 'ZoneOffset' : 'ZoneRegion'}`);
}

/** An id that Java does not know stands for GMT; `GMT+1` is written out. */
function zoneOf(rt: Runtime, id: string): ZoneValue {
  const offset = /^GMT([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(id);
  if (offset !== null) return new ZoneValue(rt, `GMT${offset[1]}${offset[2]!.padStart(2, '0')}:${offset[3] ?? '00'}`);
  const isOffset = /^(?:UTC|UT)?[+-]/.test(id) || id === 'Z';
  return new ZoneValue(rt, !isOffset && isZoneId(id) ? id : 'GMT');
}

export function elementsOf(rt: Runtime, pattern: string, flavour: 'classic' | 'modern'): DateElement[] {
  try {
    rt.budget.allocate(pattern.length * 64);
    return compileDatePattern(pattern, flavour);
  } catch (error) {
    if (error instanceof DatePatternError) return rt.fail('java.lang.IllegalArgumentException', error.message);
    if (error instanceof UnknownDateLetter) return rt.fail('java.lang.UnsupportedOperationException', error.message);
    throw error;
  }
}

function formatted(rt: Runtime, self: DateValue, pattern: string, zone: string): string {
  return formatDate(fieldsAt(self.time, zone), elementsOf(rt, pattern, 'classic'));
}

function parsed(rt: Runtime, text: string, pattern: string, zone: string, isLenient = true): DateValue {
  try {
    const fields = parseDate(text, elementsOf(rt, pattern, 'classic'), true);
    if (!isLenient && !isReal(fields)) throw new DateTextError(0);
    const day =
      epochDay(fields.year ?? 1970, 1, 1) +
      monthDays(fields.year ?? 1970, (fields.month ?? 1) - 1) +
      (fields.day ?? 1) -
      1;
    const local = day * 86_400 + (fields.hour ?? 0) * 3600 + (fields.minute ?? 0) * 60 + (fields.second ?? 0);
    const offset = fields.offsetSeconds ?? offsetOfLocal(fields.zone ?? zone, local);
    return new DateValue(rt, (local - offset) * 1000 + Math.floor((fields.nano ?? 0) / 1_000_000));
  } catch (error) {
    if (error instanceof DateTextError) return rt.fail('java.text.ParseException', `Unparseable date: "${text}"`);
    throw error;
  }
}

/** True if no field carries over. */
function isReal({ year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 }: DateFields): boolean {
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= monthLength(year, month);
  return isDay && hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
}

/** Days before a month that may lie beyond the year, as lenient calendars allow. */
function monthDays(year: number, months: number): number {
  const extra = Math.floor(months / 12);
  return epochDay(year + extra, (((months % 12) + 12) % 12) + 1, 1) - epochDay(year, 1, 1);
}

const field =
  (read: (fields: ReturnType<typeof fieldsAt>) => number): LibraryFunction =>
  (_rt: Runtime, self: DateValue) =>
    read(fieldsAt(self.time));

const dateMethods: Readonly<Record<string, LibraryFunction>> = {
  'getTime()': (_rt, self: DateValue) => BigInt(self.time),
  'setTime(long)': (_rt, self: DateValue, [time]: [bigint]) => void (self.time = Number(time)),
  'before(Date)': (_rt, self: DateValue, [other]: [DateValue]) => self.time < other.time,
  'after(Date)': (_rt, self: DateValue, [other]: [DateValue]) => self.time > other.time,
  'plus(int)': (rt, self: DateValue, [days]: [number]) =>
    new DateValue(rt, self.time + days * DAY, self.javaClass.name),
  'minus(int)': (rt, self: DateValue, [days]: [number]) =>
    new DateValue(rt, self.time - days * DAY, self.javaClass.name),
  'minus(Date)': (_rt, self: DateValue, [other]: [DateValue]) =>
    Math.floor(self.time / DAY) - Math.floor(other.time / DAY),
  'next()': (rt, self: DateValue) => new DateValue(rt, self.time + DAY),
  'previous()': (rt, self: DateValue) => new DateValue(rt, self.time - DAY),
  'format(String)': (rt, self: DateValue, [pattern]: [string]) => formatted(rt, self, pattern, 'UTC'),
  'format(String, TimeZone)': (rt, self: DateValue, [pattern, zone]: [string, ZoneValue]) =>
    formatted(rt, self, pattern, zone.id),
  'clearTime()': (_rt, self: DateValue) => {
    self.time = Math.floor(self.time / DAY) * DAY;
    return self;
  },
  'clone()': (rt, self: DateValue) => new DateValue(rt, self.time, self.javaClass.name),
  'getYear()': field((fields) => fields.year! - 1900),
  'getMonth()': field((fields) => fields.month! - 1),
  'getDate()': field((fields) => fields.day!),
  'getDay()': field((fields) => weekDay(epochDay(fields.year!, fields.month!, fields.day!)) % 7),
  'getHours()': field((fields) => fields.hour!),
  'getMinutes()': field((fields) => fields.minute!),
  'getSeconds()': field((fields) => fields.second!),
  'toInstant()': (rt, self: DateValue) =>
    rt.callStatic(rt.class('java.time.Instant'), 'ofEpochMilli', [BigInt(self.time)]),
};

type Format = Plain<{ readonly pattern: string; zone: string; isLenient: boolean }>;

function timestampOf(rt: Runtime, text: string): DateValue {
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2}) (\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null)
    return rt.fail('java.lang.IllegalArgumentException', 'Timestamp format must be yyyy-mm-dd hh:mm:ss[.fffffffff]');
  const [, year, month, day, hour, minute, second, fraction = '0'] = match;
  const seconds =
    epochDay(Number(year), Number(month), Number(day)) * 86_400 +
    Number(hour) * 3600 +
    Number(minute) * 60 +
    Number(second);
  return new DateValue(rt, seconds * 1000 + Math.floor(Number(`0.${fraction}`) * 1000), 'java.sql.Timestamp');
}

/** Years since 1900, months from 0; fields beyond their limits carry over. */
const madeOf: LibraryFunction = (
  rt: Runtime,
  _self: Value,
  [year, month, day, hour = 0, minute = 0, second = 0]: number[],
) => {
  const days = epochDay(1900 + year!, 1, 1) + monthDays(1900 + year!, month!) + day! - 1;
  return new DateValue(rt, (days * 86_400 + hour * 3600 + minute * 60 + second) * 1000);
};

export const dateClasses: readonly ClassSpec[] = [
  {
    name: 'java.util.Date',
    interfaces: ['java.lang.Comparable', 'java.lang.Cloneable', 'java.io.Serializable'],
    constructors: {
      '()': (rt) => new DateValue(rt, Date.now()),
      '(long)': (rt, _self: Value, [time]: [bigint]) => new DateValue(rt, Number(time)),
      '(String)': (rt, _self: Value, [text]: [string | null]) =>
        text === null || !/\d/.test(text)
          ? rt.fail('java.lang.IllegalArgumentException', null)
          : rt.fail('java.lang.UnsupportedOperationException', 'new Date(String) is not available'),
      '(int, int, int)': madeOf,
      '(int, int, int, int, int)': madeOf,
      '(int, int, int, int, int, int)': madeOf,
    },
    statics: {
      'from(java.time.Instant)': (rt, _self: Value, [instant]: [Value]) =>
        new DateValue(rt, Number(rt.now(rt.call(instant, 'toEpochMilli', [])))),
      'parse(String, String)': (rt, _self: Value, [pattern, text]: [string, string]) =>
        parsed(rt, text, pattern, 'UTC'),
      'parse(String, String, TimeZone)': (rt, _self: Value, [pattern, text, zone]: [string, string, ZoneValue]) =>
        parsed(rt, text, pattern, zone.id),
    },
    methods: dateMethods,
  },
  {
    name: 'java.sql.Timestamp',
    superclass: 'java.util.Date',
    constructors: {
      '(long)': (rt, _self: Value, [time]: [bigint]) => new DateValue(rt, Number(time), 'java.sql.Timestamp'),
    },
    statics: { 'valueOf(String)': (rt, _self: Value, [text]: [string]) => timestampOf(rt, text) },
  },
  { name: ZONE_INFO, superclass: 'java.util.TimeZone' },
  {
    name: 'java.util.TimeZone',
    kind: 'abstract',
    statics: {
      'getTimeZone(String)': (rt, _self: Value, [id]: [string]) => zoneOf(rt, id),
      'getDefault()': (rt) => new ZoneValue(rt, 'UTC'),
    },
    methods: {
      'getID()': (_rt, self: ZoneValue) => self.id,
      'getRawOffset()': (_rt, self: ZoneValue) =>
        Math.min(offsetOfLocal(self.id, 1_704_067_200), offsetOfLocal(self.id, 1_719_792_000)) * 1000,
      'toZoneId()': (rt, self: ZoneValue) => rt.callStatic(rt.class('java.time.ZoneId'), 'of', [self.id]),
    },
  },
  {
    name: 'java.text.SimpleDateFormat',
    superclass: 'java.text.DateFormat',
    constructors: {
      '(String)': (rt, _self: Value, [pattern]: [string]) => {
        elementsOf(rt, pattern, 'classic');
        return new Plain(rt, 'java.text.SimpleDateFormat', { pattern, zone: 'UTC', isLenient: true });
      },
      '(String, Locale)': (rt, _self: Value, [pattern, locale]: [string, Value]) => {
        checkLocale(rt, locale);
        elementsOf(rt, pattern, 'classic');
        return new Plain(rt, 'java.text.SimpleDateFormat', { pattern, zone: 'UTC', isLenient: true });
      },
    },
    methods: {
      'format(Date)': (rt, self: Format, [date]: [DateValue]) =>
        formatted(rt, date, self.state.pattern, self.state.zone),
      'parse(String)': (rt, self: Format, [text]: [string]) =>
        parsed(rt, text, self.state.pattern, self.state.zone, self.state.isLenient),
      'setTimeZone(TimeZone)': (_rt, self: Format, [zone]: [ZoneValue]) => void (self.state.zone = zone.id),
      'getTimeZone()': (rt, self: Format) => new ZoneValue(rt, self.state.zone),
      'setLenient(boolean)': (_rt, self: Format, [isLenient]: [boolean]) => void (self.state.isLenient = isLenient),
      'isLenient()': (_rt, self: Format) => self.state.isLenient,
      'toPattern()': (_rt, self: Format) => self.state.pattern,
    },
  },
  { name: 'java.text.DateFormat', kind: 'abstract' },
  { name: 'java.text.ParseException', superclass: 'java.lang.Exception' },
];
