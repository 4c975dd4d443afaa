/** Names of fields as java.time.temporal.ChronoField shows them in messages. */
export type DateField =
  | 'Year'
  | 'YearOfEra'
  | 'MonthOfYear'
  | 'DayOfMonth'
  | 'DayOfYear'
  | 'DayOfWeek'
  | 'AlignedWeekOfMonth'
  | 'WeekOfYear'
  | 'WeekOfMonth'
  | 'LocalDayOfWeek'
  | 'IsoWeek'
  | 'IsoWeekYear'
  | 'QuarterOfYear'
  | 'WeekYear'
  | 'AmPmOfDay'
  | 'HourOfDay'
  | 'ClockHourOfDay'
  | 'HourOfAmPm'
  | 'ClockHourOfAmPm'
  | 'MinuteOfHour'
  | 'SecondOfMinute'
  | 'MilliOfSecond'
  | 'NanoOfSecond';

/** Fields that are written as words. */
export type NamedField = 'MonthOfYear' | 'DayOfWeek' | 'AmPmOfDay' | 'Era' | 'QuarterOfYear';

/** One part of a format of dates and times. */
export type DateElement =
  | { readonly kind: 'literal'; readonly text: string }
  | {
      readonly kind: 'number';
      readonly field: DateField;
      readonly min: number;
      readonly max: number;
      /** Two digits that stand for a year from 2000 on, or around today for the classic formats. */
      readonly reduced?: boolean;
      /** More digits than `min` are written with a plus sign. */
      readonly exceedsPad?: boolean;
    }
  | { readonly kind: 'fraction'; readonly min: number; readonly max: number; readonly point: boolean }
  | {
      readonly kind: 'name';
      readonly field: NamedField;
      readonly full: boolean;
      /** Only the first letter. */
      readonly isNarrow?: boolean;
    }
  | { readonly kind: 'offset'; readonly style: OffsetStyle; readonly zero: string }
  | { readonly kind: 'zone-id' }
  | { readonly kind: 'zone-name'; readonly full: boolean }
  | { readonly kind: 'local-offset' }
  /** Seconds that are left out together with their colon where the format of ISO allows that. */
  | { readonly kind: 'optional'; readonly elements: readonly DateElement[] };

/** `+HH`, `+HHmm`, `+HH:mm`, and ISO's own, which adds seconds only where there are some. */
export type OffsetStyle = 'hours' | 'plain' | 'colon' | 'iso';

/** Point in time as its fields, as far as a value has them. */
export interface DateFields {
  readonly year?: number | undefined;
  readonly month?: number | undefined;
  readonly day?: number | undefined;
  readonly hour?: number | undefined;
  readonly minute?: number | undefined;
  readonly second?: number | undefined;
  readonly nano?: number | undefined;
  readonly offsetSeconds?: number | undefined;
  readonly zone?: string | undefined;
}

export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** Monday is 1, as in ISO 8601. */
export const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** Days since 1970-01-01. */
export function epochDay(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719468;
}

/** Year, month and day of a number of days since 1970-01-01. */
export function civilDay(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

/** Monday is 1. */
export function weekDay(days: number): number {
  return ((((days + 3) % 7) + 7) % 7) + 1;
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function monthLength(year: number, month: number): number {
  return month === 2 ? (isLeapYear(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}
