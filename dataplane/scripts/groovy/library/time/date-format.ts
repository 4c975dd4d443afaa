import {
  civilDay,
  type DateElement,
  type DateField,
  type DateFields,
  dayNames,
  epochDay,
  isLeapYear,
  monthNames,
  type NamedField,
  weekDay,
} from './date-element.ts';
import { clockOf, offsetText, zoneName } from './zone.ts';

/** A format asks for a field that the value does not have. */
export class MissingField extends Error {
  constructor(field: string) {
    super(`Unsupported field: ${field}`);
  }
}

/** Writes a point in time. @throws MissingField */
export function formatDate(fields: DateFields, elements: readonly DateElement[]): string {
  let out = '';
  for (const element of elements) out += elementText(fields, element);
  return out;
}

function elementText(fields: DateFields, element: DateElement): string {
  switch (element.kind) {
    case 'literal':
      return element.text;
    case 'number':
      return numberText(fieldOf(fields, element.field), element);
    case 'fraction':
      return fractionText(fieldOf(fields, 'NanoOfSecond'), element);
    case 'name':
      return element.isNarrow === true
        ? narrowText(fields, element.field)
        : nameText(fields, element.field, element.full);
    case 'offset':
      return offsetOf(fields, element);
    case 'zone-id':
      if (fields.zone === undefined) throw new Error('Unable to extract ZoneId from temporal');
      return fields.zone;
    case 'zone-name':
      return zoneText(fields, element.full);
    case 'local-offset': {
      const seconds = needed(fields.offsetSeconds, 'OffsetSeconds');
      return `GMT${seconds === 0 ? '' : offsetText(seconds)}`;
    }
    case 'optional':
      try {
        return formatDate(fields, element.elements);
      } catch (error) {
        if (error instanceof MissingField) return '';
        throw error;
      }
  }
}

function numberText(value: number, element: Extract<DateElement, { kind: 'number' }>): string {
  if (element.reduced === true) return String(Math.abs(value) % 100).padStart(2, '0');
  const digits = String(Math.abs(value)).padStart(element.min, '0');
  if (value < 0) return `-${digits}`;
  return element.exceedsPad === true && digits.length > element.min ? `+${digits}` : digits;
}

function fractionText(nano: number, { min, max, point }: { min: number; max: number; point: boolean }): string {
  const digits = String(nano).padStart(9, '0').slice(0, max);
  let end = digits.length;
  while (end > min && digits[end - 1] === '0') end--;
  return end === 0 ? '' : `${point ? '.' : ''}${digits.slice(0, end)}`;
}

function narrowText(fields: DateFields, field: NamedField): string {
  return field === 'QuarterOfYear' ? String(fieldOf(fields, field)) : nameText(fields, field, false).slice(0, 1);
}

const quarters = ['1st', '2nd', '3rd', '4th'] as const;

function nameText(fields: DateFields, field: NamedField, full: boolean): string {
  if (field === 'QuarterOfYear') {
    const quarter = fieldOf(fields, field);
    return full ? `${quarters[quarter - 1]} quarter` : `Q${quarter}`;
  }
  if (field === 'AmPmOfDay') return fieldOf(fields, 'HourOfDay') < 12 ? 'AM' : 'PM';
  if (field === 'Era')
    return fieldOf(fields, 'Year') > 0 ? (full ? 'Anno Domini' : 'AD') : full ? 'Before Christ' : 'BC';
  const name =
    field === 'MonthOfYear' ? monthNames[fieldOf(fields, field) - 1]! : dayNames[fieldOf(fields, field) - 1]!;
  return full ? name : name.slice(0, 3);
}

function offsetOf(fields: DateFields, { style, zero }: Extract<DateElement, { kind: 'offset' }>): string {
  const seconds = needed(fields.offsetSeconds, 'OffsetSeconds');
  if (seconds === 0 && zero !== '') return zero;
  const sign = seconds < 0 ? '-' : '+';
  const [hours, minutes, rest] = clockOf(seconds);
  if (style === 'hours') return `${sign}${hours}${minutes === '00' ? '' : minutes}`;
  if (style === 'plain') return `${sign}${hours}${minutes}`;
  return `${sign}${hours}:${minutes}${style === 'iso' && rest !== '00' ? `:${rest}` : ''}`;
}

