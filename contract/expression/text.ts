import { spend } from '../work-budget.ts';
import type { Shapes } from './language.ts';
import { Double, EvaluationError, isDouble, isList, isPlainObject, type Value } from './value.ts';

/** The longest text that an expression may make: nested calls would otherwise grow it without end. */
export const MOST_TEXT = 1024 * 1024;
/** Texts of lists and maps stop here: a value may hold itself. */
const MOST_NESTING = 32;
/** What it costs to write an item of a list or map, beside its length: the same one may be in many places. */
const ITEM_STEPS = 32;

/** @throws EvaluationError when a text of this length may not be made. */
export function notTooLong(length: number): void {
  if (length > MOST_TEXT) throw new EvaluationError(`the text could be longer than ${MOST_TEXT} characters`);
}

/** A value as text: null is empty, a Double prints as in Java, a host object as its shape says. */
export function textOf(value: Value, shapes?: Shapes): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : textWithin(value, shapes, 0);
}

function textWithin(value: Value, shapes: Shapes | undefined, depth: number): string {
  spend(ITEM_STEPS);
  if (typeof value === 'string') {
    spend(value.length);
    return value;
  }
  if (value === null) return 'null';
  if (isDouble(value)) return doubleText(value instanceof Double ? value.value : value);
  if (typeof value !== 'object') return String(value);
  if (depth > MOST_NESTING) throw new EvaluationError(`the value is nested deeper than ${MOST_NESTING} levels`);
  if (isList(value)) return `[${value.map((item) => textWithin(item, shapes, depth + 1)).join(', ')}]`;
  if (value instanceof Map || isPlainObject(value)) {
    const entries: [string, Value][] = value instanceof Map ? [...value] : Object.entries(value);
    return `{${entries.map(([key, item]) => `${key}=${textWithin(item ?? null, shapes, depth + 1)}`).join(', ')}}`;
  }
  if (value instanceof Uint8Array) throw new EvaluationError('bytes are not text: encodeBase64() makes text of them');
  const shape = shapes?.get(Object.getPrototypeOf(value));
  if (shape === undefined) throw new EvaluationError('an object of the host has no text');
  return shape.text === undefined ? shape.name : shape.text(value);
}

/** Decimal between a thousandth and ten million, scientific beyond, always with a fraction. */
function doubleText(number: number): string {
  if (!Number.isFinite(number)) return String(number);
  if (number === 0) return Object.is(number, -0) ? '-0.0' : '0.0';
  const size = Math.abs(number);
  if (size >= 1e-3 && size < 1e7) return withFraction(String(number));
  const [digits, exponent] = number.toExponential().split('e');
  return `${withFraction(digits!)}E${Number(exponent)}`;
}

function withFraction(digits: string): string {
  return digits.includes('.') ? digits : `${digits}.0`;
}

/** The text without the characters up to the space at both ends, as Java trims. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(start, end);
}
