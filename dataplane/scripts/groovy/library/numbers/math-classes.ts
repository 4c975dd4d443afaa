import { toLong } from '../../values/conversions.ts';
import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import { Double, Float } from '../../values/numbers.ts';
import { larger, smaller } from '../numeric.ts';

const one =
  (run: (value: number) => number): LibraryFunction =>
  (_rt: Runtime, _self: Value, [value]: [Double]) =>
    new Double(run(value.value));

const two =
  (run: (left: number, right: number) => number): LibraryFunction =>
  (_rt: Runtime, _self: Value, [left, right]: [Double, Double]) =>
    new Double(run(left.value, right.value));

/** `f(int, int)`, `f(long, long)` and `f(double, double)`. */
function numeric(
  name: string,
  ints: (left: number, right: number) => number,
  longs: (left: bigint, right: bigint) => bigint,
): Record<string, LibraryFunction> {
  return {
    [`${name}(int, int)`]: (_rt: Runtime, _self: Value, [left, right]: [number, number]) => ints(left, right),
    [`${name}(long, long)`]: (_rt: Runtime, _self: Value, [left, right]: [bigint, bigint]) => longs(left, right),
    [`${name}(float, float)`]: (_rt: Runtime, _self: Value, [left, right]: [Float, Float]) =>
      new Float(ints(left.value, right.value)),
    [`${name}(double, double)`]: (_rt: Runtime, _self: Value, [left, right]: [Double, Double]) =>
      new Double(ints(left.value, right.value)),
  };
}

/** `addExact` and its relatives. */
function exactly(name: string, run: (left: bigint, right: bigint) => bigint): Record<string, LibraryFunction> {
  const check = (rt: Runtime, value: bigint, bits: number): bigint =>
    BigInt.asIntN(bits, value) === value
      ? value
      : rt.fail('java.lang.ArithmeticException', bits === 32 ? 'integer overflow' : 'long overflow');
  return {
    [`${name}(int, int)`]: (rt: Runtime, _self: Value, [left, right]: [number, number]) =>
      Number(check(rt, run(BigInt(left), BigInt(right)), 32)),
    [`${name}(long, long)`]: (rt: Runtime, _self: Value, [left, right]: [bigint, bigint]) =>
      check(rt, run(left, right), 64),
  };
}

function unaryExact(name: string, run: (value: bigint) => bigint): Record<string, LibraryFunction> {
  const overflow = (rt: Runtime, type: string): never => rt.fail('java.lang.ArithmeticException', `${type} overflow`);
  const checked = name === 'absExact';
  return {
    [`${name}(int)`]: (rt: Runtime, _self: Value, [value]: [number]) => {
      const result = run(BigInt(value));
      if (BigInt.asIntN(32, result) === result) return Number(result);
      if (checked) return rt.fail('java.lang.ArithmeticException', OVERFLOW_OF_INT);
      return overflow(rt, 'integer');
    },
    [`${name}(long)`]: (rt: Runtime, _self: Value, [value]: [bigint]) => {
      const result = run(value);
      if (BigInt.asIntN(64, result) === result) return result;
      if (checked) return rt.fail('java.lang.ArithmeticException', OVERFLOW_OF_LONG);
      return overflow(rt, 'long');
    },
  };
}

const OVERFLOW_OF_INT = 'Overflow to represent absolute value of Integer.MIN_VALUE';
const OVERFLOW_OF_LONG = 'Overflow to represent absolute value of Long.MIN_VALUE';

/** The next larger floating number. */
function neighbour(value: number, by: 1): number {
  if (Number.isNaN(value) || value === Number.POSITIVE_INFINITY) return value;
  if (value === 0) return Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? BigInt(by) : -BigInt(by)));
  return view.getFloat64(0);
}

function exponentOf(value: number): number {
  if (!Number.isFinite(value)) return 1024;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return ((view.getUint16(0) >> 4) & 0x7ff) - 1023;
}

function floorDivided(rt: Runtime, left: bigint, right: bigint): bigint {
  if (right === 0n) rt.fail('java.lang.ArithmeticException', '/ by zero');
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
}

const floorMod = (rt: Runtime, left: bigint, right: bigint): bigint => left - floorDivided(rt, left, right) * right;

