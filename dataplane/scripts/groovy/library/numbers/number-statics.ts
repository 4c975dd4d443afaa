import { LONG_MAX } from '../../values/conversions.ts';
import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import { Byte, Char, Double, Float, Short } from '../../values/numbers.ts';
import { parseDouble, parseLong, textOrNull, wholeNumber } from '../strings/conversion-methods.ts';

type Static = (rt: Runtime, args: never) => Value;

/** Static methods, which have no object of their own. */
function statics(methods: Readonly<Record<string, Static>>): Record<string, LibraryFunction> {
  return Object.fromEntries(
    Object.entries(methods).map(([signature, code]): [string, LibraryFunction] => [
      signature,
      (rt: Runtime, _self: Value, args: never) => code(rt, args),
    ]),
  );
}

/** Bits of an Integer or a Long as an unsigned number. */
interface Width {
  readonly bits: 32 | 64;
  readonly type: 'int' | 'long';
}

const wrap = ({ bits }: Width, value: bigint): Value =>
  bits === 32 ? Number(BigInt.asIntN(32, value)) : BigInt.asIntN(64, value);
const unsigned = ({ bits }: Width, value: number | bigint): bigint => BigInt.asUintN(bits, BigInt(value));
const binary = (width: Width, value: number | bigint): string =>
  unsigned(width, value).toString(2).padStart(width.bits, '0');
const order = (left: bigint, right: bigint): number => (left < right ? -1 : left > right ? 1 : 0);

function rotated(width: Width, value: number | bigint, distance: number): Value {
  const text = binary(width, value);
  const by = ((distance % width.bits) + width.bits) % width.bits;
  return wrap(width, BigInt(`0b${text.slice(by)}${text.slice(0, by)}`));
}

type One = [number | bigint];
type Two = [number | bigint, number | bigint];

function notZero(rt: Runtime, divisor: number | bigint): void {
  if (BigInt(divisor) === 0n) rt.fail('java.lang.ArithmeticException', '/ by zero');
}

function bitStatics(width: Width): Record<string, LibraryFunction> {
  const { type, bits } = width;
  const number = type === 'int' ? 'Int' : 'Long';
  return statics({
    [`highestOneBit(${type})`]: (_rt: Runtime, [value]: One) => {
      const at = binary(width, value).indexOf('1');
      return wrap(width, at < 0 ? 0n : 1n << BigInt(bits - 1 - at));
    },
    [`lowestOneBit(${type})`]: (_rt: Runtime, [value]: One) => wrap(width, BigInt(value) & -BigInt(value)),
    [`numberOfLeadingZeros(${type})`]: (_rt: Runtime, [value]: One) => {
      const at = binary(width, value).indexOf('1');
      return at < 0 ? bits : at;
    },
    [`numberOfTrailingZeros(${type})`]: (_rt: Runtime, [value]: One) => {
      const at = binary(width, value).lastIndexOf('1');
      return at < 0 ? bits : bits - 1 - at;
    },
    [`rotateLeft(${type}, int)`]: (_rt: Runtime, [value, distance]: [number | bigint, number]) =>
      rotated(width, value, distance),
    [`rotateRight(${type}, int)`]: (_rt: Runtime, [value, distance]: [number | bigint, number]) =>
      rotated(width, value, -distance),
    [`reverse(${type})`]: (_rt: Runtime, [value]: One) =>
      wrap(width, BigInt(`0b${[...binary(width, value)].reverse().join('')}`)),
    [`reverseBytes(${type})`]: (_rt: Runtime, [value]: One) =>
      wrap(width, BigInt(`0b${binary(width, value).match(/.{8}/g)!.reverse().join('')}`)),
    [`compareUnsigned(${type}, ${type})`]: (_rt: Runtime, [left, right]: Two) =>
      order(unsigned(width, left), unsigned(width, right)),
    [`divideUnsigned(${type}, ${type})`]: (rt: Runtime, [left, right]: Two) => {
      notZero(rt, right);
      return wrap(width, unsigned(width, left) / unsigned(width, right));
    },
    [`remainderUnsigned(${type}, ${type})`]: (rt: Runtime, [left, right]: Two) => {
      notZero(rt, right);
      return wrap(width, unsigned(width, left) % unsigned(width, right));
    },
    [`toUnsignedString(${type})`]: (_rt: Runtime, [value]: One) => unsigned(width, value).toString(),
    [`toUnsignedString(${type}, int)`]: (_rt: Runtime, [value, radix]: [number | bigint, number]) =>
      unsigned(width, value).toString(radix),
    [`parseUnsigned${number}(String)`]: (rt: Runtime, [text]: [string]) => parsedUnsigned(rt, width, text),
    [`hashCode(${type})`]: (rt: Runtime, [value]: One) => rt.hash(value),
  });
}

