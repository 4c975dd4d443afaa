import { type Place, ScriptError } from '../syntax/place.ts';
import { parseDecimal } from '../values/decimal.ts';
import type { Value } from '../values/java-class.ts';
import { BigDecimal, BigInteger, Double, Float } from '../values/numbers.ts';

const MOST_DIGITS = 2000;

/** The value of a number as written, with sign and suffix. */
export function numberValue(written: string, place: Place): Value {
  const isNegative = written.startsWith('-');
  const text = written.slice(isNegative ? 1 : 0).replaceAll('_', '');
  if (text.length > MOST_DIGITS) throw new ScriptError('a number has too many digits', place);
  const isHex = /^0[xX]/.test(text);
  const suffix =
    /[gGlLiI]$/.exec(text)?.[0].toLowerCase() ?? (isHex ? '' : (/[fFdD]$/.exec(text)?.[0].toLowerCase() ?? ''));
  const digits = suffix === '' ? text : text.slice(0, -1);
  const tooLarge = (): never => {
    throw new ScriptError(`the number ${written} is too large for its type`, place);
  };
  if (suffix === 'f' || suffix === 'd') {
    const value = Number(digits) * (isNegative ? -1 : 1);
    if (!Number.isFinite(suffix === 'f' ? Math.fround(value) : value)) return tooLarge();
    return suffix === 'f' ? new Float(value) : new Double(value);
  }
  if (!isHex && /[.eE]/.test(digits)) {
    const decimal = parseDecimal(digits);
    if (decimal === null) return tooLarge();
    if (suffix !== '' && suffix !== 'g') throw new ScriptError(`${written} is not a number`, place, true);
    return isNegative ? new BigDecimal(-decimal.unscaled, decimal.scale) : decimal;
  }
  const isOctal = /^0[0-7]+$/.test(digits);
  if (/^0\d+$/.test(digits) && !isOctal) throw new ScriptError(`${written} is not an octal number`, place);
  const size = isOctal ? BigInt(`0o${digits.slice(1)}`) : BigInt(digits);
  const value = isNegative ? -size : size;
  // With a suffix a number in hexadecimal, binary or octal is a pattern of bits: 0xFFFFFFFFi is -1, 0xFFFFFFFF is a long.
  const isPattern = suffix !== '' && (isHex || isOctal || /^0[bB]/.test(digits));
  const fits = (bits: number): bigint | null => {
    if (BigInt.asIntN(bits, value) === value) return value;
    return isPattern && BigInt.asUintN(bits, value) === value && !isNegative ? BigInt.asIntN(bits, value) : null;
  };
  switch (suffix) {
    case 'g':
      return new BigInteger(value);
    case 'l':
      return fits(64) ?? tooLarge();
    case 'i': {
      const int = fits(32);
      return int === null ? tooLarge() : Number(int);
    }
    default: {
      const int = fits(32);
      if (int !== null) return Number(int);
      return fits(64) ?? new BigInteger(value);
    }
  }
}