function zoneText(fields: DateFields, full: boolean): string {
  if (fields.zone === undefined) throw new Error('Unable to extract ZoneId from temporal');
  const second =
    epochDay(fields.year ?? 1970, fields.month ?? 1, fields.day ?? 1) * 86_400 - (fields.offsetSeconds ?? 0);
  const name = zoneName(fields.zone, second + (fields.hour ?? 0) * 3600, full);
  if (name === null) throw new Error(`the name of the time zone ${fields.zone} is not available`);
  return name;
}

/** Value of a field, derived from those that a point in time has. @throws MissingField */
export function fieldOf(fields: DateFields, field: DateField): number {
  switch (field) {
    case 'Year':
      return needed(fields.year, 'Year');
    case 'YearOfEra': {
      const year = needed(fields.year, 'YearOfEra');
      return year > 0 ? year : 1 - year;
    }
    case 'MonthOfYear':
      return needed(fields.month, 'MonthOfYear');
    case 'DayOfMonth':
      return needed(fields.day, 'DayOfMonth');
    case 'DayOfWeek':
      return weekDay(dayOf(fields, 'DayOfWeek'));
    case 'DayOfYear':
      return dayOf(fields, 'DayOfYear') - epochDay(fields.year!, 1, 1) + 1;
    case 'AlignedWeekOfMonth':
      return Math.floor((needed(fields.day, 'DayOfMonth') - 1) / 7) + 1;
    case 'WeekOfYear':
      return usWeek(dayOf(fields, 'WeekOfYear'), fields.year!).week;
    case 'WeekOfMonth': {
      const first = dayOf(fields, 'WeekOfMonth') - fields.day! + 1;
      return Math.floor((fields.day! - 1 + (weekDay(first) % 7)) / 7) + 1;
    }
    case 'LocalDayOfWeek':
      return (weekDay(dayOf(fields, 'DayOfWeek')) % 7) + 1;
    case 'IsoWeek':
      return isoWeek(dayOf(fields, 'WeekOfWeekBasedYear')).week;
    case 'IsoWeekYear':
      return isoWeek(dayOf(fields, 'WeekBasedYear')).year;
    case 'QuarterOfYear':
      return Math.floor((needed(fields.month, 'QuarterOfYear') - 1) / 3) + 1;
    case 'WeekYear':
      return usWeek(dayOf(fields, 'WeekBasedYear'), fields.year!).year;
    case 'HourOfDay':
      return needed(fields.hour, 'HourOfDay');
    case 'ClockHourOfDay':
      return fieldOf(fields, 'HourOfDay') || 24;
    case 'HourOfAmPm':
      return needed(fields.hour, 'HourOfAmPm') % 12;
    case 'ClockHourOfAmPm':
      return needed(fields.hour, 'ClockHourOfAmPm') % 12 || 12;
    case 'AmPmOfDay':
      return needed(fields.hour, 'AmPmOfDay') < 12 ? 0 : 1;
    case 'MinuteOfHour':
      return needed(fields.minute, 'MinuteOfHour');
    case 'SecondOfMinute':
      return needed(fields.second, 'SecondOfMinute');
    case 'MilliOfSecond':
      return Math.floor(needed(fields.nano, 'MilliOfSecond') / 1_000_000);
    case 'NanoOfSecond':
      return needed(fields.nano, 'NanoOfSecond');
  }
}

function dayOf(fields: DateFields, field: string): number {
  return epochDay(needed(fields.year, field), needed(fields.month, field), needed(fields.day, field));
}

/** Week of the year where weeks begin on Sunday and the first is that of 1 January, as in en-US. */
function usWeek(day: number, year: number): { readonly year: number; readonly week: number } {
  const startOf = (of: number): number => {
    const first = epochDay(of, 1, 1);
    return first - (weekDay(first) % 7);
  };
  if (day >= startOf(year + 1)) return { year: year + 1, week: 1 };
  return { year, week: Math.floor((day - startOf(year)) / 7) + 1 };
}

/** Week of ISO 8601: that of the Thursday, from Monday on. */
function isoWeek(day: number): { readonly year: number; readonly week: number } {
  const thursday = day - weekDay(day) + 4;
  const { year } = civilDay(thursday);
  return { year, week: Math.floor((thursday - epochDay(year, 1, 1)) / 7) + 1 };
}

function needed(value: number | undefined, field: string): number {
  if (value === undefined) throw new MissingField(field);
  return value;
}

/** True for a day that its month and year have. */
export function isDayOfYear(year: number, day: number): boolean {
  return day >= 1 && day <= (isLeapYear(year) ? 366 : 365);
}
