import { ArrayValue } from '../../values/collections.ts';
import { LONG_MAX, LONG_MIN, toBigInt } from '../../values/conversions.ts';
import {
  addDecimals,
  compareDecimals,
  divideExactly,
  divideTo,
  multiplyDecimals,
  plainText,
  precisionOf,
  type Rounding,
  roundTo,
  stripTo,
  subtractDecimals,
} from '../../values/decimal.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { BigDecimal, BigInteger, type Double } from '../../values/numbers.ts';
import { larger, smaller, spendDigits } from '../numeric.ts';
import { parseBigDecimal, parseBigInteger } from '../strings/conversion-methods.ts';
import { scaled } from './number-classes.ts';

/** A constant of an enum of Java. */
export class EnumConstant implements Obj {
  readonly javaClass: JavaClass;
  readonly name: string;
  readonly ordinal: number;

  constructor(javaClass: JavaClass, name: string, ordinal: number) {
    this.javaClass = javaClass;
    this.name = name;
    this.ordinal = ordinal;
  }

  text(): string {
    return this.name;
  }

  equals(other: Value): boolean {
    return other instanceof EnumConstant && other.javaClass === this.javaClass && other.name === this.name;
  }

  hash(): number {
    return this.ordinal + 31;
  }

  compare(other: Value): number {
    return other instanceof EnumConstant ? this.ordinal - other.ordinal : 1;
  }

  key(): string {
    return `\u0001enum${this.javaClass.name}.${this.name}`;
  }
}

/** The class of an enum with these constants. */
export function enumSpec(name: string, names: readonly string[], more: Partial<ClassSpec> = {}): ClassSpec {
  const made = (rt: Runtime, at: number): EnumConstant => new EnumConstant(rt.class(name), names[at]!, at);
  return {
    name,
    kind: 'enum',
    superclass: 'java.lang.Enum',
    ...more,
    constants: {
      ...Object.fromEntries(names.map((each, at) => [each, (rt: Runtime): Value => made(rt, at)])),
      ...more.constants,
    },
    statics: {
      'valueOf(String)': (rt: Runtime, _self: Value, [wanted]: [string]) =>
        names.includes(wanted)
          ? made(rt, names.indexOf(wanted))
          : rt.fail('java.lang.IllegalArgumentException', `No enum constant ${name.replaceAll('$', '.')}.${wanted}`),
      'values()': (rt: Runtime) =>
        new ArrayValue(
          rt.class(name),
          names.map((_, at) => made(rt, at)),
        ),
      ...more.statics,
    },
    methods: {
      'name()': (_rt: Runtime, self: EnumConstant) => self.name,
      'ordinal()': (_rt: Runtime, self: EnumConstant) => self.ordinal,
      ...more.methods,
    },
  };
}

const roundings: readonly Rounding[] = [
  'UP',
  'DOWN',
  'CEILING',
  'FLOOR',
  'HALF_UP',
  'HALF_DOWN',
  'HALF_EVEN',
  'UNNECESSARY',
];

function roundingOf(rt: Runtime, value: Value): Rounding {
  if (value instanceof EnumConstant) return value.name as Rounding;
  const rounding = typeof value === 'number' ? roundings[value] : undefined;
  return rounding ?? rt.fail('java.lang.IllegalArgumentException', 'Invalid rounding mode');
}

function charged(rt: Runtime, ...values: readonly BigDecimal[]): void {
  for (const { unscaled, scale } of values) spendDigits(rt, precisionOf(unscaled) + Math.abs(scale));
}

type Two = [BigDecimal, BigDecimal];

const arithmetic =
  (run: (...values: Two) => BigDecimal): LibraryFunction =>
  (rt: Runtime, self: BigDecimal, [other]: [BigDecimal]) => {
    charged(rt, self, other);
    return run(self, other);
  };

function divided(rt: Runtime, left: BigDecimal, right: BigDecimal): BigDecimal {
  charged(rt, left, right);
  if (right.unscaled === 0n)
    return rt.fail('java.lang.ArithmeticException', left.unscaled === 0n ? 'Division undefined' : 'Division by zero');
  return (
    divideExactly(left, right) ??
    rt.fail(
      'java.lang.ArithmeticException',
      'Non-terminating decimal expansion; no exact representable decimal result.',
    )
  );
}

