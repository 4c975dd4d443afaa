import type { LibraryFunction, Runtime } from '../../values/java-class.ts';
import { EnumConstant } from '../numbers/big-classes.ts';
import { elementsOf, type ZoneValue, zoneFor } from './date-classes.ts';
import { type DateFields, dayNames, epochDay, isLeapYear, monthLength, monthNames, weekDay } from './date-element.ts';
import {
  type Amount,
  CLOCK_UNITS,
  compareInstants,
  DAY_NANOS,
  floorDiv,
  inZone,
  localNanos,
  mod,
  type TimeKind,
  TimeValue,
  timeFields,
  zoned,
} from './java-time.ts';
import type { PeriodValue } from './period-classes.ts';
import { checkFields } from './time-checks.ts';
import { type Formatter, formatter, written } from './time-formatting.ts';
import { fixedOffset, offsetText } from './zone.ts';

const TIME = 'java.time.';
const NANOS = 1_000_000_000n;
const units: Readonly<Record<string, bigint>> = {
  ...CLOCK_UNITS,
  DAYS: DAY_NANOS,
  WEEKS: 7n * DAY_NANOS,
};

const idOf = (zone: ZoneValue): string => zone.id;

/** A point of the same kind at another local time; zones find their offset anew. */
function moved(rt: Runtime, time: TimeValue, local: bigint): TimeValue {
  if (time.kind !== 'ZonedDateTime' || time.zone === null)
    return new TimeValue(rt, time.kind, local, time.offset, time.zone);
  return inZone(rt, local, time.zone);
}

function plusExact(rt: Runtime, time: TimeValue, nanos: bigint): TimeValue {
  if (time.kind !== 'ZonedDateTime' || time.zone === null) return moved(rt, time, time.local + nanos);
  return zoned(rt, time.instant + nanos, time.zone);
}

function plusDuration(rt: Runtime, time: TimeValue, nanos: bigint): TimeValue {
  if (time.kind === 'LocalDate' && nanos !== 0n)
    rt.fail('java.time.temporal.UnsupportedTemporalTypeException', 'Unsupported unit: Seconds');
  return plusExact(rt, time, nanos);
}

function plusMonths(rt: Runtime, time: TimeValue, months: number): TimeValue {
  const { year = 1970, month = 1, day = 1 } = timeFields(time);
  const total = year * 12 + month - 1 + months;
  const [newYear, newMonth] = [Math.floor(total / 12), (((total % 12) + 12) % 12) + 1];
  const newDay = Math.min(day, monthLength(newYear, newMonth));
  return moved(rt, time, BigInt(epochDay(newYear, newMonth, newDay)) * DAY_NANOS + mod(time.local, DAY_NANOS));
}

function plus(rt: Runtime, time: TimeValue, amount: bigint, unit: string): TimeValue {
  const isCivil = unit === 'MONTHS' || unit === 'YEARS' || unit === 'WEEKS';
  if (isCivil && (time.kind === 'Instant' || time.kind === 'LocalTime'))
    rt.fail('java.time.temporal.UnsupportedTemporalTypeException', `Unsupported unit: ${unitText(unit)}`);
  if (unit === 'MONTHS') return plusMonths(rt, time, Number(amount));
  if (unit === 'YEARS') return plusMonths(rt, time, Number(amount) * 12);
  const nanos =
    units[unit] ?? rt.fail('java.time.temporal.UnsupportedTemporalTypeException', `Unsupported unit: ${unit}`);
  const isDays = nanos >= DAY_NANOS;
  checkUnit(rt, time, unit, isDays);
  return isDays ? moved(rt, time, time.local + amount * nanos) : plusExact(rt, time, amount * nanos);
}

const unitText = (unit: string): string => unit[0] + unit.slice(1).toLowerCase();

/** A date has no hours, and a time has no days. */
function checkUnit(rt: Runtime, time: TimeValue, unit: string, isDays: boolean): void {
  if ((time.kind === 'LocalDate' && !isDays) || (time.kind === 'LocalTime' && isDays))
    rt.fail('java.time.temporal.UnsupportedTemporalTypeException', `Unsupported unit: ${unitText(unit)}`);
}

