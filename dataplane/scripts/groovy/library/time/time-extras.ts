import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { streamOf } from '../functional/stream.ts';
import { EnumConstant, enumSpec } from '../numbers/big-classes.ts';
import { ZoneValue } from './date-classes.ts';
import { dayNames, epochDay, isLeapYear, monthLength, monthNames, weekDay } from './date-element.ts';
import { DateValue } from './date-value.ts';
import { DAY_NANOS, floorDiv, mod, type TimeKind, TimeValue, timeFields, zoned } from './java-time.ts';
import { checkFields } from './time-checks.ts';
import { fixedOffset, offsetAt, offsetText } from './zone.ts';

const TIME = 'java.time.';
const NANOS = 1_000_000_000n;
const FIELD = 'java.time.temporal.ChronoField';
const ADJUSTER = 'java.time.temporal.TemporalAdjuster';

const dayOf = (time: TimeValue): number => Number(floorDiv(time.local, DAY_NANOS));
const dateOf = (rt: Runtime, day: number): TimeValue => new TimeValue(rt, 'LocalDate', BigInt(day) * DAY_NANOS);

/** Numbers of fields by the names of ChronoField. */
const fields: Readonly<Record<string, (time: TimeValue) => bigint>> = {
  NANO_OF_SECOND: (time) => mod(time.local, NANOS),
  NANO_OF_DAY: (time) => mod(time.local, DAY_NANOS),
  MILLI_OF_SECOND: (time) => mod(time.local, NANOS) / 1_000_000n,
  MILLI_OF_DAY: (time) => mod(time.local, DAY_NANOS) / 1_000_000n,
  SECOND_OF_MINUTE: (time) => BigInt(timeFields(time).second ?? 0),
  SECOND_OF_DAY: (time) => mod(time.local, DAY_NANOS) / NANOS,
  MINUTE_OF_HOUR: (time) => BigInt(timeFields(time).minute ?? 0),
  MINUTE_OF_DAY: (time) => mod(time.local, DAY_NANOS) / (60n * NANOS),
  HOUR_OF_DAY: (time) => BigInt(timeFields(time).hour ?? 0),
  AMPM_OF_DAY: (time) => BigInt(Math.floor((timeFields(time).hour ?? 0) / 12)),
  DAY_OF_WEEK: (time) => BigInt(weekDay(dayOf(time))),
  DAY_OF_MONTH: (time) => BigInt(timeFields(time).day ?? 1),
  DAY_OF_YEAR: (time) => BigInt(dayOf(time) - epochDay(timeFields(time).year!, 1, 1) + 1),
  EPOCH_DAY: (time) => BigInt(dayOf(time)),
  MONTH_OF_YEAR: (time) => BigInt(timeFields(time).month ?? 1),
  YEAR: (time) => BigInt(timeFields(time).year ?? 1970),
  INSTANT_SECONDS: (time) => floorDiv(time.instant, NANOS),
  OFFSET_SECONDS: (time) => BigInt(time.offset),
};

const timeFieldNames = /^(?:NANO|MILLI|SECOND|MINUTE|HOUR|AMPM)/;

function fieldOf(rt: Runtime, time: TimeValue, { name }: EnumConstant): bigint {
  const isTime = timeFieldNames.test(name);
  const isKnown = (name !== 'INSTANT_SECONDS' && name !== 'OFFSET_SECONDS') || !time.kind.startsWith('Local');
  if (!isKnown || (time.kind === 'LocalDate' && isTime) || (time.kind === 'LocalTime' && !isTime)) {
    const words = name.split('_').map((word) => (word === 'OF' ? 'Of' : word[0] + word.slice(1).toLowerCase()));
    return rt.fail('java.time.temporal.UnsupportedTemporalTypeException', `Unsupported field: ${words.join('')}`);
  }
  return fields[name]!(time);
}

/** A change of a date: java.time.temporal.TemporalAdjusters. */
interface Adjuster {
  readonly javaClass: ReturnType<Runtime['class']>;
  readonly change: (day: number, year: number, month: number) => number;
}