function parsedUnsigned(rt: Runtime, width: Width, text: string): Value {
  if (/^\+?\d+$/.test(text) && BigInt(text) < 1n << BigInt(width.bits)) return wrap(width, BigInt(text));
  return rt.fail(
    'java.lang.NumberFormatException',
    /^-/.test(text) ? `Illegal leading minus sign on unsigned string ${text}.` : `For input string: "${text}"`,
  );
}

const view = new DataView(new ArrayBuffer(8));

function doubleBits(value: number): bigint {
  view.setFloat64(0, value);
  return view.getBigInt64(0);
}

function floatBits(value: number): number {
  view.setFloat32(0, value);
  return view.getInt32(0);
}

/** A floating number in the hexadecimal form of Java. */
function hexText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  const bits = BigInt.asUintN(64, doubleBits(value));
  const sign = bits >> 63n === 1n ? '-' : '';
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const digits = (bits & 0xfffffffffffffn).toString(16).padStart(13, '0').replace(/0+$/, '') || '0';
  if (value === 0) return `${sign}0x0.0p0`;
  return exponent === 0 ? `${sign}0x0.${digits}p-1022` : `${sign}0x1.${digits}p${exponent - 1023}`;
}

function floatingStatics(type: 'double' | 'float', made: (value: number) => Value): Record<string, LibraryFunction> {
  type Numbers = [Double, Double];
  return statics({
    [`max(${type}, ${type})`]: (_rt: Runtime, [left, right]: Numbers) => made(Math.max(left.value, right.value)),
    [`min(${type}, ${type})`]: (_rt: Runtime, [left, right]: Numbers) => made(Math.min(left.value, right.value)),
    [`sum(${type}, ${type})`]: (_rt: Runtime, [left, right]: Numbers) => made(left.value + right.value),
    [`compare(${type}, ${type})`]: (rt: Runtime, [left, right]: Numbers) => rt.compare(left, right),
    [`isNaN(${type})`]: (_rt: Runtime, [value]: [Double]) => Number.isNaN(value.value),
    [`isInfinite(${type})`]: (_rt: Runtime, [value]: [Double]) => Math.abs(value.value) === Number.POSITIVE_INFINITY,
    [`isFinite(${type})`]: (_rt: Runtime, [value]: [Double]) => Number.isFinite(value.value),
    [`toString(${type})`]: (rt: Runtime, [value]: [Double]) => rt.text(value),
    [`hashCode(${type})`]: (rt: Runtime, [value]: [Double]) => rt.hash(value),
    [`valueOf(${type})`]: (_rt: Runtime, [value]: [Double]) => value,
  });
}

function small(rt: Runtime, text: string, radix: number, bits: 8 | 16): number {
  const value = wholeNumber(text, radix, bits);
  if (value !== null) return Number(value);
  return wholeNumber(text, radix, 32) === null
    ? rt.fail('java.lang.NumberFormatException', `For input string: "${text}"`)
    : rt.fail('java.lang.NumberFormatException', `Value out of range. Value:"${text}" Radix:${radix}`);
}

/** Static methods of Short and Byte. */
function smallStatics(type: 'short' | 'byte', made: (value: number) => Short | Byte): Record<string, LibraryFunction> {
  const bits = type === 'short' ? 16 : 8;
  const parse = type === 'short' ? 'parseShort' : 'parseByte';
  return statics({
    [`${parse}(String, int)`]: (rt: Runtime, [text, radix]: [string, number]) => made(small(rt, text, radix, bits)),
    'valueOf(String)': (rt: Runtime, [text]: [string]) => made(small(rt, text, 10, bits)),
    [`valueOf(${type})`]: (_rt: Runtime, [value]: [Short]) => value,
    [`toString(${type})`]: (rt: Runtime, [value]: [Short]) => rt.text(value),
    [`compare(${type}, ${type})`]: (_rt: Runtime, [left, right]: [Short, Short]) => left.value - right.value,
    [`hashCode(${type})`]: (_rt: Runtime, [value]: [Short]) => value.value,
    [`toUnsignedInt(${type})`]: (_rt: Runtime, [value]: [Short]) => value.value & (2 ** bits - 1),
    [`toUnsignedLong(${type})`]: (_rt: Runtime, [value]: [Short]) => BigInt(value.value & (2 ** bits - 1)),
  });
}

function primitive(name: string): { TYPE: (rt: Runtime) => Value } {
  return { TYPE: (rt) => rt.class(name) };
}

