import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import { type EnumConstant, enumSpec } from '../numbers/big-classes.ts';
import { checkLocale } from '../strings/locales.ts';
import { elementsOf, type ZoneValue, zoneFor } from './date-classes.ts';
import { type DateFields, dayNames, monthNames } from './date-element.ts';
import { formats } from './iso-formats.ts';
import { DAY_NANOS, inZone, localNanos, type TimeKind, TimeValue, zoned } from './java-time.ts';
import { checkFields } from './time-checks.ts';
import { type Formatter, formatter, read, written } from './time-formatting.ts';
import { between, methodNames, timeMethods } from './time-methods.ts';
import { fixedOffset, isZoneId, offsetText } from './zone.ts';

const TIME = 'java.time.';
const NANOS = 1_000_000_000n;
const unitNames = [
  'NANOS',
  'MICROS',
  'MILLIS',
  'SECONDS',
  'MINUTES',
  'HOURS',
  'HALF_DAYS',
  'DAYS',
  'WEEKS',
  'MONTHS',
  'YEARS',
];

const now = (): bigint => BigInt(Date.now()) * 1_000_000n;

function nowOf(rt: Runtime, kind: TimeKind, zone = 'UTC'): TimeValue {
  const here = zoned(rt, now(), zone);
  if (kind === 'ZonedDateTime') return here;
  return kind === 'Instant'
    ? new TimeValue(rt, kind, now())
    : new TimeValue(rt, kind, here.local, here.offset, offsetText(here.offset));
}

const defaultFormats: Readonly<Record<TimeKind, string>> = {
  Instant: 'ISO_INSTANT',
  LocalDate: 'ISO_LOCAL_DATE',
  LocalTime: 'ISO_LOCAL_TIME',
  LocalDateTime: 'ISO_LOCAL_DATE_TIME',
  ZonedDateTime: 'ISO_ZONED_DATE_TIME',
  OffsetDateTime: 'ISO_OFFSET_DATE_TIME',
};

function checked(rt: Runtime, fields: DateFields): bigint {
  checkFields(rt, fields);
  return localNanos(fields);
}

const order = ['year', 'month', 'day', 'hour', 'minute', 'second', 'nano'] as const;

function makers(kind: TimeKind): Record<string, LibraryFunction> {
  const from = kind === 'LocalTime' ? 3 : 0;
  const counts =
    kind === 'LocalDate' ? [3] : kind === 'LocalTime' ? [2, 3, 4] : kind === 'LocalDateTime' ? [5, 6, 7] : [];
  const statics: Record<string, LibraryFunction> = {};
  for (const count of counts) {
    statics[`of(${Array.from({ length: count }, () => 'int').join(', ')})`] = (
      rt: Runtime,
      _self: Value,
      args: readonly number[],
    ) => new TimeValue(rt, kind, checked(rt, Object.fromEntries(args.map((value, at) => [order[from + at]!, value]))));
  }
  return statics;
}

function timeSpec(kind: TimeKind): ClassSpec {
  const methods = Object.fromEntries(
    Object.entries(timeMethods).filter(([signature]) =>
      methodNames[kind].includes(signature.slice(0, signature.indexOf('('))),
    ),
  );
  return {
    name: TIME + kind,
    interfaces: ['java.lang.Comparable', 'java.time.temporal.Temporal'],
    methods,
    statics: {
      ...makers(kind),
      'now()': (rt) => nowOf(rt, kind),
      'now(java.time.ZoneId)': (rt, _self: Value, [zone]: [ZoneValue]) => nowOf(rt, kind, zone.id),
      'parse(CharSequence)': (rt, _self: Value, [text]: [Value]) =>
        read(rt, kind, text, formats[defaultFormats[kind]]!, true),
      'parse(CharSequence, java.time.format.DateTimeFormatter)': (
        rt,
        _self: Value,
        [text, format]: [Value, Formatter],
      ) => read(rt, kind, text, format.state.elements, format.state.isStrict),
      'ofInstant(java.time.Instant, java.time.ZoneId)': (rt, _self: Value, [instant, zone]: [TimeValue, ZoneValue]) => {
        const here = zoned(rt, instant.instant, zone.id);
        return kind === 'ZonedDateTime'
          ? here
          : new TimeValue(rt, kind, here.local, here.offset, offsetText(here.offset));
      },
      ...instantStatics(kind),
    },
    constants:
      kind === 'Instant'
        ? { EPOCH: (rt) => new TimeValue(rt, 'Instant', 0n) }
        : kind === 'LocalTime'
          ? { MIDNIGHT: (rt) => new TimeValue(rt, kind, 0n), NOON: (rt) => new TimeValue(rt, kind, DAY_NANOS / 2n) }
          : {},
  };
}