const adjuster = (rt: Runtime, change: Adjuster['change']): Adjuster => ({ javaClass: rt.class(ADJUSTER), change });

function toWeekDay(by: 1 | -1, includesToday: boolean): LibraryFunction {
  return (rt: Runtime, _self: Value, [wanted]: [EnumConstant]) =>
    adjuster(rt, (day) => {
      const distance = ((((wanted.ordinal + 1 - weekDay(day)) * by) % 7) + 7) % 7;
      return day + by * (distance === 0 && !includesToday ? 7 : distance);
    });
}

const adjusters: Readonly<Record<string, LibraryFunction>> = {
  'firstDayOfMonth()': (rt) => adjuster(rt, (_day, year, month) => epochDay(year, month, 1)),
  'lastDayOfMonth()': (rt) => adjuster(rt, (_day, year, month) => epochDay(year, month, monthLength(year, month))),
  'firstDayOfNextMonth()': (rt) =>
    adjuster(rt, (_day, year, month) => epochDay(year, month, 1) + monthLength(year, month)),
  'firstDayOfYear()': (rt) => adjuster(rt, (_day, year) => epochDay(year, 1, 1)),
  'lastDayOfYear()': (rt) => adjuster(rt, (_day, year) => epochDay(year, 12, 31)),
  'firstDayOfNextYear()': (rt) => adjuster(rt, (_day, year) => epochDay(year + 1, 1, 1)),
  [`next(${TIME}DayOfWeek)`]: toWeekDay(1, false),
  [`nextOrSame(${TIME}DayOfWeek)`]: toWeekDay(1, true),
  [`previous(${TIME}DayOfWeek)`]: toWeekDay(-1, false),
  [`previousOrSame(${TIME}DayOfWeek)`]: toWeekDay(-1, true),
};

function adjusted(rt: Runtime, self: TimeValue, { change }: Adjuster): Steps {
  const { year = 1970, month = 1 } = timeFields(self);
  const days = change(dayOf(self), year, month) - dayOf(self);
  return rt.call(self, 'plusDays', [BigInt(days)]);
}

function* walk(rt: Runtime, from: TimeValue, to: TimeValue, by: 1 | -1, closure: Value): Steps {
  const name = by === 1 ? 'upto' : 'downto';
  if (by * from.compare(to) > 0)
    rt.fail(
      'groovy.lang.GroovyRuntimeException',
      `The argument (${to.text()}) to ${name}() cannot be ${by === 1 ? 'earlier' : 'later'} than the value (${from.text()}) it's called on.`,
    );
  let at: Value = from;
  while (by * (at as TimeValue).compare(to) <= 0) {
    rt.budget.spend(1);
    yield* rt.invoke(closure, [at]);
    at = yield* rt.call(at, by === 1 ? 'next' : 'previous', []);
  }
  return null;
}

const iso = (length: number, from: number) => (_rt: Runtime, self: TimeValue) => {
  const local = new Date(Number(floorDiv(self.local, 1_000_000n))).toISOString();
  return local.slice(from, from + length);
};

/** Groovy's own methods, and those of Java that few scripts use. */
const every: Readonly<Record<string, LibraryFunction>> = {
  [`get(${FIELD})`]: (rt: Runtime, self: TimeValue, [field]: [EnumConstant]) => Number(fieldOf(rt, self, field)),
  [`getLong(${FIELD})`]: (rt: Runtime, self: TimeValue, [field]: [EnumConstant]) => fieldOf(rt, self, field),
  [`getAt(${FIELD})`]: (rt: Runtime, self: TimeValue, [field]: [EnumConstant]) => fieldOf(rt, self, field),
  [`upto(${TIME}temporal.Temporal, Closure)`]: (rt: Runtime, self: TimeValue, [to, run]: [TimeValue, Value]) =>
    walk(rt, self, to, 1, run),
  [`downto(${TIME}temporal.Temporal, Closure)`]: (rt: Runtime, self: TimeValue, [to, run]: [TimeValue, Value]) =>
    walk(rt, self, to, -1, run),
  'toDate()': (rt: Runtime, self: TimeValue) => new DateValue(rt, Number(floorDiv(self.instant, 1_000_000n))),
};

