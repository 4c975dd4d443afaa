import { LONG_MAX, LONG_MIN, type NumberValue, toBigInt, toDouble, toInt, toLong } from '../../values/conversions.ts';
import { decimalOfDouble, type Rounding, setScale } from '../../values/decimal.ts';
import { floatText } from '../../values/floating-text.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { BigDecimal, BigInteger, Byte, Double, Float, Short } from '../../values/numbers.ts';
import { decimalOf, larger, smaller, spendDigits } from '../numeric.ts';
import { parseDouble, parseInteger, parseLong, textOrNull, wholeNumber } from '../strings/conversion-methods.ts';

/** Operators that have one method for all numbers; the others have several, and null fits more than one. */
const SINGLE: ReadonlySet<string> = new Set([
  'mod',
  'power',
  'leftShift',
  'rightShift',
  'rightShiftUnsigned',
  'and',
  'or',
  'xor',
]);
const operators = ['plus', 'minus', 'multiply', 'div', 'intdiv', ...SINGLE, 'compareTo'];

function operatorMethods(): Record<string, LibraryFunction> {
  const methods: Record<string, LibraryFunction> = {};
  for (const name of operators) {
    methods[`${name}(Number)`] =
      name === 'compareTo'
        ? (rt: Runtime, self: Value, [other]: [Value]) => rt.compare(self, other)
        : (rt: Runtime, self: Value, [other]: [Value]) =>
            other === null && SINGLE.has(name) ? nullOperand(rt, name, self) : rt.operator(name, self, other);
  }
  return methods;
}

/** Bits of no number are not supported; all else is an error of Java. */
function nullOperand(rt: Runtime, name: string, self: Value): never {
  if (name === 'and' || name === 'or' || name === 'xor')
    rt.fail(
      'java.lang.UnsupportedOperationException',
      `Cannot use ${name}() on this number type: ${rt.classOf(self).name} with value: ${rt.text(self)}`,
    );
  return rt.fail('java.lang.NullPointerException', null);
}

function* counting(rt: Runtime, from: Value, to: Value, by: 1 | -1, closure: Value): Steps {
  let at = from;
  while (by * rt.compare(at, to) <= 0) {
    rt.budget.spend(1);
    yield* rt.invoke(closure, [at]);
    at = yield* rt.operator(by === 1 ? 'plus' : 'minus', at, 1);
  }
  return null;
}

function* stepping(rt: Runtime, from: Value, to: Value, step: Value, closure: Value): Steps {
  if (to === null || step === null) rt.fail('java.lang.NullPointerException', null);
  const isUp = rt.compare(step, 0) > 0;
  const isEndless = rt.compare(step, 0) === 0 || (isUp ? rt.compare(from, to) > 0 : rt.compare(from, to) < 0);
  if (isEndless)
    rt.fail(
      'groovy.lang.GroovyRuntimeException',
      `Infinite loop in ${rt.text(from)}.step(${rt.text(to)}, ${rt.text(step)})`,
    );
  let at = step instanceof BigDecimal ? decimalOf(from as NumberValue) : from;
  while (isUp ? rt.compare(at, to) < 0 : rt.compare(at, to) > 0) {
    rt.budget.spend(1);
    yield* rt.invoke(closure, [at]);
    at = (yield* rt.operator('plus', at, step)) as typeof at;
  }
  return null;
}

/** Rounds a floating number to so many digits after the point. */
function roundDouble(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.floor(value * factor + 0.5) / factor;
}

function truncDouble(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.trunc(value * factor) / factor;
}