function instantStatics(kind: TimeKind): Readonly<Record<string, LibraryFunction>> {
  if (kind === 'ZonedDateTime' || kind === 'OffsetDateTime') return zonedStatics(kind);
  if (kind === 'LocalDateTime') {
    return {
      'of(java.time.LocalDate, java.time.LocalTime)': (rt, _self: Value, [date, time]: [TimeValue, TimeValue]) =>
        new TimeValue(rt, kind, date.local + time.local),
    };
  }
  if (kind === 'LocalDate')
    return { 'ofEpochDay(long)': (rt, _self: Value, [day]: [bigint]) => new TimeValue(rt, kind, day * DAY_NANOS) };
  if (kind !== 'Instant') return {};
  return {
    'ofEpochSecond(long)': (rt, _self: Value, [second]: [bigint]) => new TimeValue(rt, 'Instant', second * NANOS),
    'ofEpochMilli(long)': (rt, _self: Value, [milli]: [bigint]) => new TimeValue(rt, 'Instant', milli * 1_000_000n),
  };
}

export const timeClasses: readonly ClassSpec[] = [
  ...(Object.keys(methodNames) as TimeKind[]).map(timeSpec),
  { name: 'java.time.temporal.Temporal', kind: 'interface' },
  enumSpec('java.time.temporal.ChronoUnit', unitNames, {
    methods: {
      'between(java.time.temporal.Temporal, java.time.temporal.Temporal)': (
        rt: Runtime,
        self: EnumConstant,
        [from, to]: [TimeValue, TimeValue],
      ) => between(rt, self.name, from, to),
    },
  }),
  enumSpec(
    'java.time.Month',
    monthNames.map((name) => name.toUpperCase()),
    { methods: { 'getValue()': (_rt: Runtime, self: EnumConstant) => self.ordinal + 1 } },
  ),
  enumSpec(
    'java.time.DayOfWeek',
    dayNames.map((name) => name.toUpperCase()),
    { methods: { 'getValue()': (_rt: Runtime, self: EnumConstant) => self.ordinal + 1 } },
  ),
  {
    name: 'java.time.format.DateTimeFormatter',
    constants: Object.fromEntries(
      Object.entries(formats).map(([name, elements]) => [
        name,
        (rt: Runtime): Value => formatter(rt, elements, null, name === 'ISO_INSTANT', name !== 'RFC_1123_DATE_TIME'),
      ]),
    ),
    statics: {
      'ofPattern(String)': (rt, _self: Value, [pattern]: [string]) => formatter(rt, elementsOf(rt, pattern, 'modern')),
      'ofPattern(String, Locale)': (rt, _self: Value, [pattern, locale]: [string, Value]) => {
        checkLocale(rt, locale);
        return formatter(rt, elementsOf(rt, pattern, 'modern'));
      },
    },
    methods: {
      'format(java.time.temporal.Temporal)': (rt, self: Formatter, [time]: [TimeValue]) => written(rt, time, self),
      'withZone(java.time.ZoneId)': (rt, self: Formatter, [zone]: [ZoneValue]) =>
        formatter(rt, self.state.elements, zone.id, self.state.isInstant, self.state.isStrict),
      'withLocale(Locale)': (rt, self: Formatter, [locale]: [Value]) => {
        checkLocale(rt, locale);
        return self;
      },
    },
  },
  { name: 'java.time.ZoneId', statics: zoneStatics(), methods: { 'getId()': (_rt, self: ZoneValue) => self.id } },
  {
    name: 'java.time.ZoneOffset',
    superclass: 'java.time.ZoneId',
    constants: { UTC: (rt) => zoneFor(rt, 'Z') },
    statics: {
      'of(String)': (rt, _self: Value, [id]: [string]) => zoneFor(rt, offsetText(fixedOffset(id) ?? 0)),
      'ofHours(int)': (rt, _self: Value, [hours]: [number]) => {
        if (Math.abs(hours) > 18)
          rt.fail(
            'java.time.DateTimeException',
            `Zone offset hours not in valid range: value ${hours} is not in the range -18 to 18`,
          );
        return zoneFor(rt, offsetText(hours * 3600));
      },
    },
    methods: { 'getTotalSeconds()': (_rt, self: ZoneValue) => fixedOffset(self.id) ?? 0 },
  },
  { name: 'java.time.ZoneRegion', superclass: 'java.time.ZoneId' },
  { name: 'java.time.zone.ZoneRulesException', superclass: 'java.time.DateTimeException' },
  { name: 'java.time.DateTimeException', superclass: 'java.lang.RuntimeException' },
  { name: 'java.time.format.DateTimeParseException', superclass: 'java.time.DateTimeException' },
  { name: 'java.time.temporal.UnsupportedTemporalTypeException', superclass: 'java.time.DateTimeException' },
];

