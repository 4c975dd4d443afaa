import { Closure } from '../../values/closure.ts';
import { ArrayValue, ByteArray, Entry, GMap, GSet, List } from '../../values/collections.ts';
import { isNumber } from '../../values/conversions.ts';
import { GString } from '../../values/g-string.ts';
import type { Runtime, Value } from '../../values/java-class.ts';
import { Char, Double, Float } from '../../values/numbers.ts';
import { isWalkable, itemsNow } from '../collections/walk.ts';

/** Differences between the two writers of JSON that scripts use. */
export interface JsonWriting {
  /** Groovy escapes everything beyond ASCII, Jackson nothing. */
  readonly escapesUnicode: boolean;
  /** Writes a value that is neither text, number, collection nor map. */
  other(rt: Runtime, value: Value): string;
  /** The value to write in place of a wrapper. */
  unwrap(value: Value, rt: Runtime): Value;
  /** Members that are left out. */
  skips?(name: string, value: Value): boolean;
  /** True where a GString is a text. */
  readonly takesGStrings: boolean;
}

const DEEPEST = 300;
const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

export function jsonString(text: string, escapesUnicode: boolean, upperCase = false): string {
  const odd = escapesUnicode ? /["\\\u0000-\u001f\u007f-\uffff]/g : /["\\\u0000-\u001f]/g;
  const code = (character: string): string => {
    const digits = character.charCodeAt(0).toString(16).padStart(4, '0');
    return upperCase ? digits.toUpperCase() : digits;
  };
  return `"${text.replaceAll(odd, (character) => shortEscapes[character] ?? `\\u${code(character)}`)}"`;
}

/** Writes a value as JSON. */
export function writeJson(rt: Runtime, value: Value, writing: JsonWriting, depth = 0): string {
  if (depth > DEEPEST) return rt.fail('java.lang.StackOverflowError', null);
  rt.budget.spend(1);
  const text = written(rt, writing.unwrap(value, rt), writing, depth);
  rt.budget.allocate(2 * text.length);
  return text;
}

function written(rt: Runtime, value: Value, writing: JsonWriting, depth: number): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return jsonString(value, writing.escapesUnicode, !writing.escapesUnicode);
  if (isNumber(value)) return numberText(rt, value, writing);
  if (value instanceof GString) {
    return writing.takesGStrings ? jsonString(rt.text(value), writing.escapesUnicode) : writing.other(rt, value);
  }
  if (value instanceof Char) return jsonString(rt.text(value), writing.escapesUnicode);
  if (value instanceof GMap) return mapText(rt, value, writing, depth);
  if (value instanceof List || value instanceof GSet || value instanceof ArrayValue)
    return listText(rt, itemsNow(rt, value), writing, depth);
  if (value instanceof ByteArray || value instanceof Closure || value instanceof Entry || !isWalkable(value))
    return writing.other(rt, value);
  return listText(rt, value.elements(), writing, depth);
}

function numberText(rt: Runtime, value: Value, { escapesUnicode }: JsonWriting): string {
  if ((value instanceof Double || value instanceof Float) && !Number.isFinite(value.value)) {
    if (!escapesUnicode) return `"${rt.text(value)}"`;
    rt.fail(
      'groovy.json.JsonException',
      `Number ${rt.text(value)} can't be serialized as JSON: infinite or NaN are not allowed in JSON.`,
    );
  }
  return rt.text(value);
}

function mapText(rt: Runtime, map: GMap, writing: JsonWriting, depth: number): string {
  const shown = map.entries().filter((entry) => writing.skips?.(rt.text(entry.entryKey), entry.value) !== true);
  const members = shown.map((entry) => {
    if (entry.entryKey === null)
      rt.fail('java.lang.IllegalArgumentException', "Maps with null keys can't be converted to JSON");
    const name = jsonString(rt.text(entry.entryKey), writing.escapesUnicode);
    return `${name}:${writeJson(rt, entry.value, writing, depth + 1)}`;
  });
  return `{${members.join(',')}}`;
}

function listText(rt: Runtime, items: readonly Value[], writing: JsonWriting, depth: number): string {
  return `[${items.map((item) => writeJson(rt, item, writing, depth + 1)).join(',')}]`;
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*"|[{}[\],:]|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|("))/sy;

/** Groovy only takes the text apart, and stops at a string without an end. */
function* jsonTokens(rt: Runtime, text: string): Generator<string> {
  const length = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  let at = 0;
  while (at < length) {
    TOKEN.lastIndex = at;
    const [, token, open] = TOKEN.exec(text) ?? [];
    if (open !== undefined) return;
    at = TOKEN.lastIndex;
    if (token === undefined)
      rt.fail('groovy.json.JsonException', 'no value or punctuation of JSON could be recognized');
    yield token!;
  }
}

/** `JsonOutput.prettyPrint`: four spaces, and a line of its own even for what an empty object holds. */
export function prettyJson(rt: Runtime, text: string): string {
  let out = '';
  let depth = 0;
  rt.budget.spend(text.length);
  const line = (): string => {
    rt.budget.allocate(2 + 8 * depth);
    return `\n${'    '.repeat(depth)}`;
  };
  for (const token of jsonTokens(rt, text)) {
    rt.budget.allocate(2 * token.length);
    if (token === '{' || token === '[') {
      depth++;
      out += token + line();
    } else if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1);
      out += line() + token;
    } else if (token === ',') out += token + line();
    else out += token === ':' ? ': ' : token.replaceAll(/[^\0-\x7e]/g, escaped);
  }
  return out;
}
