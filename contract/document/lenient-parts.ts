import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

/** Returns a text of a document that nobody has validated; empty for another value. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Returns a list of such a document; empty for another value. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** Returns an object of such a document; empty for another value. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
