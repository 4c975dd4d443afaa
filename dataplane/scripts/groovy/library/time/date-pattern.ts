import type { DateElement, DateField, NamedField } from './date-element.ts';

/** Letters of java.text.SimpleDateFormat are `classic`, those of java.time.format.DateTimeFormatter `modern`. */
export type PatternFlavour = 'classic' | 'modern';

/** A pattern that has a letter without meaning, or a quote or bracket without its other. */
export class DatePatternError extends Error {}

/** A letter that Java knows and this library does not. */
export class UnknownDateLetter extends Error {}

const numbers: Readonly<Record<PatternFlavour, Readonly<Record<string, DateField>>>> = {
  classic: {
    D: 'DayOfYear',
    d: 'DayOfMonth',
    F: 'AlignedWeekOfMonth',
    w: 'WeekOfYear',
    W: 'WeekOfMonth',
    u: 'DayOfWeek',
    H: 'HourOfDay',
    k: 'ClockHourOfDay',
    K: 'HourOfAmPm',
    h: 'ClockHourOfAmPm',
    m: 'MinuteOfHour',
    s: 'SecondOfMinute',
    S: 'MilliOfSecond',
  },
  modern: {
    D: 'DayOfYear',
    d: 'DayOfMonth',
    w: 'WeekOfYear',
    W: 'WeekOfMonth',
    H: 'HourOfDay',
    k: 'ClockHourOfDay',
    K: 'HourOfAmPm',
    h: 'ClockHourOfAmPm',
    m: 'MinuteOfHour',
    s: 'SecondOfMinute',
    n: 'NanoOfSecond',
  },
};

/** Compiles a pattern of letters. @throws DatePatternError */
export function compileDatePattern(pattern: string, flavour: PatternFlavour): DateElement[] {
  const levels: DateElement[][] = [[]];
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at]!;
    const current = levels.at(-1)!;
    if (character === "'") {
      const quote = readQuote(pattern, at);
      current.push({ kind: 'literal', text: quote.text });
      at = quote.end;
    } else if (/[A-Za-z]/.test(character)) {
      let end = at;
      while (pattern[end] === character) end++;
      current.push(letterElement(character, end - at, flavour, pattern));
      at = end;
    } else if (flavour === 'modern' && character === '[') {
      levels.push([]);
      at++;
    } else if (flavour === 'modern' && character === ']') {
      if (levels.length === 1) throw new DatePatternError('Pattern invalid as it contains ] without previous [');
      const elements = levels.pop()!;
      levels.at(-1)!.push({ kind: 'optional', elements });
      at++;
    } else if (flavour === 'modern' && '{}#'.includes(character)) {
      throw new DatePatternError(`Pattern includes reserved character: '${character}'`);
    } else {
      current.push({ kind: 'literal', text: character });
      at++;
    }
  }
  while (levels.length > 1) {
    const elements = levels.pop()!;
    levels.at(-1)!.push({ kind: 'optional', elements });
  }
  return levels[0]!;
}

function readQuote(pattern: string, at: number): { readonly text: string; readonly end: number } {
  if (pattern[at + 1] === "'") return { text: "'", end: at + 2 };
  let text = '';
  for (let end = at + 1; end < pattern.length; end++) {
    if (pattern[end] !== "'") text += pattern[end];
    else if (pattern[end + 1] === "'") {
      text += "'";
      end++;
    } else return { text, end: end + 1 };
  }
  throw new DatePatternError(`Pattern ends with an incomplete string literal: ${pattern}`);
}

function letterElement(letter: string, count: number, flavour: PatternFlavour, pattern: string): DateElement {
  const isClassic = flavour === 'classic';
  if (letter === 'y' || letter === 'Y' || (letter === 'u' && !isClassic)) return yearElement(letter, count, flavour);
  if (letter === 'M' || letter === 'L') {
    if (count >= 3) return named('MonthOfYear', letter, count, isClassic);
    return { kind: 'number', field: 'MonthOfYear', min: count, max: count === 1 ? 19 : 2 };
  }
  if (letter === 'E') return named('DayOfWeek', letter, count, isClassic);
  if (!isClassic && (letter === 'e' || letter === 'c')) {
    if (count >= 3) return named('DayOfWeek', letter, count, false);
    if (letter === 'c' && count === 2) throw new DatePatternError('Invalid pattern "cc"');
    return { kind: 'number', field: 'LocalDayOfWeek', min: count, max: 2 };
  }
  if (!isClassic && (letter === 'Q' || letter === 'q')) {
    if (count >= 3) return named('QuarterOfYear', letter, count, false);
    return { kind: 'number', field: 'QuarterOfYear', min: count, max: count === 1 ? 19 : 2 };
  }
  if (letter === 'a') return { kind: 'name', field: 'AmPmOfDay', full: false };
  if (letter === 'G') return { kind: 'name', field: 'Era', full: !isClassic && count === 4 };
  if (letter === 'z') return { kind: 'zone-name', full: count >= 4 };
  if (letter === 'V' && !isClassic && count === 2) return { kind: 'zone-id' };
  if (letter === 'O' && !isClassic) return { kind: 'local-offset' };
  if (letter === 'Z') return zoneOffset(count, isClassic);
  if (letter === 'X' || (letter === 'x' && !isClassic)) {
    const zero = letter === 'X' ? 'Z' : '';
    if (count <= 3) return { kind: 'offset', style: count === 1 ? 'hours' : count === 2 ? 'plain' : 'colon', zero };
    if (!isClassic && count === 5) return { kind: 'offset', style: 'iso', zero };
  }
  if (letter === 'S' && !isClassic) return { kind: 'fraction', min: count, max: count, point: false };
  const field = numbers[flavour][letter];
  if (field === undefined) {
    if (isClassic) throw new DatePatternError(`Illegal pattern character '${letter}'`);
    if ('bfijloprtCIJPRTU'.includes(letter)) throw new DatePatternError(`Unknown pattern letter: ${letter}`);
    throw new UnknownDateLetter(`the letter ${letter} of the pattern ${pattern} is not available`);
  }
  if (!isClassic && count > (field === 'DayOfYear' ? 3 : field === 'NanoOfSecond' ? 19 : 2)) {
    throw new DatePatternError(`Too many pattern letters: ${letter}`);
  }
  return { kind: 'number', field, min: count, max: isClassic || count === 1 ? 19 : Math.max(count, 2) };
}

function named(field: NamedField, letter: string, count: number, isClassic: boolean): DateElement {
  if (!isClassic && count > 5) throw new DatePatternError(`Too many pattern letters: ${letter}`);
  return { kind: 'name', field, full: count >= 4, ...(!isClassic && count === 5 ? { isNarrow: true } : {}) };
}

function yearElement(letter: string, count: number, flavour: PatternFlavour): DateElement {
  const field = letter === 'Y' ? 'WeekYear' : letter === 'y' && flavour === 'modern' ? 'YearOfEra' : 'Year';
  if (count === 2) return { kind: 'number', field, min: 2, max: 2, reduced: true };
  if (flavour === 'classic') return { kind: 'number', field, min: count, max: 19 };
  return { kind: 'number', field, min: count, max: 19, exceedsPad: count >= 4 };
}

function zoneOffset(count: number, isClassic: boolean): DateElement {
  if (isClassic || count <= 3) return { kind: 'offset', style: 'plain', zero: '+0000' };
  return count === 4 ? { kind: 'local-offset' } : { kind: 'offset', style: 'iso', zero: 'Z' };
}
