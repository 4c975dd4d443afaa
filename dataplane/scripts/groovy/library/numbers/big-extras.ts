import { ArrayValue, ByteArray } from '../../values/collections.ts';
import type { NumberValue } from '../../values/conversions.ts';
import { divideTo, precisionOf, type Rounding, setScale, stripTo } from '../../values/decimal.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { BigDecimal, BigInteger, type Double } from '../../values/numbers.ts';
import { decimalOf, spendDigits } from '../numeric.ts';
import { parseBigDecimal } from '../strings/conversion-methods.ts';
import type { EnumConstant } from './big-classes.ts';

const CONTEXT = 'java.math.MathContext';

/** Number of digits that a result keeps, and its rounding. */
class MathContext implements Obj {
  readonly javaClass: JavaClass;
  readonly precision: number;
  readonly rounding: Rounding;

  constructor(rt: Runtime, precision: number, rounding: Rounding = 'HALF_UP') {
    if (precision < 0) rt.fail('java.lang.IllegalArgumentException', 'Digits < 0');
    this.javaClass = rt.class(CONTEXT);
    this.precision = precision;
    this.rounding = rounding;
  }

  text(): string {
    return `precision=${this.precision} roundingMode=${this.rounding}`;
  }

  equals(other: Value): boolean {
    return other instanceof MathContext && other.text() === this.text();
  }

  key(): string {
    return `\u0001${this.text()}`;
  }
}

function rounded(rt: Runtime, value: BigDecimal, { precision, rounding }: MathContext): BigDecimal {
  const digits = precisionOf(value.unscaled);
  spendDigits(rt, digits);
  if (precision === 0 || digits <= precision) return value;
  const cut =
    setScale(value, value.scale - (digits - precision), rounding) ??
    rt.fail('java.lang.ArithmeticException', 'Rounding necessary');
  return precisionOf(cut.unscaled) > precision ? setScale(cut, cut.scale - 1, rounding)! : cut;
}

/** Exact digits enough to round to the precision, without the zeros that Java drops. */
function divided(rt: Runtime, left: BigDecimal, right: BigDecimal, context: MathContext): Value {
  if (right.unscaled === 0n)
    return rt.fail('java.lang.ArithmeticException', left.unscaled === 0n ? 'Division undefined' : 'Division by zero');
  if (context.precision === 0) return rt.now(rt.call(left, 'divide', [right]));
  spendDigits(rt, context.precision + precisionOf(left.unscaled) + precisionOf(right.unscaled));
  const scale = left.scale - right.scale;
  if (left.unscaled === 0n) return new BigDecimal(0n, scale);
  const result = divideTo(left, right, context.precision, context.rounding);
  return stripTo(result, scale);
}

/** The integral part of a quotient, with the scale that Java prefers. */
function quotient(rt: Runtime, left: BigDecimal, right: BigDecimal): BigDecimal {
  if (right.unscaled === 0n)
    return rt.fail('java.lang.ArithmeticException', left.unscaled === 0n ? 'Division undefined' : 'Division by zero');
  spendDigits(rt, precisionOf(left.unscaled) + precisionOf(right.unscaled) + Math.abs(left.scale - right.scale));
  const shift = right.scale - left.scale;
  const whole =
    shift >= 0
      ? (left.unscaled * 10n ** BigInt(shift)) / right.unscaled
      : left.unscaled / (right.unscaled * 10n ** BigInt(-shift));
  const preferred = left.scale - right.scale;
  const result = new BigDecimal(whole, 0);
  return preferred > 0 ? setScale(result, preferred, 'DOWN')! : stripTo(result, preferred);
}