/** Message of Java for a text that is no zone: by its form an offset, a name, or neither. */
function badZone(rt: Runtime, id: string): never {
  if (/^[+-]/.test(id) || id.length < 2)
    return rt.fail('java.time.DateTimeException', `Invalid ID for ZoneOffset, invalid format: ${id}`);
  if (!/^[A-Za-z][A-Za-z0-9~/._+-]+$/.test(id))
    return rt.fail('java.time.DateTimeException', `Invalid ID for region-based ZoneId, invalid format: ${id}`);
  return rt.fail('java.time.zone.ZoneRulesException', `Unknown time-zone ID: ${id}`);
}

function zoneStatics(): Readonly<Record<string, LibraryFunction>> {
  return {
    'of(String)': (rt, _self: Value, [id]: [string]) => {
      if (!isZoneId(id)) badZone(rt, id);
      return zoneFor(rt, id);
    },
    'systemDefault()': (rt) => zoneFor(rt, 'UTC'),
  };
}

/** Local fields and a zone, or a date, a time and a zone. */
function zonedStatics(kind: 'ZonedDateTime' | 'OffsetDateTime'): Readonly<Record<string, LibraryFunction>> {
  const zone = kind === 'ZonedDateTime' ? 'java.time.ZoneId' : 'java.time.ZoneOffset';
  const at = (rt: Runtime, local: bigint, { id }: ZoneValue): TimeValue => {
    return kind === 'ZonedDateTime'
      ? inZone(rt, local, id)
      : new TimeValue(rt, kind, local, fixedOffset(id) ?? 0, offsetText(fixedOffset(id) ?? 0));
  };
  return {
    [`of(int, int, int, int, int, int, int, ${zone})`]: (
      rt: Runtime,
      _self: Value,
      [year, month, day, hour, minute, second, nano, id]: [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        ZoneValue,
      ],
    ) => at(rt, checked(rt, { year, month, day, hour, minute, second, nano }), id),
    [`of(java.time.LocalDateTime, ${zone})`]: (rt: Runtime, _self: Value, [local, id]: [TimeValue, ZoneValue]) =>
      at(rt, local.local, id),
    [`of(java.time.LocalDate, java.time.LocalTime, ${zone})`]: (
      rt: Runtime,
      _self: Value,
      [date, time, id]: [TimeValue, TimeValue, ZoneValue],
    ) => at(rt, date.local + time.local, id),
  };
}
