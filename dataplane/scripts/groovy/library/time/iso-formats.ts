import type { DateElement } from './date-element.ts';

const number = (field: string, min: number, max: number, more: object = {}): DateElement =>
  ({ kind: 'number', field, min, max, ...more }) as DateElement;
const literal = (text: string): DateElement => ({ kind: 'literal', text });
const isoDate = [
  number('Year', 4, 10, { exceedsPad: true }),
  literal('-'),
  number('MonthOfYear', 2, 2),
  literal('-'),
  number('DayOfMonth', 2, 2),
];
const fraction: DateElement = { kind: 'fraction', min: 0, max: 9, point: true };
const isoTime = [
  number('HourOfDay', 2, 2),
  literal(':'),
  number('MinuteOfHour', 2, 2),
  { kind: 'optional', elements: [literal(':'), number('SecondOfMinute', 2, 2), fraction] } as DateElement,
];
const isoOffset: DateElement = { kind: 'offset', style: 'iso', zero: 'Z' };
const isoZone: DateElement = { kind: 'optional', elements: [literal('['), { kind: 'zone-id' }, literal(']')] };
const dateTime = [...isoDate, literal('T'), ...isoTime];

/** Formats that java.time has names for. */
export const formats: Readonly<Record<string, readonly DateElement[]>> = {
  ISO_LOCAL_DATE: isoDate,
  ISO_DATE: isoDate,
  ISO_LOCAL_TIME: isoTime,
  ISO_LOCAL_DATE_TIME: dateTime,
  ISO_OFFSET_DATE_TIME: [...dateTime, isoOffset],
  ISO_ZONED_DATE_TIME: [...dateTime, isoOffset, isoZone],
  ISO_DATE_TIME: [...dateTime, { kind: 'optional', elements: [isoOffset, isoZone] }],
  ISO_INSTANT: [
    ...isoDate,
    literal('T'),
    number('HourOfDay', 2, 2),
    literal(':'),
    number('MinuteOfHour', 2, 2),
    literal(':'),
    number('SecondOfMinute', 2, 2),
    fraction,
    isoOffset,
  ],
  ISO_TIME: isoTime,
  ISO_OFFSET_DATE: [...isoDate, isoOffset],
  ISO_OFFSET_TIME: [...isoTime, isoOffset],
  ISO_ORDINAL_DATE: [number('Year', 4, 10, { exceedsPad: true }), literal('-'), number('DayOfYear', 3, 3)],
  ISO_WEEK_DATE: [
    number('IsoWeekYear', 4, 10, { exceedsPad: true }),
    literal('-W'),
    number('IsoWeek', 2, 2),
    literal('-'),
    number('DayOfWeek', 1, 1),
  ],
  BASIC_ISO_DATE: [number('Year', 4, 4), number('MonthOfYear', 2, 2), number('DayOfMonth', 2, 2)],
  RFC_1123_DATE_TIME: [
    { kind: 'optional', elements: [{ kind: 'name', field: 'DayOfWeek', full: false }, literal(', ')] },
    number('DayOfMonth', 1, 2),
    literal(' '),
    { kind: 'name', field: 'MonthOfYear', full: false },
    literal(' '),
    number('Year', 4, 4),
    literal(' '),
    number('HourOfDay', 2, 2),
    literal(':'),
    number('MinuteOfHour', 2, 2),
    literal(':'),
    number('SecondOfMinute', 2, 2),
    literal(' '),
    { kind: 'offset', style: 'plain', zero: 'GMT' },
  ],
};
