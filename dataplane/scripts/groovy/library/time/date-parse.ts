import {
  civilDay,
  type DateElement,
  type DateField,
  type DateFields,
  dayNames,
  epochDay,
  monthLength,
  monthNames,
  weekDay,
} from './date-element.ts';
import { noSuchDay } from './time-checks.ts';
import { isZoneId } from './zone.ts';

/** A text that does not have the form of a format. */
export class DateTextError extends Error {
  readonly index: number;

  constructor(index: number, problem: string | null = null) {
    super(problem ?? `could not be parsed at index ${index}`);
    this.index = index;
  }
}

type Found = Map<DateField | 'Offset' | 'Zone', number | string>;

/** Reads a text; classic formats are lenient about the number of digits and about text that follows. */
export function parseDate(
  text: string,
  elements: readonly DateElement[],
  isClassic: boolean,
  isStrict = true,
): DateFields {
  const found: Found = new Map();
  const end = readElements(text, 0, elements, found, isClassic);
  if (end < text.length && !isClassic) {
    throw new DateTextError(end, `could not be parsed, unparsed text found at index ${end}`);
  }
  return fieldsOf(found, isClassic, isStrict);
}

function readElements(
  text: string,
  from: number,
  elements: readonly DateElement[],
  found: Found,
  isClassic: boolean,
): number {
  let at = from;
  for (const [index, element] of elements.entries())
    at = readElement(text, at, element, elements[index + 1], found, isClassic);
  return at;
}

function readElement(
  text: string,
  at: number,
  element: DateElement,
  next: DateElement | undefined,
  found: Found,
  isClassic: boolean,
): number {
  switch (element.kind) {
    case 'literal':
      if (!text.startsWith(element.text, at)) throw new DateTextError(at);
      return at + element.text.length;
    case 'number':
      return readNumber(text, at, element, next, found, isClassic);
    case 'fraction': {
      const match = new RegExp(`^${element.point ? '\\.' : ''}(\\d{${Math.max(element.min, 1)},${element.max}})`).exec(
        text.slice(at),
      );
      if (match === null) {
        if (element.min > 0) throw new DateTextError(at);
        return at;
      }
      found.set('NanoOfSecond', Number(match[1]!.padEnd(9, '0')));
      return at + match[0].length;
    }
    case 'name':
      return readName(text, at, element.field, found, isClassic);
    case 'offset':
    case 'local-offset':
    case 'zone-name':
    case 'zone-id':
      return readZone(text, at, element, found);
    case 'optional': {
      const trial: Found = new Map(found);
      try {
        const end = readElements(text, at, element.elements, trial, isClassic);
        for (const [field, value] of trial) found.set(field, value);
        return end;
      } catch (error) {
        if (error instanceof DateTextError) return at;
        throw error;
      }
    }
  }
}

function readNumber(
  text: string,
  at: number,
  element: Extract<DateElement, { kind: 'number' }>,
  next: DateElement | undefined,
  found: Found,
  isClassic: boolean,
): number {
  const isFollowed = next?.kind === 'number' || next?.kind === 'fraction';
  const most =
    isFollowed || (!isClassic && element.exceedsPad !== true)
      ? isFollowed
        ? Math.max(element.min, 1)
        : element.max
      : 19;
  const least = isClassic ? 1 : element.min;
  const sign = element.exceedsPad === true ? '[+-]?' : isClassic ? '-?' : '';
  const digits = element.exceedsPad === true && !isFollowed ? Math.max(4, least) : most;
  const match = new RegExp(`^\\s*${sign}\\d{${least},${Math.max(digits, least)}}`).exec(text.slice(at));
  if (match === null || (!isClassic && /^\s/.test(match[0]))) throw new DateTextError(at);
  const value = Number(match[0]);
  const isShortYear = element.reduced === true && /^\d\d$/.test(match[0].trim());
  found.set(element.field, isShortYear ? fullYear(value, isClassic) : value);
  return at + match[0].length;
}

/** Two digits are of this century, and for classic formats at most twenty years ahead. */
function fullYear(value: number, isClassic: boolean): number {
  if (!isClassic) return 2000 + value;
  const limit = new Date().getUTCFullYear() + 20;
  const year = Math.floor(limit / 100) * 100 + value;
  return year > limit ? year - 100 : year;
}

function readName(text: string, at: number, field: string, found: Found, isClassic: boolean): number {
  const rest = isClassic ? text.slice(at).toLowerCase() : text.slice(at);
  const cased = (name: string): string => (isClassic ? name.toLowerCase() : name);
  if (field === 'AmPmOfDay') {
    const half = ['AM', 'PM'].findIndex((name) => rest.startsWith(cased(name)));
    if (half < 0) throw new DateTextError(at);
    found.set('AmPmOfDay', half);
    return at + 2;
  }
  if (field === 'Era') return at + 2;
  const names = field === 'MonthOfYear' ? monthNames : dayNames;
  for (const [index, name] of names.entries()) {
    const spelled = rest.startsWith(cased(name)) ? name : name.slice(0, 3);
    if (!rest.startsWith(cased(spelled))) continue;
    found.set(field as DateField, index + 1);
    return at + spelled.length;
  }
  throw new DateTextError(at);
}

