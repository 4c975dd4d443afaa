import { toBigInt, toDecimal, toDouble, toInt } from './conversions.ts';
import {
  addDecimals,
  compareDecimals,
  divideExactly,
  divideTo,
  multiplyDecimals,
  precisionOf,
  remainderOfDecimals,
  setScale,
  subtractDecimals,
} from './decimal.ts';
import type { Runtime, Value } from './java-class.ts';
import { BigDecimal, BigInteger, Byte, Char, Double, Float, Short } from './numbers.ts';

/** Numbers in the order of promotion: an operation has the type of the higher operand. */
export type Rank = 'int' | 'long' | 'big' | 'decimal' | 'double';

const RANKS: Readonly<Record<Rank, number>> = { int: 0, long: 1, big: 2, decimal: 3, double: 4 };

/** Null for what is not a number. */
export function rankOf(value: Value): Rank | null {
  if (typeof value === 'number') return 'int';
  if (typeof value === 'bigint') return 'long';
  if (value === null || typeof value !== 'object') return null;
  if (value instanceof BigDecimal) return 'decimal';
  if (value instanceof Double || value instanceof Float) return 'double';
  if (value instanceof BigInteger) return 'big';
  return value instanceof Short || value instanceof Byte ? 'int' : null;
}

function higher(left: Rank, right: Rank): Rank {
  return RANKS[left] >= RANKS[right] ? left : right;
}

/** Sum, difference or product of two numbers. */
export function calculate(rt: Runtime, operator: 'plus' | 'minus' | 'multiply', left: Value, right: Value): Value {
  switch (higher(rankOf(left)!, rankOf(right)!)) {
    case 'int': {
      const [a, b] = [toInt(left), toInt(right)];
      return operator === 'plus' ? (a + b) | 0 : operator === 'minus' ? (a - b) | 0 : Math.imul(a, b);
    }
    case 'long':
      return BigInt.asIntN(64, ofBigInts(rt, operator, toBigInt(left), toBigInt(right)));
    case 'big':
      return new BigInteger(ofBigInts(rt, operator, toBigInt(left), toBigInt(right)));
    case 'decimal': {
      const [a, b] = [toDecimal(left), toDecimal(right)];
      checkScales(rt, a, b);
      chargeDigits(rt, a.unscaled, b.unscaled);
      return operator === 'plus'
        ? addDecimals(a, b)
        : operator === 'minus'
          ? subtractDecimals(a, b)
          : multiplyDecimals(a, b);
    }
    default: {
      const [a, b] = [toDouble(left), toDouble(right)];
      return new Double(operator === 'plus' ? a + b : operator === 'minus' ? a - b : a * b);
    }
  }
}

/** Numbers far apart, as 1E+1000000000 + 1, would fill the memory. */
function checkScales(rt: Runtime, left: BigDecimal, right: BigDecimal): void {
  rt.budget.allocate(Math.abs(left.scale - right.scale));
}

function digitsOf(value: bigint): number {
  return value > -0x7fffffffffffffffn && value < 0x7fffffffffffffffn ? 16 : value.toString(16).length;
}

function ofBigInts(rt: Runtime, operator: 'plus' | 'minus' | 'multiply', a: bigint, b: bigint): bigint {
  chargeDigits(rt, a, b);
  return operator === 'plus' ? a + b : operator === 'minus' ? a - b : a * b;
}

/** Work for each digit of base 16: division takes about 0.2 µs for one. */
const UNITS_PER_DIGIT = 10;

/** Charges an operation on two integers of any size. */
function chargeDigits(rt: Runtime, a: bigint, b: bigint): void {
  if (BigInt.asIntN(SMALL_BITS, a) === a && BigInt.asIntN(SMALL_BITS, b) === b) return;
  const digits = digitsOf(a) + digitsOf(b);
  rt.budget.allocate(digits);
  rt.budget.spend(digits * UNITS_PER_DIGIT);
}

/** Integers of so many bits cost no more than any other operation. */
const SMALL_BITS = 256;

/** At least ten digits after the point, and ten more than the operands have. */
const EXTRA_DIGITS = 10;

