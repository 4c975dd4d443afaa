import type { Runtime } from '../../values/java-class.ts';
import { type DateFields, monthLength, monthNames } from './date-element.ts';

const limits: readonly (readonly [keyof DateFields, string, number, number, string?])[] = [
  ['month', 'MonthOfYear', 1, 12],
  ['day', 'DayOfMonth', 1, 31, '1 - 28/31'],
  ['hour', 'HourOfDay', 0, 23],
  ['minute', 'MinuteOfHour', 0, 59],
  ['second', 'SecondOfMinute', 0, 59],
  ['nano', 'NanoOfSecond', 0, 999_999_999],
];

/** Throws what java.time throws for fields that no day and no clock has. */
export function checkFields(rt: Runtime, fields: DateFields): void {
  for (const [field, name, least, most, range = `${least} - ${most}`] of limits) {
    const value = fields[field];
    if (typeof value === 'number' && (value < least || value > most))
      rt.fail('java.time.DateTimeException', `Invalid value for ${name} (valid values ${range}): ${value}`);
  }
  const { year = 1970, month = 1, day = 1 } = fields;
  if (day > monthLength(year, month)) rt.fail('java.time.DateTimeException', noSuchDay(year, month, day));
}

/** The message for a day that a month does not have. */
export function noSuchDay(year: number, month: number, day: number): string {
  return day === 29
    ? `Invalid date 'February 29' as '${year}' is not a leap year`
    : `Invalid date '${monthNames[month - 1]!.toUpperCase()} ${day}'`;
}