/** Rounds halves to the even neighbour. */
function rint(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

export const mathClasses: readonly ClassSpec[] = [
  {
    name: 'java.lang.Math',
    constants: { PI: () => new Double(Math.PI), E: () => new Double(Math.E) },
    statics: {
      ...numeric('max', Math.max, larger),
      ...numeric('min', Math.min, smaller),
      ...exactly('addExact', (left, right) => left + right),
      ...exactly('subtractExact', (left, right) => left - right),
      ...exactly('multiplyExact', (left, right) => left * right),
      'toIntExact(long)': (rt, _self: Value, [value]: [bigint]) =>
        BigInt.asIntN(32, value) === value
          ? Number(value)
          : rt.fail('java.lang.ArithmeticException', 'integer overflow'),
      'abs(int)': (_rt, _self: Value, [value]: [number]) => Math.abs(value) | 0,
      'abs(long)': (_rt, _self: Value, [value]: [bigint]) => BigInt.asIntN(64, value < 0n ? -value : value),
      'abs(double)': one(Math.abs),
      'floorMod(int, int)': (rt, _self: Value, [left, right]: [number, number]) =>
        Number(floorMod(rt, BigInt(left), BigInt(right))),
      'floorMod(long, int)': (rt, _self: Value, [left, right]: [bigint, number]) =>
        Number(floorMod(rt, left, BigInt(right))),
      'floorMod(long, long)': (rt, _self: Value, [left, right]: [bigint, bigint]) => floorMod(rt, left, right),
      'floorDiv(int, int)': (rt, _self: Value, [left, right]: [number, number]) =>
        Number(floorDivided(rt, BigInt(left), BigInt(right))) | 0,
      'floorDiv(long, long)': (rt, _self: Value, [left, right]: [bigint, bigint]) => floorDivided(rt, left, right),
      'round(double)': (_rt, _self: Value, [value]: [Double]) => toLong(new Double(Math.floor(value.value + 0.5))),
      'round(float)': (_rt, _self: Value, [value]: [Float]) => Math.floor(value.value + 0.5) | 0,
      'ceil(double)': one(Math.ceil),
      'floor(double)': one(Math.floor),
      'rint(double)': one(rint),
      'sqrt(double)': one(Math.sqrt),
      'cbrt(double)': one(Math.cbrt),
      'log10(double)': one(Math.log10),
      'signum(double)': one(Math.sign),
      'signum(float)': (_rt, _self: Value, [value]: [Float]) => new Float(Math.sign(value.value)),
      'toRadians(double)': one((value) => (value / 180) * Math.PI),
      'toDegrees(double)': one((value) => (value * 180) / Math.PI),
      'sin(double)': one(Math.sin),
      'cos(double)': one(Math.cos),
      'tan(double)': one(Math.tan),
      'atan(double)': one(Math.atan),
      'exp(double)': one(Math.exp),
      'log(double)': one(Math.log),
      'pow(double, double)': two((base, exponent) =>
        Math.abs(base) === 1 && !Number.isFinite(exponent) ? Number.NaN : base ** exponent,
      ),
      ...unaryExact('negateExact', (value) => -value),
      ...unaryExact('incrementExact', (value) => value + 1n),
      ...unaryExact('decrementExact', (value) => value - 1n),
      ...unaryExact('absExact', (value) => (value < 0n ? -value : value)),
      'log1p(double)': one(Math.log1p),
      'expm1(double)': one(Math.expm1),
      'asin(double)': one(Math.asin),
      'acos(double)': one(Math.acos),
      'sinh(double)': one(Math.sinh),
      'cosh(double)': one(Math.cosh),
      'tanh(double)': one(Math.tanh),
      'copySign(double, double)': two((size, sign) =>
        sign < 0 || Object.is(sign, -0) ? -Math.abs(size) : Math.abs(size),
      ),
      'nextUp(double)': one((value) => neighbour(value, 1)),
      'nextDown(double)': one((value) => -neighbour(-value, 1)),
      'ulp(double)': one((value) => {
        const size = Math.abs(value);
        return Number.isFinite(size) ? neighbour(size, 1) - size || Number.MIN_VALUE : size;
      }),
      'getExponent(double)': (_rt, _self: Value, [value]: [Double]) => exponentOf(value.value),
      'scalb(double, int)': (_rt, _self: Value, [value, by]: [Double, number]) => new Double(value.value * 2 ** by),
      'IEEEremainder(double, double)': two((left, right) => left - right * rint(left / right)),
      'hypot(double, double)': two(Math.hypot),
      'atan2(double, double)': two(Math.atan2),
      'random()': () => new Double(Math.random()),
    },
  },
];