const numberMethods: Readonly<Record<string, LibraryFunction>> = {
  ...operatorMethods(),
  'intValue()': (_rt, self: NumberValue) => toInt(self),
  'longValue()': (_rt, self: NumberValue) => toLong(self),
  'doubleValue()': (_rt, self: NumberValue) => new Double(toDouble(self)),
  'floatValue()': (_rt, self: NumberValue) => new Float(toDouble(self)),
  'shortValue()': (_rt, self: NumberValue) => new Short(toInt(self)),
  'byteValue()': (_rt, self: NumberValue) => new Byte(toInt(self)),
  'toInteger()': (_rt, self: NumberValue) => toInt(self),
  'toLong()': (_rt, self: NumberValue) => toLong(self),
  'toDouble()': (_rt, self: NumberValue) =>
    new Double(self instanceof Float ? Number(floatText(self.value)) : toDouble(self)),
  'toFloat()': (_rt, self: NumberValue) => new Float(toDouble(self)),
  'toBigDecimal()': (_rt, self: NumberValue) => decimalOf(self),
  'toBigInteger()': (_rt, self: NumberValue) => new BigInteger(toBigInt(self)),
  'abs()': (rt, self: Value) => (rt.compare(self, 0) < 0 ? rt.operator('minus', zeroLike(self), self) : self),
  'next()': (rt, self: Value) => rt.operator('plus', self, 1),
  'previous()': (rt, self: Value) => rt.operator('minus', self, 1),
  'unaryMinus()': (rt, self: Value) => unaryMinus(rt, self),
  'unaryPlus()': (_rt, self: Value) => self,
  'asBoolean()': (rt, self: Value) => rt.truth(self),
  'times(Closure)': function* (rt, self: NumberValue, [closure]: [Value]): Steps {
    for (let at = 0; at < toInt(self); at++) {
      rt.budget.spend(1);
      yield* rt.invoke(closure, [at]);
    }
    return null;
  },
  'upto(Number, Closure)': (rt, self: Value, [to, closure]: [Value, Value]) => {
    if (to === null) rt.fail('java.lang.NullPointerException', null);
    if (rt.compare(self, to) > 0) {
      rt.fail(
        'groovy.lang.GroovyRuntimeException',
        `The argument (${rt.text(to)}) to upto() cannot be less than the value (${rt.text(self)}) it's called on.`,
      );
    }
    return counting(rt, self, to, 1, closure);
  },
  'downto(Number, Closure)': (rt, self: Value, [to, closure]: [Value, Value]) => {
    if (to === null) rt.fail('java.lang.NullPointerException', null);
    if (rt.compare(self, to) < 0) {
      rt.fail(
        'groovy.lang.GroovyRuntimeException',
        `The argument (${rt.text(to)}) to downto() cannot be greater than the value (${rt.text(self)}) it's called on.`,
      );
    }
    return counting(rt, self, to, -1, closure);
  },
  'step(Number, Number, Closure)': (rt, self: Value, [to, step, closure]: [Value, Value, Value]) =>
    stepping(rt, self, to, step, closure),
  'isCase(Number)': (rt, self: Value, [value]: [Value]) => rt.equals(self, value),
};

function zeroLike(value: Value): Value {
  return value instanceof Double
    ? new Double(0)
    : value instanceof Float
      ? new Float(0)
      : typeof value === 'bigint'
        ? 0n
        : 0;
}

function unaryMinus(rt: Runtime, self: Value): ReturnType<LibraryFunction> {
  if (self instanceof Double) return new Double(-self.value);
  if (self instanceof Float) return new Float(-self.value);
  return rt.operator('minus', zeroLike(self), self);
}

const radixText = (value: bigint, bits: number, radix: number): string => BigInt.asUintN(bits, value).toString(radix);
const bitCount = (value: bigint): number => value.toString(2).replaceAll('0', '').length;

const integerStatics: Readonly<Record<string, LibraryFunction>> = {
  'parseInt(String)': (rt, _self: Value, [text]: [string | null]) => parseInteger(rt, text),
  'parseInt(String, int)': (rt, _self: Value, [text, radix]: [string, number]) => parseInteger(rt, text, radix),
  'valueOf(String)': (rt, _self: Value, [text]: [string | null]) => parseInteger(rt, text),
  'valueOf(int)': (_rt, _self: Value, [value]: [number]) => value,
  'valueOf(String, int)': (rt, _self: Value, [text, radix]: [string, number]) => parseInteger(rt, text, radix),
  'decode(String)': (rt, _self: Value, [text]: [string]) =>
    /^0[xX]/.test(text)
      ? parseInteger(rt, text.slice(2), 16)
      : parseInteger(rt, text.replace('#', ''), text.startsWith('#') ? 16 : /^0./.test(text) ? 8 : 10),
  'toString(int)': (_rt, _self: Value, [value]: [number]) => String(value),
  'toString(int, int)': (_rt, _self: Value, [value, radix]: [number, number]) => value.toString(radix),
  'toHexString(int)': (_rt, _self: Value, [value]: [number]) => radixText(BigInt(value), 32, 16),
  'toBinaryString(int)': (_rt, _self: Value, [value]: [number]) => radixText(BigInt(value), 32, 2),
  'toOctalString(int)': (_rt, _self: Value, [value]: [number]) => radixText(BigInt(value), 32, 8),
  'compare(int, int)': (_rt, _self: Value, [left, right]: [number, number]) => Math.sign(left - right),
  'max(int, int)': (_rt, _self: Value, [left, right]: [number, number]) => Math.max(left, right),
  'min(int, int)': (_rt, _self: Value, [left, right]: [number, number]) => Math.min(left, right),
  'sum(int, int)': (_rt, _self: Value, [left, right]: [number, number]) => (left + right) | 0,
  'signum(int)': (_rt, _self: Value, [value]: [number]) => Math.sign(value),
  'bitCount(int)': (_rt, _self: Value, [value]: [number]) => bitCount(BigInt.asUintN(32, BigInt(value))),
};

