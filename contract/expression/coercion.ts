import { spendOn } from './bounded-work.ts';
import type { Shapes } from './language.ts';
import { textOf, trimmed } from './text.ts';
import { Double, EvaluationError, isDouble, isInteger, isList, type Value, valueType } from './value.ts';

const LEAST_LONG = -(2n ** 63n);
const MOST_LONG = 2n ** 63n - 1n;
const LEAST_INTEGER = -(2n ** 31n);
const MOST_INTEGER = 2n ** 31n - 1n;
/** Longer texts are not taken for numbers: reading one takes time in the square of its length. */
const MOST_DIGITS = 1000;

/** A value as a truth value: null and the empty text are false, other texts are true only when they say so. */
export function booleanOf(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null) return false;
  if (typeof value === 'string') return value.toLowerCase() === 'true';
  throw cannotBe(value, 'Boolean');
}

/** A value as a Long: null and the empty text are 0. */
export function longOf(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (value === null || value === '') return 0n;
  if (isDouble(value)) return saturated(value instanceof Double ? value.value : value);
  if (isInteger(value)) return BigInt(value);
  if (typeof value === 'string') {
    const long = readLong(value);
    if (long === null) throw new EvaluationError('the text is not a whole number');
    return long;
  }
  throw cannotBe(value, 'Long');
}

/** A value as a Double: null and the empty text are 0. */
export function numberOf(value: Value): number {
  if (typeof value === 'number') return value;
  if (value === null || value === '') return 0;
  if (value instanceof Double) return value.value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string') {
    const number = readDouble(value);
    if (number === null) throw new EvaluationError('the text is not a number');
    return number;
  }
  throw cannotBe(value, 'Double');
}

/** A value as an Integer, for counts and positions. */
export function integerOf(value: Value): number {
  if (typeof value === 'string' && value !== '') {
    const long = readLong(value);
    if (long === null || long < LEAST_INTEGER || long > MOST_INTEGER) {
      throw new EvaluationError('the text is not a whole number of 32 bits');
    }
    return Number(long);
  }
  return Number(BigInt.asIntN(32, longOf(value)));
}

/** A value as a list of texts, for functions that take several. */
export function textsOf(value: Value, shapes: Shapes): readonly (string | null)[] | null {
  if (value === null) return null;
  if (!isList(value)) return [textOf(value, shapes)];
  spendOn(value);
  return value.map((item) => (item === null ? null : textOf(item, shapes)));
}

/** The whole number that a text says in Java's syntax, or null. */
export function readLong(text: string): bigint | null {
  if (!/^[+-]?\d{1,30}$/.test(text)) return null;
  const long = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return long >= LEAST_LONG && long <= MOST_LONG ? long : null;
}

/** The number that a text says in Java's syntax, which knows a suffix, hexadecimal digits and spaces around; or null. */
function readDouble(text: string): number | null {
  const bare = trimmed(text);
  if (bare.length > MOST_DIGITS) return null;
  const decimal = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFdD]?$/.exec(bare);
  if (decimal !== null) return Number(decimal[1]);
  const special = /^([+-]?)(NaN|Infinity)$/.exec(bare);
  if (special !== null) return Number(`${special[2] === 'NaN' ? '' : special[1]}${special[2]}`);
  const hexadecimal = /^([+-]?)0[xX]([\da-fA-F]*)\.?([\da-fA-F]*)[pP]([+-]?\d+)[fFdD]?$/.exec(bare);
  if (hexadecimal === null) return null;
  const [, sign, whole, fraction, exponent] = hexadecimal;
  if (whole === '' && fraction === '') return null;
  const size = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction!.length);
  return sign === '-' ? -size : size;
}

function saturated(number: number): bigint {
  if (Number.isNaN(number)) return 0n;
  if (number >= Number(MOST_LONG)) return MOST_LONG;
  return number <= Number(LEAST_LONG) ? LEAST_LONG : BigInt(Math.trunc(number));
}

function cannotBe(value: Value, wanted: string): EvaluationError {
  return new EvaluationError(`a value of the type ${valueType(value)} cannot be taken for a ${wanted}`);
}
