import { textSearch } from '../../text-search.ts';
import { readLong } from '../coercion.ts';
import type { FunctionRows } from '../language.ts';
import { textOf, trimmed } from '../text.ts';
import { EvaluationError, type Value } from '../value.ts';

/** Functions on plain texts; null in gives null out unless said otherwise. */
export const textFunctions: FunctionRows = [
  ['bool', { takes: 'one', first: 'text', call: (text) => typeof text === 'string' && text.toLowerCase() === 'true' }],
  ['indexOf', { takes: 'two', first: 'text', second: 'text', call: indexOf }],
  ['integer', { takes: 'one', first: 'text', call: (text) => integer(text, 10) }],
  ['integerWithRadix', { takes: 'two', first: 'text', second: 'integer', call: integer }],
  ['toLowerCase', { takes: 'one', first: 'text', call: (text) => text && textOf(text).toLowerCase() }],
  ['toUpperCase', { takes: 'one', first: 'text', call: (text) => text && textOf(text).toUpperCase() }],
  ['toString', { takes: 'one', first: 'text', call: (text) => text }],
  ['trim', { takes: 'one', first: 'text', call: (text) => text && trimmed(textOf(text)) }],
  ['escapeJson', { takes: 'one', first: 'text', call: (text) => text && JSON.stringify(text).slice(1, -1) }],
  ['toJson', { takes: 'one', first: 'text', steps: 3, call: toJson }],
];

/** -1 when one of the two is null. */
function indexOf(text: Value, part: Value): Value {
  return typeof text === 'string' && typeof part === 'string' ? textSearch(part).first(text, 0) : -1;
}

/** Null for what is not a whole number of 32 bits. */
function integer(text: Value, radix: Value): Value {
  if (typeof radix !== 'number' || radix < 2 || radix > 36) throw new EvaluationError('a radix is from 2 to 36');
  if (typeof text !== 'string') return null;
  const digits = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, radix);
  const match = /^([+-]?)([\da-z]{1,40})$/i.exec(text);
  if (match === null) return null;
  let value = 0;
  for (const digit of match[2]!.toLowerCase()) {
    if (!digits.includes(digit)) return null;
    value = value * radix + digits.indexOf(digit);
  }
  const signed = readLong(`${match[1]}${Math.min(value, 2 ** 52)}`);
  return signed !== null && BigInt.asIntN(32, signed) === signed ? Number(signed) : null;
}

/** Null for what is not JSON. */
function toJson(text: Value): Value {
  if (typeof text !== 'string') return null;
  try {
    const value: Value = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}
