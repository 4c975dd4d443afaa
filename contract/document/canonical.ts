import { hash } from 'node:crypto';
import { type JsonValue, kindOf } from './json-value.ts';

/**
 * The one text of a value: keys in the order of their UTF-16 code units, no blanks, numbers and strings as ECMAScript
 * writes them (RFC 8785). Equal values have the same text and different ones different texts.
 *
 * @throws TypeError for what JSON does not have, such as NaN or undefined.
 */
export function canonicalJson(value: JsonValue): string {
  const parts: string[] = [];
  write(value, parts);
  return parts.join('');
}

/** Adds the text of a value in parts, which are joined once: at every level, a long text would be copied again. */
function write(value: JsonValue, parts: string[]): void {
  if (typeof value !== 'object' || value === null) {
    parts.push(scalarText(value));
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      parts.push(index === 0 ? '[' : ',');
      write(item, parts);
    }
    parts.push(value.length === 0 ? '[]' : ']');
  } else {
    const object = value as { readonly [key: string]: JsonValue };
    const keys = Object.keys(object).sort();
    for (const [index, key] of keys.entries()) {
      parts.push(index === 0 ? '{' : ',', JSON.stringify(key), ':');
      write(object[key]!, parts);
    }
    parts.push(keys.length === 0 ? '{}' : '}');
  }
}

function scalarText(value: JsonValue): string {
  const isJson = value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  if (!isJson) throw new TypeError(`${kindOf(value)} that JSON does not have: ${String(value)}`);
  return JSON.stringify(value);
}

/** A short name for the content of a value: SHA-256 of its canonical text, in base64url. */
export function contentHash(value: JsonValue): string {
  return hash('sha256', canonicalJson(value), 'base64url');
}
