import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { ACCESS_FIELDS } from './access-fields.ts';

/** Fields below a place of events by name; null where any name may be there. */
export interface EventFields {
  readonly below: ReadonlyMap<string, EventFields> | null;
}

interface Draft extends EventFields {
  below: Map<string, Draft> | null;
}

/** A place whose names are not known. */
export const ANY_FIELDS: EventFields = { below: null };
const NONE: EventFields = { below: new Map() };
const SCALARS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null']);
/** Keywords that add fields to those of `properties`. */
const ADDING = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas'];

/** Fields of access events with names that clients choose, or with lists. */
const OPEN_FIELDS = [
  ...['http.request.queryParameters', 'http.request.headers', 'http.request.cookies', 'http.response.headers'],
  ...['trackingIds', 'request.detail', 'response.detail', 'decision.verdicts'],
];
const OTHER_FIELDS = [
  ...['_id', 'timestamp', 'eventName', 'source', 'topic', 'level', 'ig.exchangeId', 'ig.routeId', 'ig.routeName'],
  ...['outcome', 'code', 'reason', 'type', 'object', 'revision', 'plane', 'unit'].map((name) => `decision.${name}`),
];

/** All fields of access events. */
export const accessEventFields: EventFields = (() => {
  const top: Draft = { below: new Map() };
  const add = (field: string): Draft => {
    let now = top;
    for (const name of field.split('.')) {
      const next = now.below?.get(name) ?? { below: new Map() };
      now.below?.set(name, next);
      now = next;
    }
    return now;
  };
  for (const field of [...ACCESS_FIELDS, ...OTHER_FIELDS]) add(field);
  for (const field of OPEN_FIELDS) add(field).below = null;
  return top;
})();

/** Fields that a schema gives events; a schema that lets others in leaves them open. */
export function schemaFields(schema: JsonValue | undefined): EventFields {
  if (!isJsonObject(schema)) return ANY_FIELDS;
  if (SCALARS.has(schema['type'])) return NONE;
  const { properties, additionalProperties } = schema;
  if (!isJsonObject(properties) || additionalProperties !== false || ADDING.some((name) => name in schema))
    return ANY_FIELDS;
  return { below: membersOf(properties) };
}

/** Fields below each of the properties of a schema. */
export function membersOf(properties: JsonObject): Map<string, EventFields> {
  return new Map(Object.entries(properties).map(([name, schema]) => [name, schemaFields(schema)]));
}

/** Tells where names are compared without regard to case: below this place. */
export type ComparesAnyCase = (steps: readonly string[]) => boolean;

/** A name that no event has at a place, and those that are there. */
export interface UnknownName {
  readonly name: string;
  readonly known: readonly string[];
}

/** Returns the first name on the way to a field that no event has there; null where there is none. */
export function unknownName(
  steps: readonly string[],
  fields: EventFields,
  anyCase: ComparesAnyCase = () => false,
): UnknownName | null {
  let now = fields;
  for (const [at, name] of steps.entries()) {
    if (now.below === null) return null;
    const known = [...now.below.keys()];
    const lower = name.toLowerCase();
    const spelled = anyCase(steps.slice(0, at)) ? known.find((one) => one.toLowerCase() === lower) : name;
    const next = spelled === undefined ? undefined : now.below.get(spelled);
    if (next === undefined) return { name, known };
    now = next;
  }
  return null;
}