export function divide(rt: Runtime, left: Value, right: Value): Value {
  if (higher(rankOf(left)!, rankOf(right)!) === 'double') return new Double(toDouble(left) / toDouble(right));
  const [a, b] = [toDecimal(left), toDecimal(right)];
  checkScales(rt, a, b);
  if (b.unscaled === 0n)
    rt.fail('java.lang.ArithmeticException', a.unscaled === 0n ? 'Division undefined' : 'Division by zero');
  chargeDigits(rt, a.unscaled, b.unscaled);
  const exact = divideExactly(a, b);
  if (exact !== null) return exact;
  const precision = Math.max(precisionOf(a.unscaled), precisionOf(b.unscaled)) + EXTRA_DIGITS;
  const quotient = divideTo(a, b, precision, 'HALF_UP');
  const scale = Math.max(a.scale, b.scale, EXTRA_DIGITS);
  return quotient.scale > scale ? setScale(quotient, scale, 'HALF_UP')! : quotient;
}

export function remainder(rt: Runtime, left: Value, right: Value): Value {
  const rank = higher(rankOf(left)!, rankOf(right)!);
  if (rank === 'double') return new Double(toDouble(left) % toDouble(right));
  if (rank === 'decimal') {
    const [a, b] = [toDecimal(left), toDecimal(right)];
    checkScales(rt, a, b);
    if (b.unscaled === 0n) rt.fail('java.lang.ArithmeticException', 'Division by zero');
    chargeDigits(rt, a.unscaled, b.unscaled);
    return remainderOfDecimals(a, b);
  }
  const [a, b] = [toBigInt(left), toBigInt(right)];
  chargeDigits(rt, a, b);
  if (rank === 'big') {
    if (b <= 0n) rt.fail('java.lang.ArithmeticException', 'BigInteger: modulus not positive');
    return new BigInteger(((a % b) + b) % b);
  }
  if (b === 0n) rt.fail('java.lang.ArithmeticException', '/ by zero');
  return rank === 'int' ? Number(a % b) : a % b;
}

export function integerQuotient(rt: Runtime, left: Value, right: Value): Value {
  const rank = higher(rankOf(left)!, rankOf(right)!);
  if (rank === 'double' || rank === 'decimal') {
    rt.fail(
      'java.lang.UnsupportedOperationException',
      `Cannot use intdiv() on this number type: ${rt.classOf(left).name} with value: ${rt.text(left)}`,
    );
  }
  const [a, b] = [toBigInt(left), toBigInt(right)];
  chargeDigits(rt, a, b);
  if (b === 0n) rt.fail('java.lang.ArithmeticException', rank === 'big' ? 'BigInteger divide by zero' : '/ by zero');
  if (rank === 'int') return Number(BigInt.asIntN(32, a / b));
  return rank === 'long' ? BigInt.asIntN(64, a / b) : new BigInteger(a / b);
}

export function power(rt: Runtime, base: Value, exponent: Value): Value {
  const rank = rankOf(base)!;
  if (rankOf(exponent) === 'int' && toInt(exponent) >= 0 && rank !== 'double') {
    const times = toInt(exponent);
    if (rank === 'decimal') {
      const { unscaled, scale } = base as BigDecimal;
      chargePower(rt, unscaled, times);
      return new BigDecimal(unscaled ** BigInt(times), scale * times);
    }
    const value = toBigInt(base);
    chargePower(rt, value, times);
    const result = value ** BigInt(times);
    if (rank === 'big') return new BigInteger(result);
    if (rank === 'int' && BigInt.asIntN(32, result) === result) return Number(result);
    return rank === 'long' && BigInt.asIntN(64, result) === result ? result : new BigInteger(result);
  }
  const result = toDouble(base) ** toDouble(exponent);
  if (Number.isInteger(result) && Math.abs(result) < 2 ** 31) return result;
  if (Number.isInteger(result) && Math.abs(result) < 2 ** 63) return BigInt(result);
  return new Double(result);
}

/** The digits of a result are known before it is made. */
export function chargePower(rt: Runtime, base: bigint, times: number): void {
  if (base >= -1n && base <= 1n) return;
  const digits = Math.ceil(((base < 0n ? -base : base).toString(2).length * times) / 4);
  rt.budget.allocate(digits);
  if (digits > SMALL_BITS) rt.budget.spend(digits * UNITS_PER_DIGIT);
}

