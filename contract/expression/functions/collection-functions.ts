import type { Pattern } from '../../pattern/pattern.ts';
import { textSearch } from '../../text-search.ts';
import { alike, keysOf as plainKeys } from '../comparison.ts';
import type { FunctionRows, Shapes } from '../language.ts';
import { notTooLong, textOf } from '../text.ts';
import { isList, isPlainObject, type Value } from '../value.ts';

/** Functions on lists and maps; a host object that has entries counts as a map. */
export function collectionFunctions(shapes: Shapes): FunctionRows {
  function keysOf(value: Value): readonly string[] | null {
    if (value instanceof Map) return [...value.keys()].map(String);
    if (isPlainObject(value)) return plainKeys(value);
    if (typeof value !== 'object' || value === null) return null;
    return shapes.get(Object.getPrototypeOf(value))?.entries?.keys?.(value) ?? null;
  }

  function contains(value: Value, part: Value): Value {
    if (value === null || part === null) return false;
    if (typeof value === 'string') return typeof part === 'string' && textSearch(part).first(value, 0) >= 0;
    return isList(value) && value.some((item) => alike(item, part, shapes));
  }

  function keyMatch(map: Value, pattern: Pattern): Value {
    return keysOf(map)?.find((key) => pattern.matches(key)) ?? null;
  }

  function length(value: Value): Value {
    if (typeof value === 'string' || isList(value) || value instanceof Uint8Array) return value.length;
    return keysOf(value)?.length ?? 0;
  }

  return [
    ['array', { takes: 'many', each: 'text', call: (given) => [...given] }],
    ['contains', { takes: 'two', first: 'any', second: 'any', call: contains }],
    ['join', { takes: 'two', first: 'texts', second: 'text', call: join }],
    ['keyMatch', { takes: 'pattern', first: 'any', call: keyMatch }],
    ['lastElement', { takes: 'one', first: 'any', call: (list) => (isList(list) ? (list.at(-1) ?? null) : null) }],
    ['length', { takes: 'one', first: 'any', call: length }],
  ];
}

function join(texts: Value, separator: Value): Value {
  if (!isList(texts)) return null;
  const between = textOf(separator);
  const words = texts.map((text) => (text === null ? 'null' : textOf(text)));
  notTooLong(words.reduce((length, word) => length + word.length + between.length, 0));
  return words.join(between);
}
