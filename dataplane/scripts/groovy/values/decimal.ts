import { doubleText } from './floating-text.ts';
import { meter } from './meter.ts';
import { BigDecimal } from './numbers.ts';

/** Arithmetic of BigDecimal as Java has it: scale and precision count. */

export type Rounding = 'HALF_UP' | 'HALF_DOWN' | 'HALF_EVEN' | 'UP' | 'DOWN' | 'CEILING' | 'FLOOR' | 'UNNECESSARY';

/** Digits that cost no more than any other operation. */
const FEW_DIGITS = 64;
const SMALL = 10n ** BigInt(FEW_DIGITS);

/** Work for each digit of a long number. */
const UNITS_PER_DIGIT = 10;

/** Charged, because the exponent may come from a message: 1E+1000000000 has one digit. */
export function pow10(exponent: number): bigint {
  if (exponent > FEW_DIGITS) {
    meter()?.allocate(exponent);
    meter()?.spend(exponent * UNITS_PER_DIGIT);
  }
  return 10n ** BigInt(exponent);
}

/** Decimal digits of an integer, charged. */
export function digitsOf(size: bigint): string {
  if (size > SMALL || size < -SMALL) meter()?.spend(size.toString(16).length * UNITS_PER_DIGIT);
  return size.toString();
}

/** Number of decimal digits of the unscaled value; one for zero. */
export function precisionOf(unscaled: bigint): number {
  return digitsOf(unscaled < 0n ? -unscaled : unscaled).length;
}

/** Quotient rounded to an integer, or null if it must be exact and is not. */
export function divideRounded(left: bigint, right: bigint, rounding: Rounding): bigint | null {
  const quotient = left / right;
  const rest = left % right;
  if (rest === 0n) return quotient;
  const isNegative = left < 0n !== right < 0n;
  const away = isNegative ? -1n : 1n;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  const size = right < 0n ? -right : right;
  switch (rounding) {
    case 'UNNECESSARY':
      return null;
    case 'UP':
      return quotient + away;
    case 'DOWN':
      return quotient;
    case 'CEILING':
      return isNegative ? quotient : quotient + 1n;
    case 'FLOOR':
      return isNegative ? quotient - 1n : quotient;
    default: {
      const isMore =
        twice > size ||
        (twice === size && (rounding === 'HALF_UP' || (rounding === 'HALF_EVEN' && quotient % 2n !== 0n)));
      return isMore ? quotient + away : quotient;
    }
  }
}

/** Null if rounding would be needed and is not allowed. */
export function setScale(value: BigDecimal, scale: number, rounding: Rounding): BigDecimal | null {
  if (value.unscaled === 0n) return new BigDecimal(0n, scale);
  if (scale >= value.scale) return new BigDecimal(value.unscaled * pow10(scale - value.scale), scale);
  if (precisionOf(value.unscaled) < value.scale - scale) {
    // Less than a tenth of the last digit: any other number so small is rounded in the same way.
    const rounded = divideRounded(value.unscaled < 0n ? -1n : 1n, 100n, rounding);
    return rounded === null ? null : new BigDecimal(rounded, scale);
  }
  const unscaled = divideRounded(value.unscaled, pow10(value.scale - scale), rounding);
  return unscaled === null ? null : new BigDecimal(unscaled, scale);
}

/** Rounds to a number of digits; 0 means all. */
export function roundTo(value: BigDecimal, precision: number, rounding: Rounding): BigDecimal | null {
  let rounded = value;
  while (precision > 0) {
    const drop = precisionOf(rounded.unscaled) - precision;
    if (drop <= 0) return rounded;
    const unscaled = divideRounded(rounded.unscaled, pow10(drop), rounding);
    if (unscaled === null) return null;
    rounded = new BigDecimal(unscaled, rounded.scale - drop);
  }
  return rounded;
}

function aligned(left: BigDecimal, right: BigDecimal): [bigint, bigint, number] {
  const scale = Math.max(left.scale, right.scale);
  return [left.unscaled * pow10(scale - left.scale), right.unscaled * pow10(scale - right.scale), scale];
}

export function addDecimals(left: BigDecimal, right: BigDecimal): BigDecimal {
  const [a, b, scale] = aligned(left, right);
  return new BigDecimal(a + b, scale);
}

export function subtractDecimals(left: BigDecimal, right: BigDecimal): BigDecimal {
  const [a, b, scale] = aligned(left, right);
  return new BigDecimal(a - b, scale);
}

export function multiplyDecimals(left: BigDecimal, right: BigDecimal): BigDecimal {
  return new BigDecimal(left.unscaled * right.unscaled, left.scale + right.scale);
}