const withDate: Readonly<Record<string, LibraryFunction>> = {
  [`with(${ADJUSTER})`]: (rt: Runtime, self: TimeValue, [change]: [Adjuster]) => adjusted(rt, self, change),
  'withDayOfYear(int)': (rt, self: TimeValue, [day]: [number]) => {
    if (day < 1 || day > 366)
      rt.fail('java.time.DateTimeException', `Invalid value for DayOfYear (valid values 1 - 365/366): ${day}`);
    return rt.call(self, 'plusDays', [BigInt(day) - fields['DAY_OF_YEAR']!(self)]);
  },
  'getDateString()': iso(10, 0) as LibraryFunction,
};

const withTime: Readonly<Record<string, LibraryFunction>> = {
  'getTimeString()': (_rt, self: TimeValue) => {
    const { hour = 0, minute = 0, second = 0 } = timeFields(self);
    return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':');
  },
};

const both: Readonly<Record<string, LibraryFunction>> = {
  'clearTime()': (rt, self: TimeValue) =>
    rt.call(self, 'truncatedTo', [new EnumConstant(rt.class(`${TIME}temporal.ChronoUnit`), 'DAYS', 7)]),
};

const kinds: Readonly<Record<TimeKind, Readonly<Record<string, LibraryFunction>>>> = {
  Instant: every,
  LocalDate: {
    ...every,
    ...withDate,
    [`minus(${TIME}LocalDate)`]: (_rt: Runtime, self: TimeValue, [other]: [TimeValue]) =>
      BigInt(dayOf(self) - dayOf(other)),
    [`until(${TIME}LocalDate)`]: (rt: Runtime, self: TimeValue, [end]: [TimeValue]) =>
      rt.callStatic(rt.class(`${TIME}Period`), 'between', [self, end]),
    [`datesUntil(${TIME}LocalDate)`]: (rt: Runtime, self: TimeValue, [end]: [TimeValue]) => {
      const count = dayOf(end) - dayOf(self);
      if (count < 0) rt.fail('java.lang.IllegalArgumentException', `${end.text()} < ${self.text()}`);
      rt.budget.spend(count);
      rt.budget.allocate(count * 64);
      return streamOf(
        rt,
        Array.from({ length: count }, (_, at) => dateOf(rt, dayOf(self) + at)),
      );
    },
    [`leftShift(${TIME}LocalTime)`]: (rt: Runtime, self: TimeValue, [time]: [TimeValue]) =>
      new TimeValue(rt, 'LocalDateTime', self.local + time.local),
    [`atTime(${TIME}LocalTime)`]: (rt: Runtime, self: TimeValue, [time]: [TimeValue]) =>
      new TimeValue(rt, 'LocalDateTime', self.local + time.local),
    'atTime(int, int, int)': (rt: Runtime, self: TimeValue, [hour, minute, second]: [number, number, number]) => {
      checkFields(rt, { hour, minute, second });
      return new TimeValue(rt, 'LocalDateTime', self.local + BigInt(hour * 3600 + minute * 60 + second) * NANOS);
    },
    'hashCode()': (_rt, self: TimeValue) => {
      const { year = 0, month = 0, day = 0 } = timeFields(self);
      return (year & 0xfffff800) ^ ((year << 11) + (month << 6) + day);
    },
  },
  LocalTime: {
    ...every,
    ...withTime,
    'toNanoOfDay()': (_rt, self: TimeValue) => self.local,
    [`leftShift(${TIME}LocalDate)`]: (rt: Runtime, self: TimeValue, [date]: [TimeValue]) =>
      new TimeValue(rt, 'LocalDateTime', self.local + date.local),
    [`atDate(${TIME}LocalDate)`]: (rt: Runtime, self: TimeValue, [date]: [TimeValue]) =>
      new TimeValue(rt, 'LocalDateTime', self.local + date.local),
  },
  LocalDateTime: { ...every, ...withDate, ...withTime, ...both },
  ZonedDateTime: {
    ...every,
    ...withDate,
    ...withTime,
    ...both,
    [`withZoneSameLocal(${TIME}ZoneId)`]: (rt: Runtime, self: TimeValue, [zone]: [ZoneValue]) =>
      rt.call(new TimeValue(rt, 'LocalDateTime', self.local), 'atZone', [zone]),
  },
  OffsetDateTime: {
    ...every,
    ...withDate,
    ...withTime,
    ...both,
    [`withOffsetSameInstant(${TIME}ZoneOffset)`]: (rt: Runtime, self: TimeValue, [zone]: [ZoneValue]) => {
      const offset = fixedOffset(zone.id) ?? 0;
      return new TimeValue(rt, 'OffsetDateTime', self.instant + BigInt(offset) * NANOS, offset, offsetText(offset));
    },
    [`atZoneSameInstant(${TIME}ZoneId)`]: (rt: Runtime, self: TimeValue, [zone]: [ZoneValue]) =>
      zoned(rt, self.instant, zone.id),
    'toZonedDateTime()': (rt, self: TimeValue) =>
      new TimeValue(rt, 'ZonedDateTime', self.local, self.offset, offsetText(self.offset)),
  },
};

