import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import type { Path } from '../../../contract/problem.ts';

/** Keywords that refer to another schema. */
export const REFERENCES: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef'];
/** Keywords with one schema for the same value. */
export const SAME: readonly string[] = ['not', 'if', 'then', 'else'];
/** Keywords with several schemas for the same value. */
export const SAME_LIST: readonly string[] = ['allOf', 'anyOf', 'oneOf'];
/** Keywords with schemas by name for the same value. */
export const SAME_MAP: readonly string[] = ['dependentSchemas', 'dependencies'];
/** Keywords with one schema, or a list of them, for values inside. */
export const INSIDE: readonly string[] = [
  ...['items', 'additionalItems', 'prefixItems', 'contains', 'additionalProperties', 'propertyNames'],
  ...['unevaluatedProperties', 'unevaluatedItems'],
];
/** Keywords with schemas by name for values inside. */
export const INSIDE_MAP: readonly string[] = ['properties', 'patternProperties'];

/** Keywords whose values are data: an object there is no schema, whatever its members are called. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required', 'type']);
/** Keywords whose members are schemas by name: these names are no keywords. */
const MAPS: ReadonlySet<string> = new Set([...SAME_MAP, ...INSIDE_MAP, '$defs', 'definitions']);
const LISTS: ReadonlySet<string> = new Set([...SAME_LIST, 'items', 'prefixItems']);

/**
 * The schemas right inside a schema, with their paths. An object under an unknown keyword counts, because references may
 * lead to it.
 */
export function* innerSchemas(schema: JsonObject): Generator<readonly [Path, JsonObject]> {
  for (const [name, member] of Object.entries(schema)) {
    if (DATA.has(name)) continue;
    if (Array.isArray(member)) {
      if (!LISTS.has(name)) continue;
      for (const [at, item] of (member as readonly JsonValue[]).entries())
        if (isJsonObject(item)) yield [[name, at], item];
    } else if (!isJsonObject(member)) continue;
    else if (!MAPS.has(name)) yield [[name], member];
    else for (const [key, item] of Object.entries(member)) if (isJsonObject(item)) yield [[name, key], item];
  }
}

/** The same schema with each schema right inside it replaced. */
export function withInnerSchemas(schema: JsonObject, replace: (inner: JsonObject) => JsonObject): JsonObject {
  const replaced = (value: JsonValue): JsonValue => (isJsonObject(value) ? replace(value) : value);
  return mapped(schema, (member, name) => {
    if (DATA.has(name)) return member;
    if (Array.isArray(member)) return LISTS.has(name) ? (member as readonly JsonValue[]).map(replaced) : member;
    return MAPS.has(name) && isJsonObject(member) ? mapped(member, replaced) : replaced(member);
  });
}

function mapped(object: JsonObject, change: (member: JsonValue, name: string) => JsonValue): JsonObject {
  // entries and not assignments: a name may be one of the language, such as __proto__
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, change(member, name)]));
}