function root(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

function squareRoot(rt: Runtime, value: BigDecimal, context: MathContext): BigDecimal {
  if (value.unscaled < 0n) rt.fail('java.lang.ArithmeticException', 'Attempted square root of negative BigDecimal');
  const digits = 2 * context.precision + 4;
  spendDigits(rt, digits + precisionOf(value.unscaled) + Math.abs(value.scale));
  const preferred = Math.trunc(value.scale / 2);
  if (value.unscaled === 0n) return new BigDecimal(0n, preferred);
  const shift = Math.max(0, digits - precisionOf(value.unscaled));
  const even = (value.scale + shift) % 2 === 0 ? shift : shift + 1;
  const scaled = value.unscaled * 10n ** BigInt(even);
  const result = root(scaled);
  const exact = result * result === scaled;
  const scale = (value.scale + even) / 2;
  const cut = rounded(rt, new BigDecimal(exact ? result : result * 10n + 1n, exact ? scale : scale + 1), context);
  return exact ? stripTo(cut, preferred) : cut;
}

function engineering(value: BigDecimal): string {
  const digits = (value.unscaled < 0n ? -value.unscaled : value.unscaled).toString();
  const exponent = digits.length - 1 - value.scale;
  const sign = value.unscaled < 0n ? '-' : '';
  if (value.scale >= 0 && exponent >= -6) {
    if (value.scale === 0) return sign + digits;
    const padded = digits.padStart(value.scale + 1, '0');
    return `${sign}${padded.slice(0, -value.scale)}.${padded.slice(-value.scale)}`;
  }
  const shift = ((exponent % 3) + 3) % 3;
  const whole = digits.padEnd(shift + 1, '0');
  const power = exponent - shift;
  const fraction = whole.slice(shift + 1);
  return `${sign}${whole.slice(0, shift + 1)}${fraction === '' ? '' : `.${fraction}`}${power === 0 ? '' : `E${power > 0 ? '+' : ''}${power}`}`;
}

const withContext =
  (name: 'add' | 'subtract' | 'multiply'): LibraryFunction =>
  (rt: Runtime, self: BigDecimal, [other, context]: [BigDecimal, MathContext]) =>
    rounded(rt, rt.now(rt.call(self, name, [other])) as BigDecimal, context);

const decimalClass: ClassSpec = {
  name: 'java.math.BigDecimal',
  constants: { ROUND_CEILING: 2, ROUND_FLOOR: 3, ROUND_HALF_DOWN: 5, ROUND_UNNECESSARY: 7 },
  constructors: {
    [`(String, ${CONTEXT})`]: (rt: Runtime, _self: Value, [text, context]: [string, MathContext]) =>
      rounded(rt, parseBigDecimal(rt, text), context),
    [`(double, ${CONTEXT})`]: (rt: Runtime, _self: Value, [value, context]: [Double, MathContext]) =>
      rounded(rt, rt.now(rt.construct(rt.class('java.math.BigDecimal'), [value])) as BigDecimal, context),
    [`(int, ${CONTEXT})`]: (rt: Runtime, _self: Value, [value, context]: [NumberValue, MathContext]) =>
      rounded(rt, decimalOf(value), context),
  },
  methods: {
    [`add(BigDecimal, ${CONTEXT})`]: withContext('add'),
    [`subtract(BigDecimal, ${CONTEXT})`]: withContext('subtract'),
    [`multiply(BigDecimal, ${CONTEXT})`]: withContext('multiply'),
    [`divide(BigDecimal, ${CONTEXT})`]: (rt: Runtime, self: BigDecimal, [other, context]: [BigDecimal, MathContext]) =>
      divided(rt, self, other, context),
    [`round(${CONTEXT})`]: (rt: Runtime, self: BigDecimal, [context]: [MathContext]) => rounded(rt, self, context),
    [`plus(${CONTEXT})`]: (rt: Runtime, self: BigDecimal, [context]: [MathContext]) => rounded(rt, self, context),
    [`negate(${CONTEXT})`]: (rt: Runtime, self: BigDecimal, [context]: [MathContext]) =>
      rounded(rt, new BigDecimal(-self.unscaled, self.scale), context),
    [`sqrt(${CONTEXT})`]: (rt: Runtime, self: BigDecimal, [context]: [MathContext]) => squareRoot(rt, self, context),
    'divideToIntegralValue(BigDecimal)': (rt, self: BigDecimal, [other]: [BigDecimal]) => quotient(rt, self, other),
    'remainder(BigDecimal)': (rt, self: BigDecimal, [other]: [BigDecimal]) => remainder(rt, self, other),
    'divideAndRemainder(BigDecimal)': (rt, self: BigDecimal, [other]: [BigDecimal]) =>
      new ArrayValue(rt.class('java.math.BigDecimal'), [quotient(rt, self, other), remainder(rt, self, other)]),
    'ulp()': (_rt, self: BigDecimal) => new BigDecimal(1n, self.scale),
    'scaleByPowerOfTen(int)': (_rt, self: BigDecimal, [by]: [number]) => new BigDecimal(self.unscaled, self.scale - by),
    'toEngineeringString()': (rt, self: BigDecimal) => {
      spendDigits(rt, precisionOf(self.unscaled) + (self.scale > 0 ? Math.min(self.scale, 10) : 3));
      return engineering(self);
    },
    'toBigIntegerExact()': (rt, self: BigDecimal) => {
      spendDigits(rt, precisionOf(self.unscaled) + Math.abs(self.scale));
      const whole = setScale(self, 0, 'UNNECESSARY') ?? rt.fail('java.lang.ArithmeticException', 'Rounding necessary');
      return new BigInteger(whole.unscaled);
    },
  },
};

function remainder(rt: Runtime, left: BigDecimal, right: BigDecimal): BigDecimal {
  const whole = quotient(rt, left, right);
  const product = rt.now(rt.call(whole, 'multiply', [right]));
  return rt.now(rt.call(left, 'subtract', [product])) as BigDecimal;
}

const big = (value: bigint): BigInteger => new BigInteger(value);

function charge(rt: Runtime, ...values: readonly BigInteger[]): void {
  for (const { value } of values) spendDigits(rt, value.toString(16).length * 2);
}

function bytesOf(rt: Runtime, { value }: BigInteger): ByteArray {
  const length = Math.floor((value < 0n ? ~value : value).toString(2).replace(/^0$/, '').length / 8) + 1;
  rt.budget.allocate(length);
  const digits = BigInt.asUintN(length * 8, value).toString(16);
  return new ByteArray(new Uint8Array(Buffer.from(digits.padStart(length * 2, '0'), 'hex')));
}

function inverse(rt: Runtime, value: bigint, modulus: bigint): bigint {
  if (modulus <= 0n) rt.fail('java.lang.ArithmeticException', 'BigInteger: modulus not positive');
  let [a, b] = [((value % modulus) + modulus) % modulus, modulus];
  let [x, y] = [1n, 0n];
  while (b !== 0n) {
    rt.budget.spend(4);
    const part = a / b;
    [a, b] = [b, a % b];
    [x, y] = [y, x - part * y];
  }
  if (a !== 1n) rt.fail('java.lang.ArithmeticException', 'BigInteger not invertible.');
  return ((x % modulus) + modulus) % modulus;
}

const SMALL_PRIMES = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n] as const;

