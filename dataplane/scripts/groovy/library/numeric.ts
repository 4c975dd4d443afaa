import { isNumber, type NumberValue, toBigInt, toInt } from '../values/conversions.ts';
import { parseDecimal } from '../values/decimal.ts';
import { doubleText, floatText } from '../values/floating-text.ts';
import type { Runtime, Value } from '../values/java-class.ts';
import { BigDecimal, Char, Double, Float } from '../values/numbers.ts';

/** A parameter of type Number as an index or a count. */
export function countOf(value: Value): number {
  // Null has no value, which is a NullPointerException for the script.
  return isNumber(value) ? toInt(value) : value instanceof Char ? value.code : toInt(value);
}

/** The exact decimal of a number; a floating number as `new BigDecimal(Double.toString(x))`. */
export function decimalOf(value: NumberValue): BigDecimal {
  if (value instanceof BigDecimal) return value;
  if (value instanceof Double || value instanceof Float) return parseDecimal(shortText(value))!;
  return new BigDecimal(toBigInt(value), 0);
}

function shortText(value: Double | Float): string {
  return value instanceof Double ? doubleText(value.value) : floatText(value.value);
}

/** Charges the digits of a number before they are computed with. */
export function spendDigits(rt: Runtime, digits: number): void {
  const words = Math.ceil(digits / 9) + 1;
  rt.budget.spend(words * words);
  rt.budget.allocate(digits);
}

export function larger(left: bigint, right: bigint): bigint {
  if (left > right) return left;
  return right;
}

export function smaller(left: bigint, right: bigint): bigint {
  if (left < right) return left;
  return right;
}