export function between(rt: Runtime, unit: string, from: TimeValue, to: TimeValue): bigint {
  checkUnit(rt, from, unit, unit === 'MONTHS' || unit === 'YEARS' || (units[unit] ?? DAY_NANOS) >= DAY_NANOS);
  if (unit === 'MONTHS' || unit === 'YEARS') {
    const [a, b] = [timeFields(from), timeFields(to)];
    let months = (b.year! - a.year!) * 12 + b.month! - a.month!;
    const [start, end] = [a, b].map(
      ({ day = 1 }, at) => BigInt(day) * DAY_NANOS + mod([from, to][at]!.local, DAY_NANOS),
    );
    if (months > 0 && end! < start!) months--;
    else if (months < 0 && end! > start!) months++;
    return BigInt(unit === 'YEARS' ? Math.trunc(months / 12) : months);
  }
  const isLocal = from.kind.startsWith('Local');
  return ((isLocal ? to.local : to.instant) - (isLocal ? from.local : from.instant)) / (units[unit] ?? DAY_NANOS);
}

/** A local time needs an offset for these methods, and Groovy passes null. */
function withOffset(rt: Runtime, time: TimeValue): TimeValue {
  return time.kind === 'LocalDateTime' ? rt.fail('java.lang.NullPointerException', 'offset') : time;
}

/** The unit that Groovy's operators count in. */
const defaultUnit = ({ kind }: TimeValue): string => (kind === 'LocalDate' ? 'DAYS' : 'SECONDS');

function plusPeriod(rt: Runtime, time: TimeValue, { years, months, days }: PeriodValue, sign: 1 | -1): TimeValue {
  const moved = plusMonths(rt, time, sign * (years * 12 + months));
  return plus(rt, moved, BigInt(sign * days), 'DAYS');
}

const nameOf = (unit: EnumConstant): string => unit.name;

function arithmetic(): Record<string, LibraryFunction> {
  const methods: Record<string, LibraryFunction> = {};
  const names: Readonly<Record<string, string>> = {
    Nanos: 'NANOS',
    Millis: 'MILLIS',
    Seconds: 'SECONDS',
    Minutes: 'MINUTES',
    Hours: 'HOURS',
    Days: 'DAYS',
    Weeks: 'WEEKS',
    Months: 'MONTHS',
    Years: 'YEARS',
  };
  for (const [name, unit] of Object.entries(names)) {
    methods[`plus${name}(long)`] = (rt: Runtime, self: TimeValue, [amount]: [bigint]) => plus(rt, self, amount, unit);
    methods[`minus${name}(long)`] = (rt: Runtime, self: TimeValue, [amount]: [bigint]) => plus(rt, self, -amount, unit);
  }
  return methods;
}

const field =
  (name: keyof DateFields): LibraryFunction =>
  (_rt: Runtime, self: TimeValue) =>
    timeFields(self)[name] as number;

const dayOf = (self: TimeValue): number => Number(floorDiv(self.local, DAY_NANOS));
const enumAt = (rt: Runtime, type: string, names: readonly string[], at: number): EnumConstant =>
  new EnumConstant(rt.class(type), names[at - 1]!.toUpperCase(), at - 1);

function with_(rt: Runtime, self: TimeValue, change: Partial<DateFields>): TimeValue {
  const fields = { ...timeFields(self), ...change };
  checkFields(rt, change.day === undefined ? { ...fields, day: 1 } : fields);
  if (fields.day !== undefined) fields.day = Math.min(fields.day, monthLength(fields.year!, fields.month!));
  return moved(rt, self, localNanos(fields));
}

