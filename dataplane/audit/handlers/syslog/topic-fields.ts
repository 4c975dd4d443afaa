import { isJsonObject, type JsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';
import { ACCESS_FIELDS } from '../../events/access-fields.ts';

/** Members of every event that stand in the header of a message, or nowhere. */
const IN_HEADER: ReadonlySet<string> = new Set(['_id', 'timestamp', 'eventName']);

/** Objects whose members clients choose: they stay one JSON text. */
const MAPS: ReadonlySet<string> = new Set([
  'request.detail',
  'response.detail',
  'http.request.queryParameters',
  'http.request.headers',
  'http.request.cookies',
  'http.response.headers',
]);

/** Deeper objects stay one JSON text. */
const MOST_DEPTH = 3;
/** Members beyond these stay out: an event of a custom topic may have any number. */
const MOST_FIELDS = 200;

/** One field of an event: its members from the top with dots between, and its value as text. */
export type FlatField = readonly [name: string, value: string];

/** Fields of an event as texts, those of the schema of its topic first, and empty where the event has none. */
export function topicFields(topic: string, event: JsonObject): FlatField[] {
  const found = new Map<string, string>(topic === 'access' ? ACCESS_FIELDS.map((name) => [name, '']) : []);
  flatten(event, '', 1, found);
  return [...found];
}

function flatten(object: JsonObject, prefix: string, depth: number, found: Map<string, string>): void {
  for (const [key, value] of Object.entries(object)) {
    if (prefix === '' && IN_HEADER.has(key)) continue;
    const name = `${prefix}${key}`;
    if (isJsonObject(value) && depth < MOST_DEPTH && !MAPS.has(name)) flatten(value, `${name}.`, depth + 1, found);
    else if (found.size < MOST_FIELDS || found.has(name)) found.set(name, asText(value));
  }
}

function asText(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
