import { hashOfText } from '../../values/hash.ts';
import type { JavaClass, Obj, Runtime, Value } from '../../values/java-class.ts';
import { civilDay, type DateFields, epochDay } from './date-element.ts';
import { offsetAt, offsetOfLocal, offsetText } from './zone.ts';

const TIME = 'java.time.';

/** The kinds of points in time of java.time. */
export type TimeKind = 'Instant' | 'LocalDate' | 'LocalTime' | 'LocalDateTime' | 'ZonedDateTime' | 'OffsetDateTime';

const NANOS = 1_000_000_000n;
export const DAY_NANOS = 86_400n * NANOS;

/** Nanoseconds of units that are shorter than a day, by their names in `ChronoUnit`. */
export const CLOCK_UNITS: Readonly<Record<string, bigint>> = {
  NANOS: 1n,
  MICROS: 1000n,
  MILLIS: 1_000_000n,
  SECONDS: NANOS,
  MINUTES: 60n * NANOS,
  HOURS: 3600n * NANOS,
};

/**
 * A point in time: nanoseconds since 1970, local to its offset. An Instant has offset 0; a LocalTime is a time of 1970-01-01.
 */
export class TimeValue implements Obj {
  readonly javaClass: JavaClass;
  readonly kind: TimeKind;
  readonly local: bigint;
  readonly offset: number;
  readonly zone: string | null;

  constructor(rt: Runtime, kind: TimeKind, local: bigint, offset = 0, zone: string | null = null) {
    this.javaClass = rt.class(TIME + kind);
    this.kind = kind;
    this.local =
      kind === 'LocalTime' ? mod(local, DAY_NANOS) : kind === 'LocalDate' ? local - mod(local, DAY_NANOS) : local;
    this.offset = offset;
    this.zone = zone;
  }

  /** Nanoseconds since 1970 in UTC. */
  get instant(): bigint {
    return this.local - BigInt(this.offset) * NANOS;
  }

  text(): string {
    const fields = timeFields(this);
    const date = dateText(fields);
    const time = timeText(fields, this.kind === 'Instant');
    switch (this.kind) {
      case 'LocalDate':
        return date;
      case 'LocalTime':
        return time;
      case 'LocalDateTime':
        return `${date}T${time}`;
      case 'Instant':
        return `${date}T${time}Z`;
      default: {
        const zone = this.zone !== null && this.zone !== offsetText(this.offset) ? `[${this.zone}]` : '';
        return `${date}T${time}${offsetText(this.offset)}${this.kind === 'ZonedDateTime' ? zone : ''}`;
      }
    }
  }

  equals(other: Value): boolean {
    return other instanceof TimeValue && other.kind === this.kind && other.text() === this.text();
  }

  hash(): number {
    return hashOfText(this.text());
  }

  compare(other: Value): number {
    if (!(other instanceof TimeValue)) return 1;
    if (this.kind === 'LocalDate' || this.kind === 'LocalDateTime') return compareLocal(this, other);
    return (
      compareInstants(this, other) ||
      (this.kind === 'Instant' || this.kind === 'LocalTime' ? 0 : compareLocal(this, other)) ||
      (this.kind === 'ZonedDateTime' ? compareTexts(this.zone ?? '', other.zone ?? '') : 0)
    );
  }

  key(): string {
    return `\u0001time${this.kind}${this.text()}`;
  }
}

export function compareInstants(left: TimeValue, right: TimeValue): number {
  return left.instant < right.instant ? -1 : left.instant > right.instant ? 1 : 0;
}

/** Java's order of dates tells by how many years, months or days they differ. */
function compareLocal(left: TimeValue, right: TimeValue): number {
  const [a, b] = [timeFields(left), timeFields(right)];
  const rest = left.local < right.local ? -1 : left.local > right.local ? 1 : 0;
  return a.year! - b.year! || a.month! - b.month! || a.day! - b.day! || rest;
}

const compareTexts = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

export function mod(value: bigint, by: bigint): bigint {
  return ((value % by) + by) % by;
}

export function floorDiv(value: bigint, by: bigint): bigint {
  return (value - mod(value, by)) / by;
}