function dividedTo(rt: Runtime, left: BigDecimal, right: BigDecimal, scale: number, rounding: Rounding): BigDecimal {
  charged(rt, left, right);
  if (right.unscaled === 0n) return rt.fail('java.lang.ArithmeticException', 'Division by zero');
  const digits =
    Math.max(1, precisionOf(left.unscaled) - left.scale - (precisionOf(right.unscaled) - right.scale) + 1 + scale) + 3;
  const exact = divideExactly(left, right);
  // Digits beyond those kept are only asked for their side of the half.
  return scaled(rt, exact ?? divideTo(left, right, digits + 20, 'DOWN'), scale, rounding);
}

const big = (value: bigint): BigInteger => new BigInteger(value);

const whole =
  (run: (left: bigint, right: bigint, rt: Runtime) => bigint): LibraryFunction =>
  (rt: Runtime, self: BigInteger, [other]: [BigInteger]) => {
    spendDigits(rt, (self.value.toString(16).length + other.value.toString(16).length) * 2);
    return big(run(self.value, other.value, rt));
  };

function notZero(rt: Runtime, divisor: bigint): void {
  if (divisor === 0n) rt.fail('java.lang.ArithmeticException', 'BigInteger divide by zero');
}

function exact(rt: Runtime, value: bigint, bits: 32 | 64): number | bigint {
  const fits = BigInt.asIntN(bits, value) === value;
  if (!fits) rt.fail('java.lang.ArithmeticException', `BigInteger out of ${bits === 32 ? 'int' : 'long'} range`);
  return bits === 32 ? Number(value) : value;
}

function power(rt: Runtime, base: bigint, exponent: number): bigint {
  if (exponent < 0) rt.fail('java.lang.ArithmeticException', 'Negative exponent');
  spendDigits(rt, base.toString(16).length * exponent * 2);
  return base ** BigInt(exponent);
}

function modPow(rt: Runtime, base: bigint, exponent: bigint, modulus: bigint): bigint {
  spendDigits(rt, modulus.toString(16).length * exponent.toString(2).length);
  let result = 1n;
  let factor = base % modulus;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * factor) % modulus;
    factor = (factor * factor) % modulus;
  }
  return (result + modulus) % modulus;
}

