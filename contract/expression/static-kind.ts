import { isDouble, isInteger, isList, type Value } from './value.ts';

/** Kind of a value that is known at compile time, unless the value is null. */
export type StaticKind = 'boolean' | 'text' | 'number' | 'list' | 'map' | 'bytes' | 'object';

/** The kind of a value that is there; null for none. */
export function kindOfValue(value: Value): StaticKind | null {
  if (value === null) return null;
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'text';
  if (isInteger(value) || isDouble(value)) return 'number';
  if (isList(value)) return 'list';
  if (value instanceof Uint8Array) return 'bytes';
  const prototype: unknown = Object.getPrototypeOf(value);
  return value instanceof Map || prototype === Object.prototype || prototype === null ? 'map' : 'object';
}

/** How a message names a kind. */
export const kindNames: Readonly<Record<StaticKind, string>> = {
  boolean: 'true or false',
  text: 'a text',
  number: 'a number',
  list: 'a list',
  map: 'a map',
  bytes: 'bytes',
  object: 'an object',
};
