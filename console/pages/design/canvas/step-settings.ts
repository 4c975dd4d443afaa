import { isJsonObject, type JsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';

const MOST = 3;
const LONGEST = 48;

/** Returns the first settings of an object in one line. @param hidden fields that are shown elsewhere */
export function settingsOf(config: JsonObject, hidden: readonly string[]): string {
  const fields = Object.entries(config).filter(([name]) => name !== 'comment' && !hidden.includes(name));
  const texts = fields.slice(0, MOST).map(([name, value]) => `${name} ${shortText(value)}`);
  return [...texts, ...(fields.length > MOST ? [`${fields.length - MOST} more`] : [])].join(' · ');
}

function shortText(value: JsonValue): string {
  const text = Array.isArray(value) ? `[${value.length}]` : isJsonObject(value) ? objectText(value) : String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

function objectText(value: JsonObject): string {
  if (typeof value['type'] === 'string') return value['type'];
  const scalars = Object.values(value).filter((one) => typeof one !== 'object');
  return scalars.length > 0 && scalars.length === Object.keys(value).length ? scalars.join(', ') : '{…}';
}
