import { hash } from 'node:crypto';
import { type JsonValue, kindOf } from './json-value.ts';

/**
 * The one text of a value: keys in the order of their UTF-16 code units, no blanks, numbers and strings as ECMAScript
 * writes them (RFC 8785). Equal values have the same text and different ones different texts.
 *
 * @throws TypeError for what JSON does not have, such as NaN or undefined.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const object = value as { readonly [key: string]: JsonValue };
    const members = Object.keys(object)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key]!)}`);
    return `{${members.join(',')}}`;
  }
  const isJson = value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  if (!isJson) throw new TypeError(`${kindOf(value)} that JSON does not have: ${String(value)}`);
  return JSON.stringify(value);
}

/** A short name for the content of a value: SHA-256 of its canonical text, in base64url. */
export function contentHash(value: JsonValue): string {
  return hash('sha256', canonicalJson(value), 'base64url');
}
