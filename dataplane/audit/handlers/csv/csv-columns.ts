import { isJsonObject, type JsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';
import { ACCESS_FIELDS } from '../../events/access-fields.ts';

/** Columns of the topic `access`, in the order of OpenIG; the last two are additions. */
const ACCESS: readonly string[] = ['_id', 'timestamp', 'eventName', ...ACCESS_FIELDS, 'ig', 'decision'];

/** Name of the column with the fields of a custom topic that its schema does not name. */
const OTHER = '_other';

/** Columns of a topic: their names, and the values of an event in the same order. */
export interface CsvColumns {
  readonly names: readonly string[];
  valuesOf(event: JsonObject): readonly (JsonValue | undefined)[];
}

/** Columns of a topic. @param fields of a custom topic, those of every event first */
export function csvColumns(topic: string, fields: readonly string[]): CsvColumns {
  if (topic === 'access') {
    const paths = ACCESS.map((name) => name.split('.'));
    return { names: ACCESS, valuesOf: (event) => paths.map((path) => valueAt(event, path)) };
  }
  const known = new Set(fields);
  return {
    names: [...fields, OTHER],
    valuesOf(event) {
      const others = Object.entries(event).filter(([name]) => !known.has(name));
      return [...fields.map((name) => event[name]), others.length === 0 ? undefined : Object.fromEntries(others)];
    },
  };
}

function valueAt(event: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = event;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}