/** Zones of the names that the texts of months and days come from. */
function namedEnum(name: string, names: readonly string[], count: number): ClassSpec {
  const at = (rt: Runtime, index: number): EnumConstant => {
    const place = ((index % count) + count) % count;
    return new EnumConstant(rt.class(name), names[place]!.toUpperCase(), place);
  };
  const shift =
    (sign: 1 | -1): LibraryFunction =>
    (rt: Runtime, self: EnumConstant, [by]: [bigint]) =>
      at(rt, self.ordinal + sign * Number(BigInt.asIntN(32, by % BigInt(count))));
  return {
    name,
    statics: {
      'of(int)': (rt, _self: Value, [value]: [number]) => {
        if (value < 1 || value > count)
          rt.fail(
            'java.time.DateTimeException',
            `Invalid value for ${count === 7 ? 'DayOfWeek' : 'MonthOfYear'}: ${value}`,
          );
        return at(rt, value - 1);
      },
      [`from(${TIME}temporal.Temporal)`]: (rt: Runtime, _self: Value, [time]: [TimeValue]) =>
        rt.call(time, count === 7 ? 'getDayOfWeek' : 'getMonth', []),
    },
    methods: {
      'plus(long)': shift(1),
      'minus(long)': shift(-1),
      'next()': (rt, self: EnumConstant) => at(rt, self.ordinal + 1),
      'previous()': (rt, self: EnumConstant) => at(rt, self.ordinal - 1),
      [`getDisplayName(${TIME}format.TextStyle, Locale)`]: (
        _rt: Runtime,
        self: EnumConstant,
        [style]: [EnumConstant],
      ) => {
        const full = names[self.ordinal]!;
        if (style.name.startsWith('FULL')) return full;
        return style.name.startsWith('SHORT') ? full.slice(0, 3) : full.slice(0, 1);
      },
      ...(count === 12
        ? {
            'length(boolean)': (_rt: Runtime, self: EnumConstant, [isLeap]: [boolean]) =>
              monthLength(isLeap ? 2024 : 2023, self.ordinal + 1),
            'maxLength()': (_rt: Runtime, self: EnumConstant) => monthLength(2024, self.ordinal + 1),
            'minLength()': (_rt: Runtime, self: EnumConstant) => monthLength(2023, self.ordinal + 1),
          }
        : {
            'isWeekend()': (_rt: Runtime, self: EnumConstant) => self.ordinal > 4,
            'isWeekday()': (_rt: Runtime, self: EnumConstant) => self.ordinal < 5,
          }),
    },
  };
}