/** Miller and Rabin's test with fixed bases: certain below 3.3e24, and beyond all doubt above. */
function isPrime(rt: Runtime, value: bigint): boolean {
  if (value < 2n) return false;
  for (const prime of SMALL_PRIMES) if (value % prime === 0n) return value === prime;
  let odd = value - 1n;
  let twos = 0;
  while ((odd & 1n) === 0n) {
    odd >>= 1n;
    twos++;
  }
  return SMALL_PRIMES.every((base) => {
    let power = rt.now(rt.call(big(base), 'modPow', [big(odd), big(value)])) as BigInteger;
    if (power.value === 1n || power.value === value - 1n) return true;
    for (let turn = 1; turn < twos; turn++) {
      charge(rt, power);
      power = big((power.value * power.value) % value);
      if (power.value === value - 1n) return true;
    }
    return false;
  });
}

function notZero(rt: Runtime, divisor: bigint): void {
  if (divisor === 0n) rt.fail('java.lang.ArithmeticException', 'BigInteger divide by zero');
}

function bit(rt: Runtime, at: number): bigint {
  if (at < 0) rt.fail('java.lang.ArithmeticException', 'Negative bit address');
  spendDigits(rt, at / 3);
  return 1n << BigInt(at);
}

const integerClass: ClassSpec = {
  name: 'java.math.BigInteger',
  constructors: {
    '(byte[])': (rt, _self: Value, [array]: [ByteArray]) => {
      if (array.bytes.length === 0) rt.fail('java.lang.NumberFormatException', 'Zero length BigInteger');
      spendDigits(rt, array.bytes.length);
      return big(BigInt.asIntN(array.bytes.length * 8, BigInt(`0x${Buffer.from(array.bytes).toString('hex')}`)));
    },
  },
  methods: {
    'toByteArray()': (rt, self: BigInteger) => bytesOf(rt, self),
    'modInverse(BigInteger)': (rt, self: BigInteger, [modulus]: [BigInteger]) => {
      charge(rt, self, modulus);
      return big(inverse(rt, self.value, modulus.value));
    },
    'bitCount()': (rt, self: BigInteger) => {
      charge(rt, self);
      return (self.value < 0n ? ~self.value : self.value).toString(2).replaceAll('0', '').length;
    },
    'setBit(int)': (rt, self: BigInteger, [at]: [number]) => big(self.value | bit(rt, at)),
    'clearBit(int)': (rt, self: BigInteger, [at]: [number]) => big(self.value & ~bit(rt, at)),
    'flipBit(int)': (rt, self: BigInteger, [at]: [number]) => big(self.value ^ bit(rt, at)),
    'not()': (_rt, self: BigInteger) => big(~self.value),
    'bitwiseNegate()': (_rt, self: BigInteger) => big(~self.value),
    'andNot(BigInteger)': (_rt, self: BigInteger, [other]: [BigInteger]) => big(self.value & ~other.value),
    'getLowestSetBit()': (rt, self: BigInteger) => {
      charge(rt, self);
      const text = (self.value < 0n ? -self.value : self.value).toString(2);
      return self.value === 0n ? -1 : text.length - 1 - text.lastIndexOf('1');
    },
    'sqrt()': (rt, self: BigInteger) => {
      if (self.value < 0n) rt.fail('java.lang.ArithmeticException', 'Negative BigInteger');
      charge(rt, self, self);
      return big(root(self.value));
    },
    'isProbablePrime(int)': (rt, self: BigInteger) => {
      charge(rt, self);
      return isPrime(rt, self.value < 0n ? -self.value : self.value);
    },
    'nextProbablePrime()': (rt, self: BigInteger) => {
      let candidate = self.value + 1n;
      while (!isPrime(rt, candidate)) {
        rt.budget.spend(10);
        candidate += 1n;
      }
      return big(candidate);
    },
    'divideAndRemainder(BigInteger)': (rt, self: BigInteger, [other]: [BigInteger]) => {
      notZero(rt, other.value);
      charge(rt, self, other);
      return new ArrayValue(rt.class('java.math.BigInteger'), [
        big(self.value / other.value),
        big(self.value % other.value),
      ]);
    },
  },
};

const contextOf =
  (precision: number, rounding: Rounding) =>
  (rt: Runtime): Value =>
    new MathContext(rt, precision, rounding);

export const bigExtraClasses: readonly ClassSpec[] = [
  decimalClass,
  integerClass,
  {
    name: CONTEXT,
    constructors: {
      '(int)': (rt, _self: Value, [precision]: [number]) => new MathContext(rt, precision),
      '(int, java.math.RoundingMode)': (rt, _self: Value, [precision, mode]: [number, EnumConstant]) =>
        new MathContext(rt, precision, mode.name as Rounding),
    },
    constants: {
      UNLIMITED: contextOf(0, 'HALF_UP'),
      DECIMAL32: contextOf(7, 'HALF_EVEN'),
      DECIMAL64: contextOf(16, 'HALF_EVEN'),
      DECIMAL128: contextOf(34, 'HALF_EVEN'),
    },
    methods: {
      'getPrecision()': (_rt, self: MathContext) => self.precision,
      'getRoundingMode()': (rt, self: MathContext) =>
        rt.now(rt.callStatic(rt.class('java.math.RoundingMode'), 'valueOf', [self.rounding])),
    },
  },
];
