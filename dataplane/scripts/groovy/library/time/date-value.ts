import { hashOfLong } from '../../values/hash.ts';
import type { JavaClass, Obj, Runtime, Value } from '../../values/java-class.ts';
import { civilDay, type DateFields } from './date-element.ts';
import { formatDate } from './date-format.ts';
import { compileDatePattern } from './date-pattern.ts';
import { offsetAt } from './zone.ts';

/** A java.util.Date, or a Timestamp: milliseconds since 1970. */
export class DateValue implements Obj {
  readonly javaClass: JavaClass;
  time: number;

  constructor(rt: Runtime, time: number, className = 'java.util.Date') {
    this.javaClass = rt.class(className);
    this.time = time;
  }

  text(): string {
    const pattern =
      this.javaClass.simpleName === 'Timestamp' ? 'yyyy-MM-dd HH:mm:ss.S' : 'EEE MMM dd HH:mm:ss zzz yyyy';
    return formatDate(fieldsAt(this.time), compileDatePattern(pattern, 'classic'));
  }

  equals(other: Value): boolean {
    return other instanceof DateValue && other.time === this.time;
  }

  hash(): number {
    return hashOfLong(BigInt(this.time));
  }

  compare(other: Value): number {
    return other instanceof DateValue ? Math.sign(this.time - other.time) : 1;
  }

  key(): string {
    return `\u0001date${this.time}`;
  }
}

/** Fields of an instant in a zone. */
export function fieldsAt(time: number, zone = 'UTC'): DateFields {
  const second = Math.floor(time / 1000);
  const offsetSeconds = offsetAt(zone, second);
  const local = second + offsetSeconds;
  const days = Math.floor(local / 86_400);
  const rest = local - days * 86_400;
  return {
    ...civilDay(days),
    hour: Math.floor(rest / 3600),
    minute: Math.floor(rest / 60) % 60,
    second: rest % 60,
    nano: (time - second * 1000) * 1_000_000,
    offsetSeconds,
    zone,
  };
}

/** The form that JsonOutput writes. */
export function isoDate({ time }: DateValue): string {
  return formatDate(fieldsAt(time), compileDatePattern("yyyy-MM-dd'T'HH:mm:ssZ", 'classic'));
}
