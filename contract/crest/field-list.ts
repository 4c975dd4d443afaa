import { type JsonObject, type JsonValue, setMember } from '../document/json-value.ts';
import { commaList } from './comma-list.ts';
import { badRequest, readPart } from './crest-error.ts';
import { type JsonPointer, readJsonPointer, valueAt } from './json-pointer.ts';
import type { Parameters } from './parameters.ts';

const MOST_FIELDS = 200;

/** Reads `_fields`. The empty pointer is the whole resource, and an empty list is too. @throws CrestError */
export function readFields(parameters: Parameters): JsonPointer[] {
  const texts = parameters.all('_fields').flatMap((value) => commaList(value ?? ''));
  if (texts.length > MOST_FIELDS) throw badRequest(`_fields has more than ${MOST_FIELDS} fields`);
  return texts.map((text) => readPart(() => readJsonPointer(text), '_fields'));
}

/** Returns the asked fields of a resource, each under the last step of its pointer. Fields that it lacks are left out. */
export function selectFields(content: JsonObject, fields: readonly JsonPointer[]): JsonObject {
  if (fields.length === 0) return content;
  const selected: Record<string, JsonValue> = {};
  for (const field of fields) {
    if (field.length === 0) {
      for (const [name, value] of Object.entries(content)) setMember(selected, name, value);
      continue;
    }
    const value = valueAt(content, field);
    if (value !== undefined) setMember(selected, field.at(-1)!, value);
  }
  return selected;
}
