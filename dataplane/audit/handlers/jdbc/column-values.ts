import { type JsonPointer, valueAt } from '../../../../contract/crest/json-pointer.ts';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';

/** A column of a table, and the field of events that it holds. */
export interface MappedColumn {
  readonly field: JsonPointer;
  /** In quotes, as `sqlName` gives it. */
  readonly column: string;
}

const REPLACEMENT = '\ufffd';

/** Values of an event for the columns of its table; null where it has none. Objects and lists are JSON texts. */
export function columnValues(event: JsonObject, columns: readonly MappedColumn[]): (string | null)[] {
  return columns.map(({ field }) => columnValue(valueAt(event, field)));
}

function columnValue(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? storable(value) : storableJson(JSON.stringify(value));
}

/** PostgreSQL stores no NUL character: a client must not escape the audit by sending one. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', REPLACEMENT);
}

/** JSON.stringify escapes NUL characters and halves of characters, which `jsonb` does not take. */
function storableJson(json: string): string {
  return json.replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (one) => (one === '\\\\' ? one : REPLACEMENT));
}
