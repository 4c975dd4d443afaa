import { parseDecimal } from '../../values/decimal.ts';
import type { LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import { type BigDecimal, BigInteger, Double, Float, Short } from '../../values/numbers.ts';
import { Throwable } from '../../values/throwable.ts';
import { onTexts } from './string-methods.ts';

function notANumber(rt: Runtime, text: string, radix = 10): never {
  const under = radix === 10 ? '' : ` under radix ${radix}`;
  return rt.fail('java.lang.NumberFormatException', `For input string: "${text}"${under}`);
}

/** A whole number within limits, as `Integer.parseInt` and its relatives read it; null for any other text. */
export function wholeNumber(text: string, radix: number, bits: number): bigint | null {
  const match = /^([+-]?)([0-9a-zA-Z]+)$/.exec(text);
  if (match === null || text.length > 70) return null;
  let value = 0n;
  for (const digit of match[2]!.toLowerCase()) {
    const amount = digit <= '9' ? Number(digit) : digit.charCodeAt(0) - 87;
    if (amount >= radix) return null;
    value = value * BigInt(radix) + BigInt(amount);
  }
  if (match[1] === '-') value = -value;
  return BigInt.asIntN(bits, value) === value ? value : null;
}

function checkRadix(rt: Runtime, radix: number): void {
  if (radix < 2) rt.fail('java.lang.NumberFormatException', `radix ${radix} less than Character.MIN_RADIX`);
  if (radix > 36) rt.fail('java.lang.NumberFormatException', `radix ${radix} greater than Character.MAX_RADIX`);
}

export function parseInteger(rt: Runtime, text: string | null, radix = 10): number {
  if (text === null) return rt.fail('java.lang.NumberFormatException', 'Cannot parse null string');
  checkRadix(rt, radix);
  return Number(wholeNumber(text, radix, 32) ?? notANumber(rt, text, radix));
}

export function parseLong(rt: Runtime, text: string | null, radix = 10): bigint {
  if (text === null) return rt.fail('java.lang.NumberFormatException', 'Cannot parse null string');
  checkRadix(rt, radix);
  return wholeNumber(text, radix, 64) ?? notANumber(rt, text, radix);
}

const doubleShape = /^[+-]?(?:NaN|Infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)$/;

export function doubleIn(text: string): number | null {
  const trimmed = text.trim();
  return doubleShape.test(trimmed) ? Number(trimmed.replace(/[fFdD]$/, '')) : null;
}

export function parseDouble(rt: Runtime, text: string | null): number {
  if (text === null) return rt.fail('java.lang.NullPointerException', null);
  if (text.trim() === '') return rt.fail('java.lang.NumberFormatException', 'empty String');
  return doubleIn(text) ?? notANumber(rt, text);
}

/** Java reads the first character without a look at the length. */
function emptyDecimal(rt: Runtime): never {
  const type = rt.class('java.lang.ArrayIndexOutOfBoundsException');
  const cause = new Throwable(type, 'Index 0 out of bounds for length 0');
  return rt.fail('java.lang.NumberFormatException', null, cause);
}

/** Reads a decimal, or says which character is wrong as Java does. */
export function parseBigDecimal(rt: Runtime, text: string): BigDecimal {
  rt.budget.spend((text.length / 8) ** 2);
  const value = parseDecimal(text);
  if (value !== null) return value;
  if (text === '') return emptyDecimal(rt);
  const odd = /[^0-9.eE+-]/.exec(text)?.[0];
  if (odd === undefined) return rt.fail('java.lang.NumberFormatException', null);
  return rt.fail(
    'java.lang.NumberFormatException',
    `Character ${odd} is neither a decimal digit number, decimal point, nor "e" notation exponential mark.`,
  );
}

export function parseBigInteger(rt: Runtime, text: string, radix = 10): BigInteger {
  if (text === '') return rt.fail('java.lang.NumberFormatException', 'Zero length BigInteger');
  rt.budget.spend((text.length / 8) ** 2);
  const match = /^([+-]?)([0-9a-zA-Z]+)$/.exec(text);
  if (match === null) return notANumber(rt, text);
  let value = 0n;
  for (const digit of match[2]!.toLowerCase()) {
    const amount = digit <= '9' ? Number(digit) : digit.charCodeAt(0) - 87;
    if (amount >= radix) return notANumber(rt, text);
    value = value * BigInt(radix) + BigInt(amount);
  }
  return new BigInteger(match[1] === '-' ? -value : value);
}

const isYes = (text: string): boolean => ['true', 'y', '1'].includes(text.trim().toLowerCase());

/** Conversions of texts to numbers, as Groovy adds them. */
export const conversionMethods: Readonly<Record<string, LibraryFunction>> = onTexts({
  'toInteger()': (rt, text) => parseInteger(rt, text.trim()),
  'toLong()': (rt, text) => parseLong(rt, text.trim()),
  'toShort()': (rt, text) => new Short(Number(wholeNumber(text.trim(), 10, 16) ?? notANumber(rt, text.trim()))),
  'toDouble()': (rt, text) => new Double(parseDouble(rt, text.trim())),
  'toFloat()': (rt, text) => new Float(parseDouble(rt, text.trim())),
  'toBigDecimal()': (rt, text) => parseBigDecimal(rt, text.trim()),
  'toBigInteger()': (rt, text) => parseBigInteger(rt, text.trim()),
  'toBoolean()': (_rt, text) => isYes(text),
  'isInteger()': (_rt, text) => wholeNumber(text.trim(), 10, 32) !== null,
  'isLong()': (_rt, text) => wholeNumber(text.trim(), 10, 64) !== null,
  'isDouble()': (_rt, text) => doubleIn(text) !== null,
  'isFloat()': (_rt, text) => doubleIn(text) !== null,
  'isNumber()': (_rt, text) => parseDecimal(text.trim()) !== null,
  'isBigDecimal()': (_rt, text) => parseDecimal(text.trim()) !== null,
  'isBigInteger()': (_rt, text) => /^[+-]?\d+$/.test(text.trim()),
});

/** The value of a text parameter, or null. */
export function textOrNull(rt: Runtime, value: Value): string | null {
  return value === null ? null : rt.text(value);
}