export const bigClasses: readonly ClassSpec[] = [
  enumSpec('java.math.RoundingMode', roundings),
  {
    name: 'java.math.BigDecimal',
    constants: {
      ZERO: () => new BigDecimal(0n, 0),
      ONE: () => new BigDecimal(1n, 0),
      TEN: () => new BigDecimal(10n, 0),
      ROUND_UP: 0,
      ROUND_DOWN: 1,
      ROUND_HALF_UP: 4,
      ROUND_HALF_EVEN: 6,
    },
    statics: {
      'valueOf(long)': (_rt, _self: Value, [value]: [bigint]) => new BigDecimal(value, 0),
      'valueOf(long, int)': (_rt, _self: Value, [value, scale]: [bigint, number]) => new BigDecimal(value, scale),
      'valueOf(double)': (rt, _self: Value, [value]: [Double]) => parseBigDecimal(rt, rt.text(value)),
    },
    constructors: {
      '(String)': (rt, _self: Value, [text]: [string]) => parseBigDecimal(rt, text),
      '(int)': (_rt, _self: Value, [value]: [number]) => new BigDecimal(BigInt(value), 0),
      '(long)': (_rt, _self: Value, [value]: [bigint]) => new BigDecimal(value, 0),
      '(double)': (rt, _self: Value, [value]: [Double]) => exactDecimal(rt, value.value),
      '(BigInteger)': (_rt, _self: Value, [value]: [BigInteger]) => new BigDecimal(value.value, 0),
      '(BigInteger, int)': (_rt, _self: Value, [value, scale]: [BigInteger, number]) =>
        new BigDecimal(value.value, scale),
    },
    methods: {
      'add(BigDecimal)': arithmetic(addDecimals),
      'subtract(BigDecimal)': arithmetic(subtractDecimals),
      'multiply(BigDecimal)': arithmetic(multiplyDecimals),
      'divide(BigDecimal)': (rt, self: BigDecimal, [other]: [BigDecimal]) => divided(rt, self, other),
      'divide(BigDecimal, java.math.RoundingMode)': (rt, self: BigDecimal, [other, mode]: [BigDecimal, Value]) =>
        dividedTo(rt, self, other, self.scale, roundingOf(rt, mode)),
      'divide(BigDecimal, int, java.math.RoundingMode)': (
        rt,
        self: BigDecimal,
        [other, scale, mode]: [BigDecimal, number, Value],
      ) => dividedTo(rt, self, other, scale, roundingOf(rt, mode)),
      'divide(BigDecimal, int, int)': (rt, self: BigDecimal, [other, scale, mode]: [BigDecimal, number, Value]) =>
        dividedTo(rt, self, other, scale, roundingOf(rt, mode)),
      'setScale(int)': (rt, self: BigDecimal, [scale]: [number]) => scaled(rt, self, scale, 'UNNECESSARY'),
      'setScale(int, java.math.RoundingMode)': (rt, self: BigDecimal, [scale, mode]: [number, Value]) =>
        scaled(rt, self, scale, roundingOf(rt, mode)),
      'setScale(int, int)': (rt, self: BigDecimal, [scale, mode]: [number, Value]) =>
        scaled(rt, self, scale, roundingOf(rt, mode)),
      'round()': (rt, self: BigDecimal) => scaled(rt, self, 0, 'HALF_UP'),
      'round(int)': (rt, self: BigDecimal, [scale]: [number]) => scaled(rt, self, scale, 'HALF_UP'),
      'trunc()': (rt, self: BigDecimal) => scaled(rt, self, 0, 'DOWN'),
      'trunc(int)': (rt, self: BigDecimal, [scale]: [number]) => scaled(rt, self, scale, 'DOWN'),
      'scale()': (_rt, self: BigDecimal) => self.scale,
      'precision()': (_rt, self: BigDecimal) => precisionOf(self.unscaled),
      'unscaledValue()': (_rt, self: BigDecimal) => big(self.unscaled),
      'signum()': (_rt, self: BigDecimal) => (self.unscaled < 0n ? -1 : self.unscaled > 0n ? 1 : 0),
      'negate()': (_rt, self: BigDecimal) => new BigDecimal(-self.unscaled, self.scale),
      'abs()': (_rt, self: BigDecimal) =>
        new BigDecimal(self.unscaled < 0n ? -self.unscaled : self.unscaled, self.scale),
      'stripTrailingZeros()': (_rt, self: BigDecimal) =>
        self.unscaled === 0n ? new BigDecimal(0n, 0) : stripTo(self, -1000),
      'toPlainString()': (rt, self: BigDecimal) => {
        spendDigits(rt, Math.abs(self.scale));
        return plainText(self);
      },
      'toBigInteger()': (_rt, self: BigDecimal) => big(toBigInt(self)),
      'max(BigDecimal)': (_rt, self: BigDecimal, [other]: [BigDecimal]) =>
        compareDecimals(self, other) >= 0 ? self : other,
      'min(BigDecimal)': (_rt, self: BigDecimal, [other]: [BigDecimal]) =>
        compareDecimals(self, other) <= 0 ? self : other,
      'movePointLeft(int)': (rt, self: BigDecimal, [places]: [number]) => pointMoved(rt, self, places),
      'movePointRight(int)': (rt, self: BigDecimal, [places]: [number]) => pointMoved(rt, self, -places),
      'pow(int)': (rt, self: BigDecimal, [exponent]: [number]) =>
        new BigDecimal(power(rt, self.unscaled, exponent), self.scale * exponent),
      'intValueExact()': (rt, self: BigDecimal) => exactly(rt, self, 32),
      'longValueExact()': (rt, self: BigDecimal) => exactly(rt, self, 64),
    },
  },
  {
    name: 'java.math.BigInteger',
    constants: { ZERO: () => big(0n), ONE: () => big(1n), TWO: () => big(2n), TEN: () => big(10n) },
    statics: { 'valueOf(long)': (_rt, _self: Value, [value]: [bigint]) => big(value) },
    constructors: {
      '(String)': (rt, _self: Value, [text]: [string]) => parseBigInteger(rt, text),
      '(String, int)': (rt, _self: Value, [text, radix]: [string, number]) => {
        if (radix < 2 || radix > 36) rt.fail('java.lang.NumberFormatException', 'Radix out of range');
        return parseBigInteger(rt, text, radix);
      },
      '(int, byte[])': (rt, _self: Value, [sign, array]: [number, { bytes: Uint8Array }]) => {
        spendDigits(rt, array.bytes.length);
        const size = array.bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(array.bytes).toString('hex')}`);
        return big(sign < 0 ? -size : size);
      },
    },
    methods: {
      'add(BigInteger)': whole((left, right) => left + right),
      'subtract(BigInteger)': whole((left, right) => left - right),
      'multiply(BigInteger)': whole((left, right) => left * right),
      'divide(BigInteger)': whole((left, right, rt) => {
        notZero(rt, right);
        return left / right;
      }),
      'remainder(BigInteger)': whole((left, right, rt) => {
        notZero(rt, right);
        return left % right;
      }),
      'mod(BigInteger)': whole((left, right, rt) => {
        if (right <= 0n) rt.fail('java.lang.ArithmeticException', 'BigInteger: modulus not positive');
        return ((left % right) + right) % right;
      }),
      'gcd(BigInteger)': whole((left, right) => {
        let [a, b] = [left < 0n ? -left : left, right < 0n ? -right : right];
        while (b !== 0n) [a, b] = [b, a % b];
        return a;
      }),
      'and(BigInteger)': whole((left, right) => left & right),
      'or(BigInteger)': whole((left, right) => left | right),
      'xor(BigInteger)': whole((left, right) => left ^ right),
      'max(BigInteger)': whole(larger),
      'min(BigInteger)': whole(smaller),
      'pow(int)': (rt, self: BigInteger, [exponent]: [number]) => big(power(rt, self.value, exponent)),
      'modPow(BigInteger, BigInteger)': (rt, self: BigInteger, [exponent, modulus]: [BigInteger, BigInteger]) =>
        big(modPow(rt, self.value, exponent.value, modulus.value)),
      'negate()': (_rt, self: BigInteger) => big(-self.value),
      'abs()': (_rt, self: BigInteger) => big(self.value < 0n ? -self.value : self.value),
      'signum()': (_rt, self: BigInteger) => (self.value < 0n ? -1 : self.value > 0n ? 1 : 0),
      'bitLength()': (_rt, self: BigInteger) =>
        (self.value < 0n ? ~self.value : self.value).toString(2).replace(/^0$/, '').length,
      'shiftLeft(int)': (rt, self: BigInteger, [bits]: [number]) => {
        spendDigits(rt, Math.abs(bits) / 3);
        return big(self.value << BigInt(bits));
      },
      'shiftRight(int)': (_rt, self: BigInteger, [bits]: [number]) => big(self.value >> BigInt(bits)),
      'testBit(int)': (_rt, self: BigInteger, [bit]: [number]) => ((self.value >> BigInt(bit)) & 1n) === 1n,
      'toString(int)': (rt, self: BigInteger, [radix]: [number]) => {
        spendDigits(rt, self.value.toString(16).length);
        return self.value.toString(radix >= 2 && radix <= 36 ? radix : 10);
      },
      'intValueExact()': (rt, self: BigInteger) => exact(rt, self.value, 32),
      'longValueExact()': (rt, self: BigInteger) => exact(rt, self.value, 64),
    },
  },
];

function pointMoved(rt: Runtime, value: BigDecimal, places: number): BigDecimal {
  const scale = value.scale + places;
  return scale < 0
    ? scaled(rt, new BigDecimal(value.unscaled, scale), 0, 'UNNECESSARY')
    : new BigDecimal(value.unscaled, scale);
}

function exactly(rt: Runtime, value: BigDecimal, bits: 32 | 64): number | bigint {
  const rounded = scaled(rt, value, 0, 'UNNECESSARY').unscaled;
  if (rounded > LONG_MAX || rounded < LONG_MIN || BigInt.asIntN(bits, rounded) !== rounded)
    return rt.fail('java.lang.ArithmeticException', 'Overflow');
  return bits === 32 ? Number(rounded) : rounded;
}

/** `new BigDecimal(double)`: the exact value of the binary number. */
function exactDecimal(rt: Runtime, value: number): BigDecimal {
  if (!Number.isFinite(value)) return rt.fail('java.lang.NumberFormatException', 'Infinite or NaN');
  let scale = 0;
  let number = value;
  while (!Number.isInteger(number)) {
    number *= 2;
    scale++;
  }
  const decimal = new BigDecimal(BigInt(number) * 5n ** BigInt(scale), scale);
  return roundTo(decimal, 0, 'HALF_UP') ?? decimal;
}
