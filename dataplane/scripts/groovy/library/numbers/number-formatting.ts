import type { NumberValue } from '../../values/conversions.ts';
import { groupedDigits, plainText, roundTo, setScale } from '../../values/decimal.ts';
import { BigDecimal, Double, Float } from '../../values/numbers.ts';
import { decimalOf } from '../numeric.ts';
import { MANY_DIGITS, type NumberPattern } from './number-pattern.ts';

/** The exact value of a floating number. */
function exactOf(value: Double | Float): BigDecimal {
  let scale = 0;
  let number = value.value;
  while (!Number.isInteger(number)) {
    number *= 2;
    scale++;
  }
  return new BigDecimal(BigInt(number) * 5n ** BigInt(scale), scale);
}

/** The number that is rounded: Java looks at the exact value of a floating number only to find the nearer neighbour. */
function sourceOf(value: NumberValue, { rounding, maxFraction, multiplier }: NumberPattern): BigDecimal {
  const shown = decimalOf(value);
  const isExact =
    (value instanceof Double || value instanceof Float) &&
    multiplier === 1 &&
    rounding.startsWith('HALF') &&
    shown.scale > maxFraction;
  return isExact ? exactOf(value) : shown;
}

function isNegative(value: NumberValue): boolean {
  if (value instanceof Double || value instanceof Float) return value.value < 0 || Object.is(value.value, -0);
  return decimalOf(value).unscaled < 0n;
}

/** Null if the pattern asks for a rounding that is not allowed. */
export function formatNumber(pattern: NumberPattern, value: NumberValue): string | null {
  const [prefix, suffix] = isNegative(value)
    ? [pattern.negativePrefix, pattern.negativeSuffix]
    : [pattern.prefix, pattern.suffix];
  if ((value instanceof Double || value instanceof Float) && !Number.isFinite(value.value))
    return Number.isNaN(value.value) ? 'NaN' : `${prefix}∞${suffix}`;
  const source = sourceOf(value, pattern);
  const scaled = new BigDecimal(source.unscaled * BigInt(pattern.multiplier), source.scale);
  // Directions such as FLOOR depend on the sign, so it is taken off after rounding.
  const text = pattern.exponent > 0 ? scientificText(pattern, scaled) : fixedText(pattern, scaled);
  return text === null ? null : `${prefix}${text}${suffix}`;
}

const sizeOf = ({ unscaled, scale }: BigDecimal): BigDecimal =>
  new BigDecimal(unscaled < 0n ? -unscaled : unscaled, scale);

function fixedText(pattern: NumberPattern, value: BigDecimal): string | null {
  const rounded = value.scale > pattern.maxFraction ? setScale(value, pattern.maxFraction, pattern.rounding) : value;
  if (rounded === null) return null;
  const [digits = '', fraction = ''] = plainText(sizeOf(rounded)).split('.');
  let shown = fraction;
  while (shown.length > pattern.minFraction && shown.endsWith('0')) shown = shown.slice(0, -1);
  shown = shown.padEnd(pattern.minFraction, '0');
  const kept = digits === '0' ? '' : digits.slice(-Math.min(MANY_DIGITS, pattern.maxWhole) || digits.length);
  const whole = kept.padStart(pattern.minWhole, '0') || (shown === '' ? '0' : '');
  const grouped = pattern.grouping === 0 ? whole : groupedDigits(whole, pattern.grouping);
  return `${grouped}${shown === '' && !pattern.alwaysShowsPoint ? '' : `.${shown}`}`;
}

function scientificText(pattern: NumberPattern, value: BigDecimal): string | null {
  const rounded = roundTo(value, pattern.maxWhole + pattern.maxFraction, pattern.rounding);
  if (rounded === null) return null;
  const { unscaled, scale } = sizeOf(rounded);
  const isZero = unscaled === 0n;
  const digits = isZero ? '' : unscaled.toString().replace(/0+$/, '');
  const point = isZero ? 0 : unscaled.toString().length - scale;
  const repeats = pattern.maxWhole > 1 && pattern.maxWhole > pattern.minWhole;
  const exponent = repeats
    ? Math.trunc((point - (point >= 1 ? 1 : pattern.maxWhole)) / pattern.maxWhole) * pattern.maxWhole
    : point - pattern.minWhole;
  const whole = isZero ? (repeats ? 1 : pattern.minWhole) : point - exponent;
  const shownExponent = isZero ? 0 : exponent;
  const all = digits.padEnd(Math.max(whole, pattern.minWhole + pattern.minFraction), '0');
  const mantissa = all.length > whole ? `${all.slice(0, whole)}.${all.slice(whole)}` : all;
  const sign = shownExponent < 0 ? '-' : '';
  return `${mantissa}E${sign}${String(Math.abs(shownExponent)).padStart(pattern.exponent, '0')}`;
}