const longStatics: Readonly<Record<string, LibraryFunction>> = {
  'parseLong(String)': (rt, _self: Value, [text]: [string | null]) => parseLong(rt, text),
  'parseLong(String, int)': (rt, _self: Value, [text, radix]: [string, number]) => parseLong(rt, text, radix),
  'valueOf(String)': (rt, _self: Value, [text]: [string | null]) => parseLong(rt, text),
  'valueOf(long)': (_rt, _self: Value, [value]: [bigint]) => value,
  'toString(long)': (_rt, _self: Value, [value]: [bigint]) => String(value),
  'toString(long, int)': (_rt, _self: Value, [value, radix]: [bigint, number]) => value.toString(radix),
  'toHexString(long)': (_rt, _self: Value, [value]: [bigint]) => radixText(value, 64, 16),
  'toBinaryString(long)': (_rt, _self: Value, [value]: [bigint]) => radixText(value, 64, 2),
  'toOctalString(long)': (_rt, _self: Value, [value]: [bigint]) => radixText(value, 64, 8),
  'compare(long, long)': (_rt, _self: Value, [left, right]: [bigint, bigint]) =>
    left < right ? -1 : left > right ? 1 : 0,
  'max(long, long)': (_rt, _self: Value, [left, right]: [bigint, bigint]) => larger(left, right),
  'min(long, long)': (_rt, _self: Value, [left, right]: [bigint, bigint]) => smaller(left, right),
  'sum(long, long)': (_rt, _self: Value, [left, right]: [bigint, bigint]) => BigInt.asIntN(64, left + right),
  'signum(long)': (_rt, _self: Value, [value]: [bigint]) => (value < 0n ? -1 : value > 0n ? 1 : 0),
  'bitCount(long)': (_rt, _self: Value, [value]: [bigint]) => bitCount(BigInt.asUintN(64, value)),
};

/** Java rounds a float to an Integer and a double to a Long. */
function rounded(self: Double | Float): Value {
  const whole = toLong(new Double(Math.floor(self.value + 0.5)));
  return self instanceof Float ? toInt(whole) : whole;
}

function floatingMethods(make: (value: number) => Value): Record<string, LibraryFunction> {
  return {
    'isNaN()': (_rt, self: Double) => Number.isNaN(self.value),
    'isInfinite()': (_rt, self: Double) => Math.abs(self.value) === Number.POSITIVE_INFINITY,
    'round()': (_rt, self: Double | Float) => rounded(self),
    'round(int)': (_rt, self: Double, [digits]: [number]) => make(roundDouble(self.value, digits)),
    'trunc()': (_rt, self: Double) => make(Math.trunc(self.value)),
    'trunc(int)': (_rt, self: Double, [digits]: [number]) => make(truncDouble(self.value, digits)),
    'abs()': (_rt, self: Double) => make(Math.abs(self.value)),
    'toBigDecimal()': (_rt, self: Double) => decimalOfDouble(self.value),
  };
}

