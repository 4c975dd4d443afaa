import { isNumber, toLong } from '../../values/conversions.ts';
import type { Runtime, Value } from '../../values/java-class.ts';
import { CalendarValue } from './calendar-classes.ts';
import { formatDate, MissingField } from './date-format.ts';
import { compileDatePattern } from './date-pattern.ts';
import { DateValue, fieldsAt } from './date-value.ts';
import { TimeValue, timeFields } from './java-time.ts';

const patterns: Readonly<Record<string, string>> = {
  Y: 'yyyy',
  y: 'yy',
  m: 'MM',
  d: 'dd',
  e: 'd',
  H: 'HH',
  I: 'hh',
  M: 'mm',
  S: 'ss',
  L: 'SSS',
  B: 'MMMM',
  b: 'MMM',
  A: 'EEEE',
  a: 'EEE',
  j: 'DDD',
  p: 'a',
  Z: 'z',
  z: 'Z',
  F: 'yyyy-MM-dd',
  T: 'HH:mm:ss',
  R: 'HH:mm',
  r: 'hh:mm:ss a',
  D: 'MM/dd/yy',
  c: 'EEE MMM dd HH:mm:ss z yyyy',
};

/** `%tY` and its relatives; null where the value is no date. */
export function dateConversion(rt: Runtime, value: Value, letter: string): string | null {
  if (value instanceof TimeValue) return temporalConversion(rt, value, letter);
  const time =
    value instanceof DateValue || value instanceof CalendarValue
      ? value.time
      : isNumber(value)
        ? Number(toLong(value))
        : null;
  if (time === null) return null;
  if (letter === 's') return String(Math.floor(time / 1000));
  if (letter === 'Q') return String(time);
  const pattern = patterns[letter];
  if (pattern === undefined) return rt.fail('java.util.UnknownFormatConversionException', `Conversion = 't${letter}'`);
  const zone = value instanceof CalendarValue ? value.zone : 'UTC';
  const text = formatDate(fieldsAt(time, zone), compileDatePattern(pattern, 'classic'));
  return letter === 'p' ? text.toLowerCase() : text;
}

/** The same for a value of java.time, as far as it has the fields. */
function temporalConversion(rt: Runtime, value: TimeValue, letter: string): string {
  if (letter === 's' || letter === 'Q' || letter === 'N')
    return rt.fail(
      'java.lang.UnsupportedOperationException',
      `the conversion %t${letter} of java.time is not available`,
    );
  const pattern = patterns[letter];
  if (pattern === undefined) return rt.fail('java.util.UnknownFormatConversionException', `Conversion = 't${letter}'`);
  try {
    const fields = value.kind === 'Instant' ? {} : timeFields(value);
    const text = formatDate(fields, compileDatePattern(pattern, 'classic'));
    return letter === 'p' ? text.toLowerCase() : text;
  } catch (error) {
    if (error instanceof MissingField)
      return rt.fail('java.time.temporal.UnsupportedTemporalTypeException', error.message);
    throw error;
  }
}
