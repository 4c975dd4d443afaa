import type { z } from 'zod';
import type { Path } from '../problem.ts';
import { fieldNotes, wrapped } from './leaf.ts';
import { type Reading, withReading } from './reading.ts';
import { type PlacedReference, Reference, singleReferences } from './reference.ts';

/**
 * The references that a configuration holds in the places where its schema wants some, also if it is not sound: what
 * they lead to may have problems of its own, which are to be found at the same time.
 */
export function givenReferences(
  schema: z.core.$ZodType,
  raw: unknown,
  reading: Reading,
  path: Path,
): PlacedReference[] {
  return withReading(reading, () => referencesAt(schema as z.ZodType, raw, path));
}

function referencesAt(schema: z.ZodType, value: unknown, path: Path): PlacedReference[] {
  if (value === undefined || value === null) return [];
  const inner = wrapped(schema);
  if (inner !== null) return referencesAt(inner as z.ZodType, value, path);
  if (fieldNotes(schema).isReference === true) {
    const { data } = schema.safeParse(value);
    return data instanceof Reference ? singleReferences(data, path) : [];
  }
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  if (def.type === 'union') return unionReferences(def.options, value, path);
  if (def.type === 'array') {
    const items = Array.isArray(value) ? value : [];
    return items.flatMap((item, index) => referencesAt(def.element as z.ZodType, item, [...path, index]));
  }
  if (typeof value !== 'object' || Array.isArray(value)) return [];
  const fieldOf = (key: string): z.core.$ZodType | undefined => {
    if (def.type === 'record') return def.valueType;
    return def.type === 'object' && Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
  };
  return Object.entries(value).flatMap(([key, item]) => {
    const field = fieldOf(key);
    return field === undefined ? [] : referencesAt(field as z.ZodType, item, [...path, key]);
  });
}

/** Those of the first option that has any. */
function unionReferences(options: readonly z.core.$ZodType[], value: unknown, path: Path): PlacedReference[] {
  for (const option of options) {
    const found = referencesAt(option as z.ZodType, value, path);
    if (found.length > 0) return found;
  }
  return [];
}