export const numberClasses: readonly ClassSpec[] = [
  { name: 'java.lang.Number', methods: numberMethods },
  {
    name: 'java.lang.Integer',
    statics: integerStatics,
    constants: { MAX_VALUE: 0x7fffffff, MIN_VALUE: -0x80000000, SIZE: 32, BYTES: 4 },
    constructors: {
      '(int)': (_rt, _self: Value, [value]: [number]) => value,
      '(String)': (rt, _self: Value, [text]: [string]) => parseInteger(rt, text),
    },
    methods: {
      'bitwiseNegate()': (_rt, self: number) => ~self,
    },
  },
  {
    name: 'java.lang.Long',
    statics: longStatics,
    constants: { MAX_VALUE: LONG_MAX, MIN_VALUE: LONG_MIN, SIZE: 64, BYTES: 8 },
    constructors: {
      '(long)': (_rt, _self: Value, [value]: [bigint]) => value,
      '(String)': (rt, _self: Value, [text]: [string]) => parseLong(rt, text),
    },
    methods: { 'bitwiseNegate()': (_rt, self: bigint) => ~self },
  },
  {
    name: 'java.lang.Double',
    methods: floatingMethods((value) => new Double(value)),
    statics: {
      'parseDouble(String)': (rt, _self: Value, [text]: [string | null]) => new Double(parseDouble(rt, text)),
      'valueOf(String)': (rt, _self: Value, [text]: [string | null]) => new Double(parseDouble(rt, text)),
      'valueOf(double)': (_rt, _self: Value, [value]: [Double]) => value,
      'toString(double)': (rt, _self: Value, [value]: [Double]) => rt.text(value),
      'isNaN(double)': (_rt, _self: Value, [value]: [Double]) => Number.isNaN(value.value),
      'isInfinite(double)': (_rt, _self: Value, [value]: [Double]) =>
        Math.abs(value.value) === Number.POSITIVE_INFINITY,
      'isFinite(double)': (_rt, _self: Value, [value]: [Double]) => Number.isFinite(value.value),
      'compare(double, double)': (rt, _self: Value, [left, right]: [Double, Double]) => rt.compare(left, right),
    },
    constants: {
      MAX_VALUE: () => new Double(Number.MAX_VALUE),
      MIN_VALUE: () => new Double(Number.MIN_VALUE),
      NaN: () => new Double(Number.NaN),
      POSITIVE_INFINITY: () => new Double(Number.POSITIVE_INFINITY),
      NEGATIVE_INFINITY: () => new Double(Number.NEGATIVE_INFINITY),
    },
    constructors: {
      '(double)': (_rt, _self: Value, [value]: [Double]) => value,
      '(String)': (rt, _self: Value, [text]: [string]) => new Double(parseDouble(rt, text)),
    },
  },
  {
    name: 'java.lang.Float',
    methods: floatingMethods((value) => new Float(value)),
    statics: {
      'parseFloat(String)': (rt, _self: Value, [text]: [string | null]) => new Float(parseDouble(rt, text)),
      'valueOf(String)': (rt, _self: Value, [text]: [string | null]) => new Float(parseDouble(rt, text)),
    },
    constants: { MAX_VALUE: () => new Float(3.4028234663852886e38), NaN: () => new Float(Number.NaN) },
  },
  {
    name: 'java.lang.Short',
    constants: { MAX_VALUE: () => new Short(0x7fff), MIN_VALUE: () => new Short(-0x8000) },
    statics: { 'parseShort(String)': (rt, _self: Value, [text]: [string]) => new Short(small(rt, text, 16)) },
  },
  {
    name: 'java.lang.Byte',
    constants: { MAX_VALUE: () => new Byte(0x7f), MIN_VALUE: () => new Byte(-0x80) },
    statics: {
      'parseByte(String)': (rt, _self: Value, [text]: [string]) => new Byte(small(rt, text, 8)),
      'toUnsignedInt(byte)': (_rt, _self: Value, [value]: [Byte]) => value.value & 0xff,
    },
  },
  {
    name: 'java.lang.Boolean',
    statics: {
      'parseBoolean(String)': (rt, _self: Value, [text]: [Value]) => textOrNull(rt, text)?.toLowerCase() === 'true',
      'valueOf(String)': (rt, _self: Value, [text]: [Value]) => textOrNull(rt, text)?.toLowerCase() === 'true',
      'valueOf(boolean)': (_rt, _self: Value, [value]: [boolean]) => value,
      'toString(boolean)': (_rt, _self: Value, [value]: [boolean]) => String(value),
      'logicalAnd(boolean, boolean)': (_rt, _self: Value, [left, right]: [boolean, boolean]) => left && right,
      'logicalOr(boolean, boolean)': (_rt, _self: Value, [left, right]: [boolean, boolean]) => left || right,
    },
    constants: { TRUE: true, FALSE: false },
    methods: {
      'booleanValue()': (_rt, self: boolean) => self,
      'and(Boolean)': (_rt, self: boolean, [other]: [boolean | null]) => self && other === true,
      'or(Boolean)': (_rt, self: boolean, [other]: [boolean]) => self || other,
      'xor(Boolean)': (_rt, self: boolean, [other]: [boolean]) => self !== other,
      'implies(Boolean)': (_rt, self: boolean, [other]: [boolean]) => !self || other,
      'asBoolean()': (_rt, self: boolean) => self,
    },
  },
];

function small(rt: Runtime, text: string, bits: number): number {
  const value = wholeNumber(text, 10, bits);
  if (value !== null) return Number(value);
  const wide = wholeNumber(text, 10, 32);
  if (wide === null) return rt.fail('java.lang.NumberFormatException', `For input string: "${text}"`);
  return rt.fail('java.lang.NumberFormatException', `Value out of range. Value:"${text}" Radix:10`);
}

/** Rounds a decimal, or throws what Java throws where no rounding is allowed. */
export function scaled(rt: Runtime, value: BigDecimal, scale: number, rounding: Rounding): BigDecimal {
  spendDigits(rt, Math.abs(scale - value.scale) + 1);
  return setScale(value, scale, rounding) ?? rt.fail('java.lang.ArithmeticException', 'Rounding necessary');
}