const zone = (rt: Runtime, seconds: number): ZoneValue => new ZoneValue(rt, offsetText(seconds), `${TIME}ZoneOffset`);

export const timeExtraClasses: readonly ClassSpec[] = [
  ...Object.entries(kinds).map(([kind, methods]): ClassSpec => ({ name: TIME + kind, methods })),
  namedEnum(`${TIME}Month`, monthNames, 12),
  namedEnum(`${TIME}DayOfWeek`, dayNames, 7),
  enumSpec(FIELD, Object.keys(fields)),
  enumSpec('java.time.format.TextStyle', [
    'FULL',
    'FULL_STANDALONE',
    'SHORT',
    'SHORT_STANDALONE',
    'NARROW',
    'NARROW_STANDALONE',
  ]),
  { name: ADJUSTER, kind: 'interface' },
  { name: 'java.time.temporal.TemporalAdjusters', statics: adjusters },
  {
    name: `${TIME}LocalDate`,
    constants: { EPOCH: (rt) => dateOf(rt, 0), MIN: limit, MAX: limit },
    statics: {
      'ofYearDay(int, int)': (rt, _self: Value, [year, day]: [number, number]) => {
        if (day === 366 && !isLeapYear(year))
          rt.fail('java.time.DateTimeException', `Invalid date 'DayOfYear 366' as '${year}' is not a leap year`);
        return dateOf(rt, epochDay(year, 1, 1) + day - 1);
      },
    },
  },
  {
    name: `${TIME}LocalTime`,
    constants: {
      MIN: (rt) => new TimeValue(rt, 'LocalTime', 0n),
      MAX: (rt) => new TimeValue(rt, 'LocalTime', DAY_NANOS - 1n),
    },
    statics: {
      'ofSecondOfDay(long)': (rt, _self: Value, [second]: [bigint]) => new TimeValue(rt, 'LocalTime', second * NANOS),
      'ofNanoOfDay(long)': (rt, _self: Value, [nano]: [bigint]) => new TimeValue(rt, 'LocalTime', nano),
    },
  },
  {
    name: `${TIME}LocalDateTime`,
    statics: {
      [`ofEpochSecond(long, int, ${TIME}ZoneOffset)`]: (
        rt: Runtime,
        _self: Value,
        [second, nano, offset]: [bigint, number, ZoneValue],
      ) => new TimeValue(rt, 'LocalDateTime', (second + BigInt(fixedOffset(offset.id) ?? 0)) * NANOS + BigInt(nano)),
    },
  },
  {
    name: `${TIME}Instant`,
    statics: {
      'ofEpochSecond(long, long)': (rt, _self: Value, [second, nano]: [bigint, bigint]) =>
        new TimeValue(rt, 'Instant', second * NANOS + nano),
    },
  },
  {
    name: `${TIME}ZoneOffset`,
    statics: {
      'ofHoursMinutes(int, int)': (rt, _self: Value, [hours, minutes]: [number, number]) =>
        zone(rt, hours * 3600 + minutes * 60),
      'ofTotalSeconds(int)': (rt, _self: Value, [seconds]: [number]) => zone(rt, seconds),
    },
  },
  {
    name: `${TIME}zone.ZoneRules`,
    methods: {
      [`getOffset(${TIME}Instant)`]: (rt: Runtime, self: ZoneValue, [instant]: [TimeValue]) =>
        zone(rt, offsetAt(self.id, Number(floorDiv(instant.instant, NANOS)))),
    },
  },
  {
    name: `${TIME}ZoneId`,
    methods: { 'getRules()': (rt, self: ZoneValue) => new ZoneValue(rt, self.id, `${TIME}zone.ZoneRules`) },
  },
];

function limit(rt: Runtime): never {
  return rt.fail('java.lang.UnsupportedOperationException', 'the first or last date of Java is not available');
}