export function compareDecimals(left: BigDecimal, right: BigDecimal): number {
  const sign = left.unscaled < 0n ? -1 : 1;
  const isSameSign = left.unscaled !== 0n && right.unscaled !== 0n && left.unscaled < 0n === right.unscaled < 0n;
  if (!isSameSign) return left.unscaled < right.unscaled ? -1 : left.unscaled > right.unscaled ? 1 : 0;
  if (left.scale !== right.scale) {
    const difference = magnitudeOf(left) - magnitudeOf(right);
    if (difference !== 0) return difference < 0 ? -sign : sign;
  }
  const [a, b] = aligned(left, right);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Number of digits before the point; negative for zeros after it. */
export function magnitudeOf({ unscaled, scale }: BigDecimal): number {
  return precisionOf(unscaled) - scale;
}

/** The whole part, for uses that keep at most 64 bits of it: 10 to the power of 64 has none of them. */
export function lowWholeOf(value: BigDecimal): bigint {
  if (value.unscaled === 0n || value.scale <= -64 || magnitudeOf(value) <= 0) return 0n;
  return setScale(value, 0, 'DOWN')!.unscaled;
}

export function remainderOfDecimals(left: BigDecimal, right: BigDecimal): BigDecimal {
  const [a, b, scale] = aligned(left, right);
  const rest = new BigDecimal(a % b, scale);
  // The whole quotient loses zeros down to the difference of the scales; the rest has the scale of its product.
  const preferred = left.scale - right.scale;
  let zeros = 0;
  for (let quotient = a / b; quotient !== 0n && quotient % 10n === 0n && zeros < -preferred; quotient /= 10n) zeros++;
  if (a / b === 0n) zeros = Math.max(-preferred, 0);
  return stripTo(rest, Math.max(left.scale, right.scale - zeros));
}

/** The exact quotient with the smallest scale that is at least `preferred`, or null if it does not end. */
export function divideExactly(left: BigDecimal, right: BigDecimal): BigDecimal | null {
  const preferred = left.scale - right.scale;
  if (left.unscaled === 0n) return new BigDecimal(0n, Math.max(preferred, 0));
  let divisor = right.unscaled < 0n ? -right.unscaled : right.unscaled;
  const size = left.unscaled < 0n ? -left.unscaled : left.unscaled;
  // Divided as often as it has bits.
  if (divisor > SMALL || size > SMALL)
    meter()?.spend((divisor.toString(16).length + size.toString(16).length) ** 2 / 20);
  const shared = gcd(size, divisor);
  divisor /= shared;
  let twos = 0;
  let fives = 0;
  while (divisor % 2n === 0n) {
    divisor /= 2n;
    twos++;
  }
  while (divisor % 5n === 0n) {
    divisor /= 5n;
    fives++;
  }
  if (divisor !== 1n) return null;
  const more = Math.max(twos, fives);
  const quotient = new BigDecimal((left.unscaled * pow10(more)) / right.unscaled, preferred + more);
  return stripTo(quotient, preferred);
}

/** Drops trailing zeros, but keeps a scale. */
export function stripTo(value: BigDecimal, least: number): BigDecimal {
  let { unscaled, scale } = value;
  if (scale <= least) return value;
  if (unscaled === 0n) return new BigDecimal(0n, least);
  if (unscaled % 10n !== 0n) return value;
  let step = 1;
  while (step * 2 <= Math.min(scale - least, precisionOf(unscaled))) step *= 2;
  // Zeros go in halves of halves: one by one, a long number would be divided as often as it has digits.
  for (; step >= 1; step /= 2) {
    const power = pow10(step);
    if (scale - step < least || unscaled % power !== 0n) continue;
    unscaled /= power;
    scale -= step;
  }
  return new BigDecimal(unscaled, scale);
}

/** Quotient with so many digits. */
export function divideTo(left: BigDecimal, right: BigDecimal, precision: number, rounding: Rounding): BigDecimal {
  const preferred = left.scale - right.scale;
  const shift = Math.max(0, precision + precisionOf(right.unscaled) - precisionOf(left.unscaled) + 3);
  const scaled = left.unscaled * pow10(shift);
  const quotient = scaled / right.unscaled;
  const isExact = scaled % right.unscaled === 0n;
  // A last digit that is neither zero nor five stands for the digits that were cut off.
  const isNegative = left.unscaled < 0n !== right.unscaled < 0n;
  const sticky = isExact ? quotient * 10n : quotient * 10n + (isNegative ? -1n : 1n);
  const rounded = roundTo(new BigDecimal(sticky, preferred + shift + 1), precision, rounding)!;
  return isExact ? stripTo(rounded, preferred) : rounded;
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** Java's `toString`, with an exponent for very small and for negative scales. */
export function decimalText({ unscaled, scale }: BigDecimal): string {
  const digits = digitsOf(unscaled < 0n ? -unscaled : unscaled);
  const sign = unscaled < 0n ? '-' : '';
  if (scale === 0) return sign + digits;
  const exponent = digits.length - 1 - scale;
  if (scale > 0 && exponent >= -6) return sign + withPoint(digits, scale);
  const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
  return `${sign}${mantissa}${exponent === 0 ? '' : `E${exponent > 0 ? '+' : ''}${exponent}`}`;
}

/** Java's `toPlainString`. */
export function plainText({ unscaled, scale }: BigDecimal): string {
  if (Math.abs(scale) > FEW_DIGITS) meter()?.allocate(2 * Math.abs(scale));
  const digits = digitsOf(unscaled < 0n ? -unscaled : unscaled);
  const sign = unscaled < 0n ? '-' : '';
  if (scale <= 0) return sign + (unscaled === 0n ? '0' : digits + '0'.repeat(-scale));
  return sign + withPoint(digits, scale);
}

function withPoint(digits: string, scale: number): string {
  const padded = digits.padStart(scale + 1, '0');
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** Digits in groups of so many, from the right. */
export function groupedDigits(digits: string, size: number): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= size) groups.push(digits.slice(Math.max(0, end - size), end));
  return groups.reverse().join(',');
}

/** True if Java has numbers of this scale. */
export function isScale(scale: number): boolean {
  return scale >= -2147483648 && scale <= 2147483647;
}

/** Reads a decimal number, or returns null, also for an exponent that is too large. */
export function parseDecimal(text: string): BigDecimal | null {
  if (text.length > FEW_DIGITS) meter()?.spend(text.length * UNITS_PER_DIGIT);
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return null;
  const scale = fraction.length - Number(exponent);
  if (!isScale(scale)) return null;
  const unscaled = BigInt(whole + fraction);
  return new BigDecimal(sign === '-' ? -unscaled : unscaled, scale);
}

/** The shortest decimal that reads as this double. */
export function decimalOfDouble(value: number): BigDecimal {
  return parseDecimal(doubleText(value)) ?? new BigDecimal(0n, 0);
}
