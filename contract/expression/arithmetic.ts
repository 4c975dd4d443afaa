import { longOf, numberOf } from './coercion.ts';
import type { ArithmeticOperator } from './syntax.ts';
import { Double, doubleOf, EvaluationError, isDouble, type Value, valueType } from './value.ts';

type Operation = (left: Value, right: Value) => Value;

/** Arithmetic by the rules of the unified expression language: Double where one side is or says a fraction, else Long. */
export const arithmetic: Readonly<Record<ArithmeticOperator, Operation>> = {
  '+': (left, right) =>
    fractional(left, right) ? doubleOf(numberOf(left) + numberOf(right)) : long(longOf(left) + longOf(right)),
  '-': (left, right) =>
    fractional(left, right) ? doubleOf(numberOf(left) - numberOf(right)) : long(longOf(left) - longOf(right)),
  '*': (left, right) =>
    fractional(left, right) ? doubleOf(numberOf(left) * numberOf(right)) : long(longOf(left) * longOf(right)),
  // A division is always one of Doubles, unless there is nothing to divide.
  '/': (left, right) => (left === null && right === null ? 0n : doubleOf(numberOf(left) / numberOf(right))),
  '%': remainder,
};

/** The value with its sign changed, of the same type. */
export function negated(value: Value): Value {
  if (value === null) return 0n;
  if (typeof value === 'bigint') return long(-value);
  if (typeof value === 'number') {
    if (isDouble(value)) return -value;
    return valueType(value) === 'Integer' ? -value | 0 : long(-BigInt(value));
  }
  if (value instanceof Double) return doubleOf(-value.value);
  if (typeof value === 'string') return saysFraction(value) ? doubleOf(-numberOf(value)) : long(-longOf(value));
  throw new EvaluationError(`a value of the type ${valueType(value)} has no sign to change`);
}

function remainder(left: Value, right: Value): Value {
  if (left === null && right === null) return 0n;
  if (fractional(left, right)) return doubleOf(numberOf(left) % numberOf(right));
  const dividend = longOf(left);
  const divisor = longOf(right);
  if (divisor === 0n) throw new EvaluationError('the remainder of a division by zero', 'ArithmeticException');
  return long(dividend % divisor);
}

function fractional(left: Value, right: Value): boolean {
  return isFractional(left) || isFractional(right);
}

function isFractional(value: Value): boolean {
  return isDouble(value) || (typeof value === 'string' && saysFraction(value));
}

function saysFraction(text: string): boolean {
  return text.includes('.') || text.includes('e') || text.includes('E');
}

function long(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}