export type BitOperator = 'and' | 'or' | 'xor' | 'leftShift' | 'rightShift' | 'rightShiftUnsigned';

/** Null if the operands are not integers. */
export function bitOperation(rt: Runtime, operator: BitOperator, left: Value, right: Value): Value | undefined {
  const isShift = operator.includes('Shift');
  const own = rankOf(left);
  const other = rankOf(right);
  if (own === null || other === null) return undefined;
  const rank = isShift ? own : higher(own, other);
  if (rank === 'double' || rank === 'decimal' || (isShift && (other === 'double' || other === 'decimal'))) {
    const names: Readonly<Record<BitOperator, string>> = {
      and: 'and()',
      or: 'or()',
      xor: 'xor()',
      leftShift: 'leftShift()',
      rightShift: 'rightShift()',
      rightShiftUnsigned: 'rightShiftUnsigned()',
    };
    if (isShift && (other === 'double' || other === 'decimal'))
      rt.fail(
        'java.lang.UnsupportedOperationException',
        `Shift distance must be an integral type, but ${rt.text(right)} (${rt.classOf(right).name}) was supplied`,
      );
    const odd = left;
    rt.fail(
      'java.lang.UnsupportedOperationException',
      `Cannot use ${names[operator]} on this number type: ${rt.classOf(odd).name} with value: ${rt.text(odd)}`,
    );
  }
  if (operator === 'rightShiftUnsigned' && rank === 'big')
    rt.fail(
      'java.lang.UnsupportedOperationException',
      `Cannot use rightShiftUnsigned() on this number type: ${rt.classOf(left).name} with value: ${rt.text(left)}`,
    );
  const [a, b] = [toBigInt(left), toBigInt(right)];
  chargeDigits(rt, a, isShift ? 0n : b);
  if (operator === 'and') return ofRank(rank, a & b);
  if (operator === 'or') return ofRank(rank, a | b);
  if (operator === 'xor') return ofRank(rank, a ^ b);
  const bits = rank === 'int' ? b & 31n : rank === 'long' ? b & 63n : b;
  if (operator === 'leftShift') {
    if (a !== 0n) rt.budget.allocate(Number(bits) / 4);
    return ofRank(rank, a << bits);
  }
  if (operator === 'rightShift' || rank === 'big') return ofRank(rank, a >> bits);
  return ofRank(rank, BigInt.asUintN(rank === 'int' ? 32 : 64, a) >> bits);
}

function ofRank(rank: Rank, value: bigint): Value {
  if (rank === 'int') return Number(BigInt.asIntN(32, value));
  return rank === 'long' ? BigInt.asIntN(64, value) : new BigInteger(value);
}

export function negate(value: Value): Value {
  if (typeof value === 'number') return -value | 0;
  if (typeof value === 'bigint') return BigInt.asIntN(64, -value);
  if (value instanceof BigDecimal) return new BigDecimal(-value.unscaled, value.scale);
  if (value instanceof BigInteger) return new BigInteger(-value.value);
  if (value instanceof Float) return new Float(-value.value);
  if (value instanceof Double) return new Double(-value.value);
  return value instanceof Byte
    ? new Byte((-value.value << 24) >> 24)
    : new Short((-(value as Short).value << 16) >> 16);
}

/** `++` and `--` keep the type of small numbers. */
export function stepped(rt: Runtime, value: Value, by: 1 | -1): Value {
  if (value instanceof Char) return new Char(value.code + by);
  return calculate(rt, 'plus', value, by);
}

export function compareNumbers(left: Value, right: Value): number {
  const rank = higher(rankOf(left) ?? 'int', rankOf(right) ?? 'int');
  if (rank === 'double') return compareDoubles(toDouble(left), toDouble(right));
  if (rank === 'decimal') return compareDecimals(toDecimal(left), toDecimal(right));
  const [a, b] = [toBigInt(left), toBigInt(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Java's order: -0.0 before 0.0, NaN last. */
function compareDoubles(left: number, right: number): number {
  if (left < right) return -1;
  if (left > right) return 1;
  if (Object.is(left, right)) return 0;
  if (left === right) return Object.is(left, -0) ? -1 : 1;
  return Number.isNaN(left) ? 1 : -1;
}