const int: Width = { bits: 32, type: 'int' };
const long: Width = { bits: 64, type: 'long' };

export const numberStaticClasses: readonly ClassSpec[] = [
  {
    name: 'java.lang.Integer',
    statics: {
      ...bitStatics(int),
      ...statics({ 'toUnsignedLong(int)': (_rt: Runtime, [value]: [number]) => unsigned(int, value) }),
    },
    constants: primitive('int'),
  },
  {
    name: 'java.lang.Long',
    statics: {
      ...bitStatics(long),
      ...statics({
        'decode(String)': (rt: Runtime, [text]: [string]) => {
          const [, sign, prefix, digits] = /^([+-]?)(0[xX]|#|0(?=.)|)(.*)$/s.exec(text)!;
          return parseLong(rt, `${sign}${digits}`, prefix === '' ? 10 : prefix === '0' ? 8 : 16);
        },
      }),
    },
    constants: { ...primitive('long'), MAX_VALUE: LONG_MAX },
  },
  {
    name: 'java.lang.Double',
    statics: {
      ...floatingStatics('double', (value) => new Double(value)),
      ...statics({
        'doubleToLongBits(double)': (_rt: Runtime, [value]: [Double]) => doubleBits(value.value),
        'doubleToRawLongBits(double)': (_rt: Runtime, [value]: [Double]) => doubleBits(value.value),
        'longBitsToDouble(long)': (_rt: Runtime, [bits]: [bigint]) => {
          view.setBigInt64(0, bits);
          return new Double(view.getFloat64(0));
        },
        'toHexString(double)': (_rt: Runtime, [value]: [Double]) => hexText(value.value),
      }),
    },
    constants: {
      ...primitive('double'),
      BYTES: 8,
      SIZE: 64,
      MAX_EXPONENT: 1023,
      MIN_EXPONENT: -1022,
      MIN_NORMAL: () => new Double(2.2250738585072014e-308),
    },
  },
  {
    name: 'java.lang.Float',
    statics: {
      ...floatingStatics('float', (value) => new Float(value)),
      ...statics({
        'floatToIntBits(float)': (_rt: Runtime, [value]: [Float]) => floatBits(value.value),
        'floatToRawIntBits(float)': (_rt: Runtime, [value]: [Float]) => floatBits(value.value),
        'intBitsToFloat(int)': (_rt: Runtime, [bits]: [number]) => {
          view.setInt32(0, bits);
          return new Float(view.getFloat32(0));
        },
      }),
    },
    constructors: {
      '(float)': (_rt, _self: Value, [value]: [Float]) => value,
      '(String)': (rt, _self: Value, [text]: [string]) => new Float(parseDouble(rt, text)),
    },
    constants: {
      ...primitive('float'),
      BYTES: 4,
      SIZE: 32,
      MIN_VALUE: () => new Float(1.401298464324817e-45),
      MIN_NORMAL: () => new Float(1.1754943508222875e-38),
      POSITIVE_INFINITY: () => new Float(Number.POSITIVE_INFINITY),
      NEGATIVE_INFINITY: () => new Float(Number.NEGATIVE_INFINITY),
    },
  },
  {
    name: 'java.lang.Short',
    statics: smallStatics('short', (value) => new Short(value)),
    constants: { ...primitive('short'), BYTES: 2, SIZE: 16 },
  },
  {
    name: 'java.lang.Byte',
    statics: smallStatics('byte', (value) => new Byte(value)),
    constants: { ...primitive('byte'), BYTES: 1, SIZE: 8 },
  },
  {
    name: 'java.lang.Boolean',
    statics: statics({
      'logicalXor(boolean, boolean)': (_rt: Runtime, [left, right]: [boolean, boolean]) => left !== right,
      'compare(boolean, boolean)': (_rt: Runtime, [left, right]: [boolean, boolean]) => Number(left) - Number(right),
      'hashCode(boolean)': (_rt: Runtime, [value]: [boolean]) => (value ? 1231 : 1237),
    }),
    constructors: {
      '(boolean)': (_rt, _self: Value, [value]: [boolean]) => value,
      '(String)': (rt, _self: Value, [text]: [Value]) => textOrNull(rt, text)?.toLowerCase() === 'true',
    },
    methods: { 'toBoolean()': (_rt, self: boolean) => self },
    constants: primitive('boolean'),
  },
  { name: 'java.lang.Void', constants: primitive('void') },
  { name: 'java.lang.Character', statics: characterStatics(), constants: characterConstants() },
];

/** Tests and changes of characters by code point, and of characters beyond those of other tables. */
function characterStatics(): Record<string, LibraryFunction> {
  const is = (pattern: RegExp): Static =>
    ((_rt: Runtime, [code]: [number]) => pattern.test(String.fromCodePoint(code))) as Static;
  const ofChar = (pattern: RegExp): Static =>
    ((_rt: Runtime, [value]: [Char]) => pattern.test(String.fromCharCode(value.code))) as Static;
  const both = (name: string, pattern: RegExp): Record<string, Static> => ({
    [`${name}(char)`]: ofChar(pattern),
    [`${name}(int)`]: is(pattern),
  });
  const cased = (change: (text: string) => string): Static =>
    ((_rt: Runtime, [code]: [number]) => {
      const text = [...change(String.fromCodePoint(code))];
      return text.length === 1 ? text[0]!.codePointAt(0)! : code;
    }) as Static;
  return statics({
    'isDigit(int)': is(/^\p{Nd}$/u),
    'isLetter(int)': is(/^\p{L}$/u),
    'isLetterOrDigit(int)': is(/^[\p{L}\p{Nd}]$/u),
    'isWhitespace(int)': is(/^(?:[\t-\r\u001c-\u001f]|(?![\u00a0\u2007\u202f])\p{Z})$/u),
    'isUpperCase(int)': is(/^\p{Uppercase}$/u),
    'isLowerCase(int)': is(/^\p{Lowercase}$/u),
    ...both('isISOControl', /^[\u0000-\u001f\u007f-\u009f]$/u),
    ...both('isSpaceChar', /^\p{Z}$/u),
    ...both('isTitleCase', /^\p{Lt}$/u),
    ...both('isDefined', /^\P{Cn}$/u),
    ...both('isJavaIdentifierStart', /^[\p{L}\p{Nl}\p{Sc}\p{Pc}]$/u),
    ...both(
      'isJavaIdentifierPart',
      /^[\p{L}\p{Nl}\p{Sc}\p{Pc}\p{Nd}\p{Mc}\p{Mn}\p{Cf}\u0000-\u0008\u000e-\u001b\u007f-\u009f]$/u,
    ),
    'isIdeographic(int)': is(/^\p{Ideographic}$/u),
    'toUpperCase(int)': cased((text) => text.toUpperCase()),
    'toLowerCase(int)': cased((text) => text.toLowerCase()),
    'toString(int)': (_rt: Runtime, [code]: [number]) => String.fromCodePoint(code),
    'compare(char, char)': (_rt: Runtime, [left, right]: [Char, Char]) => left.code - right.code,
    'hashCode(char)': (_rt: Runtime, [value]: [Char]) => value.code,
    'charCount(int)': (_rt: Runtime, [code]: [number]) => (code > 0xffff ? 2 : 1),
    'isSupplementaryCodePoint(int)': (_rt: Runtime, [code]: [number]) => code > 0xffff && code <= 0x10ffff,
    'isBmpCodePoint(int)': (_rt: Runtime, [code]: [number]) => code >= 0 && code <= 0xffff,
    'isValidCodePoint(int)': (_rt: Runtime, [code]: [number]) => code >= 0 && code <= 0x10ffff,
    'isSurrogate(char)': (_rt: Runtime, [value]: [Char]) => value.code >= 0xd800 && value.code <= 0xdfff,
    'isHighSurrogate(char)': (_rt: Runtime, [value]: [Char]) => value.code >= 0xd800 && value.code <= 0xdbff,
    'isLowSurrogate(char)': (_rt: Runtime, [value]: [Char]) => value.code >= 0xdc00 && value.code <= 0xdfff,
    'codePointAt(CharSequence, int)': (rt: Runtime, [text, at]: [Value, number]) =>
      rt.text(text).codePointAt(at) ?? rt.fail('java.lang.StringIndexOutOfBoundsException', `index ${at}`),
    'forDigit(int, int)': (_rt: Runtime, [digit, radix]: [number, number]) =>
      new Char(digit >= 0 && digit < radix && radix <= 36 ? digit.toString(radix).charCodeAt(0) : 0),
    'reverseBytes(char)': (_rt: Runtime, [value]: [Char]) => new Char(((value.code & 0xff) << 8) | (value.code >> 8)),
  });
}

function characterConstants(): Record<string, Value | ((rt: Runtime) => Value)> {
  return {
    ...primitive('char'),
    MIN_RADIX: 2,
    MAX_RADIX: 36,
    BYTES: 2,
    SIZE: 16,
    MIN_CODE_POINT: 0,
    MAX_CODE_POINT: 0x10ffff,
  };
}
