import { decimalOfDouble, decimalText, lowWholeOf, setScale } from './decimal.ts';
import type { Value } from './java-class.ts';
import { BigDecimal, BigInteger, Byte, Char, Double, Float, Short } from './numbers.ts';

export const LONG_MAX = (1n << 63n) - 1n;
export const LONG_MIN = -(1n << 63n);

/** Value of a floating or small number; Integer and Long are as JavaScript has them. */
export type NumberValue = number | bigint | Double | Float | Short | Byte | BigInteger | BigDecimal;

export function isNumber(value: Value): value is NumberValue {
  if (typeof value === 'number' || typeof value === 'bigint') return true;
  if (value === null || typeof value !== 'object') return false;
  return (
    value instanceof Double ||
    value instanceof BigDecimal ||
    value instanceof BigInteger ||
    value instanceof Byte ||
    value instanceof Float ||
    value instanceof Short
  );
}

/** True for the types without a fraction. */
export function isWhole(value: Value): boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    value instanceof BigInteger ||
    value instanceof Byte ||
    value instanceof Short
  );
}

/** Any number as JavaScript's. */
export function toDouble(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof BigDecimal) return Number(decimalText(value));
  if (value instanceof BigInteger) return Number(value.value);
  if (value instanceof Char) return value.code;
  return (value as Double).value;
}

/** Any number without its fraction. */
export function toBigInt(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof BigInteger) return value.value;
  if (value instanceof BigDecimal) return setScale(value, 0, 'DOWN')!.unscaled;
  const double = toDouble(value);
  if (Number.isNaN(double)) return 0n;
  if (!Number.isFinite(double)) return double > 0 ? LONG_MAX : LONG_MIN;
  return BigInt(Math.trunc(double));
}

/** `intValue()`: doubles stay within the borders, all others wrap. */
export function toInt(value: Value): number {
  if (typeof value === 'number') return value;
  if (value instanceof Double || value instanceof Float) {
    if (Number.isNaN(value.value)) return 0;
    return Math.trunc(Math.max(-2147483648, Math.min(2147483647, value.value))) | 0;
  }
  return Number(BigInt.asIntN(32, value instanceof BigDecimal ? lowWholeOf(value) : toBigInt(value)));
}

/** `longValue()` */
export function toLong(value: Value): bigint {
  if (value instanceof Double || value instanceof Float) {
    const whole = toBigInt(value);
    if (BigInt.asIntN(64, whole) === whole) return whole;
    return whole > 0n ? LONG_MAX : LONG_MIN;
  }
  return BigInt.asIntN(64, value instanceof BigDecimal ? lowWholeOf(value) : toBigInt(value));
}

export function toDecimal(value: Value): BigDecimal {
  if (value instanceof BigDecimal) return value;
  if (value instanceof Double || value instanceof Float) return decimalOfDouble(value.value);
  return new BigDecimal(toBigInt(value), 0);
}