/** Methods by name; each kind of value gets those that it has in Java. */
export const timeMethods: Readonly<Record<string, LibraryFunction>> = {
  ...arithmetic(),
  'plus(long, java.time.temporal.ChronoUnit)': (rt, self: TimeValue, [amount, unit]: [bigint, EnumConstant]) =>
    plus(rt, self, amount, nameOf(unit)),
  'minus(long, java.time.temporal.ChronoUnit)': (rt, self: TimeValue, [amount, unit]: [bigint, EnumConstant]) =>
    plus(rt, self, -amount, nameOf(unit)),
  'plus(java.time.Duration)': (rt, self: TimeValue, [amount]: [Amount]) => plusDuration(rt, self, amount.nanos),
  'minus(java.time.Duration)': (rt, self: TimeValue, [amount]: [Amount]) => plusDuration(rt, self, -amount.nanos),
  'plus(long)': (rt, self: TimeValue, [amount]: [bigint]) => plus(rt, self, amount, defaultUnit(self)),
  'minus(long)': (rt, self: TimeValue, [amount]: [bigint]) => plus(rt, self, -amount, defaultUnit(self)),
  'next()': (rt, self: TimeValue) => plus(rt, self, 1n, defaultUnit(self)),
  'previous()': (rt, self: TimeValue) => plus(rt, self, -1n, defaultUnit(self)),
  'plus(java.time.Period)': (rt, self: TimeValue, [period]: [PeriodValue]) => plusPeriod(rt, self, period, 1),
  'minus(java.time.Period)': (rt, self: TimeValue, [period]: [PeriodValue]) => plusPeriod(rt, self, period, -1),
  'until(java.time.temporal.Temporal, java.time.temporal.ChronoUnit)': (
    rt,
    self: TimeValue,
    [other, unit]: [TimeValue, EnumConstant],
  ) => between(rt, nameOf(unit), self, other),
  'isBefore(java.time.temporal.Temporal)': (_rt, self: TimeValue, [other]: [TimeValue]) =>
    compareInstants(self, other) < 0,
  'isAfter(java.time.temporal.Temporal)': (_rt, self: TimeValue, [other]: [TimeValue]) =>
    compareInstants(self, other) > 0,
  'isEqual(java.time.temporal.Temporal)': (_rt, self: TimeValue, [other]: [TimeValue]) =>
    compareInstants(self, other) === 0,
  'format(java.time.format.DateTimeFormatter)': (rt, self: TimeValue, [format]: [Formatter]) =>
    written(rt, self, format),
  'format(String)': (rt, self: TimeValue, [pattern]: [string]) =>
    written(rt, self, formatter(rt, elementsOf(rt, pattern, 'modern'))),
  'getYear()': field('year'),
  'getMonthValue()': field('month'),
  'getDayOfMonth()': field('day'),
  'getHour()': field('hour'),
  'getMinute()': field('minute'),
  'getSecond()': field('second'),
  'getNano()': (_rt, self: TimeValue) => Number(mod(self.local, NANOS)),
  'getMonth()': (rt, self: TimeValue) => enumAt(rt, `${TIME}Month`, monthNames, timeFields(self).month!),
  'getDayOfWeek()': (rt, self: TimeValue) => enumAt(rt, `${TIME}DayOfWeek`, dayNames, weekDay(dayOf(self))),
  'getDayOfYear()': (_rt, self: TimeValue) => dayOf(self) - epochDay(timeFields(self).year!, 1, 1) + 1,
  'isLeapYear()': (_rt, self: TimeValue) => isLeapYear(timeFields(self).year!),
  'lengthOfMonth()': (_rt, self: TimeValue) => monthLength(timeFields(self).year!, timeFields(self).month!),
  'lengthOfYear()': (_rt, self: TimeValue) => (isLeapYear(timeFields(self).year!) ? 366 : 365),
  'withYear(int)': (rt, self: TimeValue, [year]: [number]) => with_(rt, self, { year }),
  'withMonth(int)': (rt, self: TimeValue, [month]: [number]) => with_(rt, self, { month }),
  'withDayOfMonth(int)': (rt, self: TimeValue, [day]: [number]) => with_(rt, self, { day }),
  'withHour(int)': (rt, self: TimeValue, [hour]: [number]) => with_(rt, self, { hour }),
  'withMinute(int)': (rt, self: TimeValue, [minute]: [number]) => with_(rt, self, { minute }),
  'withSecond(int)': (rt, self: TimeValue, [second]: [number]) => with_(rt, self, { second }),
  'withNano(int)': (rt, self: TimeValue, [nano]: [number]) => with_(rt, self, { nano }),
  'truncatedTo(java.time.temporal.ChronoUnit)': (rt, self: TimeValue, [unit]: [EnumConstant]) =>
    moved(rt, self, self.local - mod(self.local, units[nameOf(unit)] ?? DAY_NANOS)),
  'toEpochMilli()': (_rt, self: TimeValue) => floorDiv(self.instant, 1_000_000n),
  'getEpochSecond()': (_rt, self: TimeValue) => floorDiv(self.instant, NANOS),
  'toEpochSecond()': (rt, self: TimeValue) => floorDiv(withOffset(rt, self).instant, NANOS),
  'toEpochDay()': (_rt, self: TimeValue) => BigInt(dayOf(self)),
  'toSecondOfDay()': (_rt, self: TimeValue) => Number(self.local / NANOS),
  'toInstant()': (rt, self: TimeValue) => new TimeValue(rt, 'Instant', withOffset(rt, self).instant),
  'toInstant(java.time.ZoneOffset)': (rt, self: TimeValue, [zone]: [ZoneValue]) =>
    new TimeValue(rt, 'Instant', self.local - BigInt(fixedOffset(zone.id) ?? 0) * NANOS),
  'toEpochSecond(java.time.ZoneOffset)': (_rt, self: TimeValue, [zone]: [ZoneValue]) =>
    floorDiv(self.local, NANOS) - BigInt(fixedOffset(zone.id) ?? 0),
  'atZone(java.time.ZoneId)': (rt, self: TimeValue, [zone]: [ZoneValue]) =>
    self.kind === 'Instant'
      ? zoned(rt, self.instant, idOf(zone))
      : moved(rt, new TimeValue(rt, 'ZonedDateTime', self.local, 0, idOf(zone)), self.local),
  'atOffset(java.time.ZoneOffset)': (rt, self: TimeValue, [zone]: [ZoneValue]) => {
    const offset = fixedOffset(zone.id) ?? 0;
    const local = self.kind === 'Instant' ? self.local + BigInt(offset) * NANOS : self.local;
    return new TimeValue(rt, 'OffsetDateTime', local, offset, offsetText(offset));
  },
  'withZoneSameInstant(java.time.ZoneId)': (rt, self: TimeValue, [zone]: [ZoneValue]) =>
    zoned(rt, self.instant, idOf(zone)),
  'getZone()': (rt, self: TimeValue) => zoneFor(rt, self.zone ?? 'Z'),
  'getOffset()': (rt, self: TimeValue) => zoneFor(rt, offsetText(self.offset)),
  'toLocalDate()': (rt, self: TimeValue) => new TimeValue(rt, 'LocalDate', self.local),
  'toLocalTime()': (rt, self: TimeValue) => new TimeValue(rt, 'LocalTime', self.local),
  'toLocalDateTime()': (rt, self: TimeValue) => new TimeValue(rt, 'LocalDateTime', self.local),
  'toOffsetDateTime()': (rt, self: TimeValue) =>
    new TimeValue(rt, 'OffsetDateTime', self.local, self.offset, offsetText(self.offset)),
  'atStartOfDay()': (rt, self: TimeValue) => new TimeValue(rt, 'LocalDateTime', self.local),
  'atStartOfDay(java.time.ZoneId)': (rt, self: TimeValue, [zone]: [ZoneValue]) =>
    moved(rt, new TimeValue(rt, 'ZonedDateTime', self.local, 0, idOf(zone)), self.local),
  'atTime(int, int)': (rt, self: TimeValue, [hour, minute]: [number, number]) => {
    checkFields(rt, { hour, minute });
    return new TimeValue(rt, 'LocalDateTime', self.local + (BigInt(hour) * 3600n + BigInt(minute) * 60n) * NANOS);
  },
};