/** The name of the day must be that of the date. */
function checkWeekDay(named: number | undefined, year: number, month: number, day: number): void {
  const actual = weekDay(epochDay(year, month, day));
  if (named === undefined || named === actual) return;
  const two = (value: number): string => String(value).padStart(2, '0');
  throw new DateTextError(
    0,
    `could not be parsed: Conflict found: Field DayOfWeek ${actual} differs from DayOfWeek ${named} derived from ${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`,
  );
}

function readZone(text: string, at: number, element: DateElement, found: Found): number {
  const rest = text.slice(at);
  const offset = /^(?:GMT|UTC)?([+-])(\d{2}):?(\d{2})?(?::?(\d{2}))?/.exec(rest);
  if (element.kind === 'offset' && element.zero.length > 1 && rest.startsWith(element.zero)) {
    found.set('Offset', 0);
    return at + element.zero.length;
  }
  if (rest.startsWith('Z') && (element.kind !== 'offset' || element.zero === 'Z' || element.style === 'plain')) {
    found.set('Offset', 0);
    return at + 1;
  }
  if (offset !== null) {
    const seconds = Number(offset[2]) * 3600 + Number(offset[3] ?? 0) * 60 + Number(offset[4] ?? 0);
    found.set('Offset', offset[1] === '-' ? -seconds : seconds);
    return at + offset[0].length;
  }
  const name = /^[A-Za-z_]+(?:\/[A-Za-z_+\-0-9]+)*/.exec(rest)?.[0];
  if (element.kind === 'offset' || name === undefined || !isZoneId(name)) throw new DateTextError(at);
  found.set('Zone', name);
  return at + name.length;
}

const limits: readonly (readonly [DateField, number, number])[] = [
  ['MonthOfYear', 1, 12],
  ['DayOfMonth', 1, 31],
  ['HourOfDay', 0, 23],
  ['ClockHourOfAmPm', 1, 12],
  ['MinuteOfHour', 0, 59],
  ['SecondOfMinute', 0, 59],
];

function fieldsOf(found: Found, isClassic: boolean, isStrict: boolean): DateFields {
  const get = (field: DateField): number | undefined => found.get(field) as number | undefined;
  const isMidnight = !isClassic && !isStrict && endsDay(get);
  if (isMidnight) found.set('HourOfDay', 0);
  if (!isClassic) {
    for (const [field, least, most] of limits) {
      const value = get(field);
      if (value !== undefined && (value < least || value > most)) {
        throw new DateTextError(
          0,
          `could not be parsed: Invalid value for ${field} (valid values ${least} - ${most === 31 ? '28/31' : most}): ${value}`,
        );
      }
    }
  }
  const year = get('Year') ?? get('YearOfEra');
  let month = get('MonthOfYear');
  let day = get('DayOfMonth');
  const ordinal = get('DayOfYear');
  if (year !== undefined && ordinal !== undefined && day === undefined)
    ({ month, day } = civilDay(epochDay(year, 1, 1) + ordinal - 1));
  if (!isClassic && year !== undefined && month !== undefined && day !== undefined) {
    if (day > monthLength(year, month)) {
      if (isStrict) throw new DateTextError(0, `could not be parsed: ${noSuchDay(year, month, day)}`);
      day = monthLength(year, month);
    }
    checkWeekDay(get('DayOfWeek'), year, month, day);
    if (isMidnight) return { ...timeOf(found, get), ...civilDay(epochDay(year, month, day) + 1) };
  }
  return { year, month, day, ...timeOf(found, get) };
}

type Get = (field: DateField) => number | undefined;

/** 24:00 is the start of the next day. */
function endsDay(get: Get): boolean {
  const rest = ['MinuteOfHour', 'SecondOfMinute', 'NanoOfSecond', 'MilliOfSecond'] as const;
  return get('HourOfDay') === 24 && rest.every((field) => (get(field) ?? 0) === 0);
}

/** The fields of the time and of the zone. */
function timeOf(found: Found, get: Get): DateFields {
  const half = get('AmPmOfDay');
  const clock = get('ClockHourOfAmPm') ?? get('HourOfAmPm');
  const hour = get('HourOfDay') ?? (get('ClockHourOfDay') === undefined ? undefined : get('ClockHourOfDay')! % 24);
  const millis = get('MilliOfSecond');
  return {
    hour: hour ?? (clock === undefined ? undefined : (clock % 12) + (half === 1 ? 12 : 0)),
    minute: get('MinuteOfHour'),
    second: get('SecondOfMinute'),
    nano: get('NanoOfSecond') ?? (millis === undefined ? undefined : millis * 1_000_000),
    offsetSeconds: found.get('Offset') as number | undefined,
    zone: found.get('Zone') as string | undefined,
  };
}
