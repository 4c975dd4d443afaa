import type { JsonValue } from '../document/json-value.ts';
import { type JsonPointer, valueAt } from './json-pointer.ts';
import type { Resource } from './resource.ts';

/** Returns the value of a field; undefined where there is none. */
export type FieldReader<T> = (of: T) => JsonValue | undefined;

/** Returns a reader of a field of a resource. `_id` and `_rev` are fields too, so that no copy with them is needed. */
export function fieldReader(field: JsonPointer): FieldReader<Resource> {
  const [first] = field;
  if (first === '_id') return ({ id }) => (id === null ? undefined : valueAt(id, field.slice(1)));
  if (first === '_rev') {
    return ({ revision, content }) => (revision === null ? valueAt(content, field) : valueAt(revision, field.slice(1)));
  }
  if (first === undefined) return wholeOf;
  // Most fields are at the top, and a query reads them of every resource.
  if (field.length === 1) return ({ content }) => (Object.hasOwn(content, first) ? content[first] : undefined);
  return ({ content }) => valueAt(content, field);
}

function wholeOf({ id, revision, content }: Resource): JsonValue {
  return { ...content, ...(id === null ? {} : { _id: id }), ...(revision === null ? {} : { _rev: revision }) };
}
