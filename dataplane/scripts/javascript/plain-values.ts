import type { Shapes } from '../../../contract/expression/language.ts';
import { doubleOf, Double as ExpressionDouble, isPlainObject } from '../../../contract/expression/value.ts';
import { Uri } from '../../engine/message/uri.ts';
import { VouchedToken } from '../../oauth2/cache/vouched-token.ts';
import { shapedValue } from '../shaped-value.ts';

/** Deepest nesting of values that go in. */
const MOST_NESTING = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;

/** A value of the gateway as JSON has it. Objects of the gateway have the properties that expressions see. */
export function plainValue(value: unknown, shapes: Shapes, depth = 0): unknown {
  if (value === null || value === undefined || depth > MOST_NESTING) return null;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== 'object') return null;
  if (value instanceof ExpressionDouble) return value.value;
  if (value instanceof Uri) return String(value);
  const inner = (item: unknown): unknown => plainValue(item, shapes, depth + 1);
  if (value instanceof VouchedToken) {
    const { token, info, scopes, expiresAt } = value;
    return { token, info: inner(info), scopes: [...scopes], expiresAt: Number.isFinite(expiresAt) ? expiresAt : null };
  }
  if (Array.isArray(value)) return value.map(inner);
  if (value instanceof Set) return [...value].map(inner);
  if (value instanceof Map) return object([...value], inner);
  if (isPlainObject(value)) return object(Object.entries(value), inner);
  const shape = shapes.get(Object.getPrototypeOf(value) as object | null);
  if (shape === undefined) return null;
  const shaped = shapedValue(value, shape);
  return typeof shaped === 'object' && shaped !== null ? object(shaped, inner) : shaped;
}

function object(entries: readonly (readonly [unknown, unknown])[], inner: (item: unknown) => unknown): object {
  return Object.fromEntries(entries.map(([name, item]) => [String(name), inner(item)]));
}

/** True if a text of JSON has more objects, arrays and items than this. Texts in it are skipped. */
export function hasMoreValues(json: string, most: number): boolean {
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = textEnd(json, at + 1);
    else if ((code === COMMA || code === BRACKET || code === BRACE) && ++values > most) return true;
  }
  return false;
}

/** The place of the quote that ends a text. */
function textEnd(json: string, from: number): number {
  for (let at = json.indexOf('"', from); at >= 0; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}

/** A value of JSON as expressions and sessions have it. */
export function gatewayValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : doubleOf(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(gatewayValue);
  return new Map(Object.entries(value).map(([name, item]) => [name, gatewayValue(item)]));
}

/** A text as it goes into a script: texts in QuickJS end at a zero, so one with zeros goes as JSON. */
export function passedText(text: string): string {
  return text.includes('\0') || !text.isWellFormed() ? `j${JSON.stringify(text)}` : `s${text}`;
}