const dates = [
  'getYear',
  'getMonthValue',
  'getDayOfMonth',
  'getMonth',
  'getDayOfWeek',
  'getDayOfYear',
  'plusDays',
  'minusDays',
  'plusWeeks',
  'minusWeeks',
  'plusMonths',
  'minusMonths',
  'plusYears',
  'minusYears',
  'withYear',
  'withMonth',
  'withDayOfMonth',
];
const times = [
  'getHour',
  'getMinute',
  'getSecond',
  'getNano',
  'plusHours',
  'minusHours',
  'plusMinutes',
  'minusMinutes',
  'plusSeconds',
  'minusSeconds',
  'plusNanos',
  'minusNanos',
  'withHour',
  'withMinute',
  'withSecond',
  'withNano',
  'truncatedTo',
];
const every = ['plus', 'minus', 'next', 'previous', 'until', 'isBefore', 'isAfter'];

export const methodNames: Readonly<Record<TimeKind, readonly string[]>> = {
  Instant: [
    ...every,
    'plusMillis',
    'minusMillis',
    'plusSeconds',
    'minusSeconds',
    'plusNanos',
    'minusNanos',
    'toEpochMilli',
    'getEpochSecond',
    'getNano',
    'atZone',
    'atOffset',
    'truncatedTo',
  ],
  LocalDate: [
    ...every,
    ...dates,
    'isEqual',
    'format',
    'isLeapYear',
    'lengthOfMonth',
    'lengthOfYear',
    'toEpochDay',
    'atStartOfDay',
    'atTime',
  ],
  LocalTime: [...every, ...times, 'format', 'toSecondOfDay'],
  LocalDateTime: [
    ...every,
    ...dates,
    ...times,
    'isEqual',
    'format',
    'toLocalDate',
    'toLocalTime',
    'atZone',
    'atOffset',
    'toInstant',
    'toEpochSecond',
  ],
  ZonedDateTime: [
    ...every,
    ...dates,
    ...times,
    'isEqual',
    'format',
    'toLocalDate',
    'toLocalTime',
    'toLocalDateTime',
    'toInstant',
    'toEpochSecond',
    'getZone',
    'getOffset',
    'withZoneSameInstant',
    'toOffsetDateTime',
  ],
  OffsetDateTime: [
    ...every,
    ...dates,
    ...times,
    'isEqual',
    'format',
    'toLocalDate',
    'toLocalTime',
    'toLocalDateTime',
    'toInstant',
    'toEpochSecond',
    'getOffset',
  ],
};
