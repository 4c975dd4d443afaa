import type { z } from 'zod';
import type { Path } from '../problem.ts';
import { type Reading, withReading } from './reading.ts';
import { type PlacedReference, Reference, singleReferences } from './reference.ts';
import { type SchemaNode, schemaTree } from './schema-tree.ts';

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
  return withReading(reading, () => referencesAt(schemaTree(schema), raw, path));
}

function referencesAt(node: SchemaNode, value: unknown, path: Path): PlacedReference[] {
  if (value === undefined || value === null) return [];
  if (node.notes.reference !== undefined) {
    const { data } = node.schema.safeParse(value);
    return data instanceof Reference ? singleReferences(data, path) : [];
  }
  if (node.kind === 'union') return unionReferences(node.options, value, path);
  if (node.kind === 'list') {
    const items = Array.isArray(value) ? value : [];
    return items.flatMap((item, index) => referencesAt(node.item, item, [...path, index]));
  }
  if (typeof value !== 'object' || Array.isArray(value)) return [];
  const fieldOf = (key: string): SchemaNode | undefined => {
    if (node.kind === 'map') return node.value;
    return node.kind === 'object' ? node.fields.get(key) : undefined;
  };
  return Object.entries(value).flatMap(([key, item]) => {
    const field = fieldOf(key);
    return field === undefined ? [] : referencesAt(field, item, [...path, key]);
  });
}

/** Those of the first option that has any. */
function unionReferences(options: readonly SchemaNode[], value: unknown, path: Path): PlacedReference[] {
  for (const option of options) {
    const found = referencesAt(option, value, path);
    if (found.length > 0) return found;
  }
  return [];
}