/** The fields that a kind of point in time has. */
export function timeFields(time: TimeValue): DateFields {
  const days = Number(floorDiv(time.local, DAY_NANOS));
  const rest = mod(time.local, DAY_NANOS);
  const second = Number(rest / NANOS);
  const hasDate = time.kind !== 'LocalTime';
  const hasTime = time.kind !== 'LocalDate';
  return {
    ...(hasDate ? civilDay(days) : {}),
    ...(hasTime
      ? {
          hour: Math.floor(second / 3600),
          minute: Math.floor(second / 60) % 60,
          second: second % 60,
          nano: Number(rest % NANOS),
        }
      : {}),
    ...(time.kind === 'ZonedDateTime' || time.kind === 'OffsetDateTime'
      ? { offsetSeconds: time.offset, zone: time.zone ?? offsetText(time.offset) }
      : {}),
  };
}

const two = (value: number): string => String(value).padStart(2, '0');

function dateText({ year = 1970, month = 1, day = 1 }: DateFields): string {
  const size = String(Math.abs(year)).padStart(4, '0');
  return `${year < 0 ? '-' : year > 9999 ? '+' : ''}${size}-${two(month)}-${two(day)}`;
}

/** Seconds are left out where there are none, except in an Instant. */
function timeText({ hour = 0, minute = 0, second = 0, nano = 0 }: DateFields, needsSeconds: boolean): string {
  const fraction = nano === 0 ? '' : `.${trimmedNanos(nano)}`;
  return `${two(hour)}:${two(minute)}${needsSeconds || second > 0 || nano > 0 ? `:${two(second)}` : ''}${fraction}`;
}

/** In groups of three digits. */
function trimmedNanos(nano: number): string {
  const digits = String(nano).padStart(9, '0');
  if (digits.endsWith('000000')) return digits.slice(0, 3);
  return digits.endsWith('000') ? digits.slice(0, 6) : digits;
}

export function localNanos(fields: DateFields): bigint {
  const days = epochDay(fields.year ?? 1970, fields.month ?? 1, fields.day ?? 1);
  const seconds = days * 86_400 + (fields.hour ?? 0) * 3600 + (fields.minute ?? 0) * 60 + (fields.second ?? 0);
  return BigInt(seconds) * NANOS + BigInt(fields.nano ?? 0);
}

/** A point in time in a zone. */
export function zoned(rt: Runtime, instant: bigint, zone: string, wanted?: number): TimeValue {
  const found = offsetAt(zone, Number(floorDiv(instant, NANOS)));
  // A local time that occurs twice has two offsets, and one of them was chosen for it.
  const offset = wanted !== undefined && found > wanted ? found : (wanted ?? found);
  return new TimeValue(rt, 'ZonedDateTime', instant + BigInt(offset) * NANOS, offset, zone);
}

/** A local time in a zone; a time that the clocks skip moves on by the gap. */
export function inZone(rt: Runtime, local: bigint, zone: string): TimeValue {
  const offset = offsetOfLocal(zone, Number(floorDiv(local, NANOS)));
  return zoned(rt, local - BigInt(offset) * NANOS, zone, offset);
}

/** An amount of time in nanoseconds: java.time.Duration. */
export class Amount implements Obj {
  readonly javaClass: JavaClass;
  readonly nanos: bigint;

  constructor(rt: Runtime, nanos: bigint) {
    this.javaClass = rt.class('java.time.Duration');
    this.nanos = nanos;
  }

  text(): string {
    if (this.nanos === 0n) return 'PT0S';
    const isNegative = this.nanos < 0n;
    const size = isNegative ? -this.nanos : this.nanos;
    const sign = isNegative ? '-' : '';
    const seconds = size / NANOS;
    const nano = Number(size % NANOS);
    const part = (value: bigint, unit: string): string => (value === 0n ? '' : `${sign}${value}${unit}`);
    const fraction = nano === 0 ? '' : `.${String(nano).padStart(9, '0').replace(/0+$/, '')}`;
    const rest = seconds % 60n;
    const last = rest === 0n && nano === 0 ? '' : `${sign}${rest}${fraction}S`;
    return `PT${part(seconds / 3600n, 'H')}${part((seconds / 60n) % 60n, 'M')}${last}`;
  }

  equals(other: Value): boolean {
    return other instanceof Amount && other.nanos === this.nanos;
  }

  hash(): number {
    return hashOfText(this.text());
  }

  compare(other: Value): number {
    const nanos = other instanceof Amount ? other.nanos : 0n;
    return this.nanos < nanos ? -1 : this.nanos > nanos ? 1 : 0;
  }

  key(): string {
    return `\u0001duration${this.nanos}`;
  }
}
