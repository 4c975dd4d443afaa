import type { Rounding } from '../../values/decimal.ts';

/** Settings of a java.text.DecimalFormat. */
export interface NumberPattern {
  prefix: string;
  suffix: string;
  negativePrefix: string;
  negativeSuffix: string;
  minWhole: number;
  maxWhole: number;
  minFraction: number;
  maxFraction: number;
  /** Digits of a group; 0 without groups. */
  grouping: number;
  multiplier: number;
  /** Least digits of an exponent; 0 without one. */
  exponent: number;
  alwaysShowsPoint: boolean;
  rounding: Rounding;
}

/** A pattern that Java rejects, with its message. */
export class NumberPatternError extends Error {}

/** Digits that a pattern without limits allows: more than any number has. */
export const MANY_DIGITS = 340;

interface Digits {
  left: number;
  zeros: number;
  right: number;
  point: number;
  group: number;
  exponent: number;
}

/** Reads a pattern. @throws NumberPatternError */
export function readNumberPattern(source: string): NumberPattern {
  const positive = new PatternReader(source, 0, true);
  const { digits } = positive;
  if (digits.zeros === 0 && digits.left > 0 && digits.point >= 0) {
    const before = Math.max(1, digits.point);
    digits.right = digits.left - before;
    digits.left = before - 1;
    digits.zeros = 1;
  }
  const { left, zeros, right, point, group } = digits;
  const isMalformed = (point < 0 && right > 0) || (point >= 0 && (point < left || point > left + zeros)) || group === 0;
  if (isMalformed || positive.isQuoted) throw new NumberPatternError(`Malformed pattern "${source}"`);
  const total = left + zeros + right;
  const minWhole = (point >= 0 ? point : total) - left;
  const pattern: NumberPattern = {
    prefix: positive.prefix,
    suffix: positive.suffix,
    negativePrefix: `-${positive.prefix}`,
    negativeSuffix: positive.suffix,
    minWhole,
    maxWhole: digits.exponent > 0 ? left + minWhole : MANY_DIGITS,
    minFraction: point >= 0 ? left + zeros - point : 0,
    maxFraction: source === '' ? MANY_DIGITS : point >= 0 ? total - point : 0,
    grouping: source === '' ? 3 : Math.max(0, group),
    multiplier: positive.multiplier,
    exponent: digits.exponent,
    alwaysShowsPoint: source !== '' && (point === 0 || point === total),
    rounding: 'HALF_EVEN',
  };
  if (positive.end < source.length) {
    const negative = new PatternReader(source, positive.end, false);
    if (negative.prefix !== positive.prefix || negative.suffix !== positive.suffix) {
      pattern.negativePrefix = negative.prefix;
      pattern.negativeSuffix = negative.suffix;
    }
  }
  return pattern;
}

/** One half of a pattern: text, digits, text. */
class PatternReader {
  readonly digits: Digits = { left: 0, zeros: 0, right: 0, point: -1, group: -1, exponent: 0 };
  prefix = '';
  suffix = '';
  multiplier = 1;
  isQuoted = false;
  end: number;
  readonly #source: string;
  #phase: 'prefix' | 'digits' | 'suffix' = 'prefix';

  constructor(source: string, start: number, isPositive: boolean) {
    this.#source = source;
    this.end = start;
    while (this.end < source.length) {
      const mark = source[this.end]!;
      if (!this.isQuoted && this.#phase !== 'suffix' && '#0,.'.includes(mark)) this.#phase = 'digits';
      if (this.#phase === 'digits') {
        if (isPositive ? this.#digit(mark) : /[#0,.E]/.test(mark)) this.end++;
        else this.#phase = 'suffix';
        continue;
      }
      this.end++;
      if (mark === ';' && !this.isQuoted) {
        if (this.#phase === 'prefix' || !isPositive) throw this.#problem("Unquoted special character ';' in pattern");
        return;
      }
      this.#character(mark);
    }
  }

  #problem(text: string): NumberPatternError {
    return new NumberPatternError(`${text} "${this.#source}"`);
  }

  /** Returns false for a character that ends the digits. */
  #digit(mark: string): boolean {
    const { digits } = this;
    if (mark === '#') {
      if (digits.zeros > 0) digits.right++;
      else digits.left++;
    } else if (mark === '0') {
      if (digits.right > 0) throw this.#problem("Unexpected '0' in pattern");
      digits.zeros++;
    } else if (mark === ',') {
      digits.group = 0;
      return true;
    } else if (mark === '.') {
      if (digits.point >= 0) throw this.#problem('Multiple decimal separators in pattern');
      digits.point = digits.left + digits.zeros + digits.right;
      return true;
    } else if (mark === 'E') {
      while (this.#source[this.end + 1] === '0') {
        digits.exponent++;
        this.end++;
      }
      if (digits.left + digits.zeros < 1 || digits.exponent < 1) throw this.#problem('Malformed exponential pattern');
      this.#phase = 'suffix';
      return true;
    } else return false;
    if (digits.group >= 0 && digits.point < 0) digits.group++;
    return true;
  }

  #character(mark: string): void {
    if (mark === "'") {
      if (this.#source[this.end] !== "'") {
        this.isQuoted = !this.isQuoted;
        return;
      }
      this.end++;
    } else if (!this.isQuoted && (mark === '%' || mark === '\u2030')) {
      if (this.multiplier !== 1) throw this.#problem('Too many percent/per mille characters in pattern');
      this.multiplier = mark === '%' ? 100 : 1000;
    } else if (!this.isQuoted && '#0,.'.includes(mark)) {
      throw this.#problem('Unquoted special character in pattern');
    }
    const shown = mark === '\u00a4' && !this.isQuoted ? '$' : mark;
    if (this.#phase === 'prefix') this.prefix += shown;
    else this.suffix += shown;
  }
}
