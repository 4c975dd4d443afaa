import type { JsonValue } from '../../../../contract/document/json-value.ts';
import type { NumberForm, TextForm } from '../../../../contract/shown/shown-catalogue.ts';

/** Returns the text of a value for a field of a form. */
export function textFor(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return value.join('\n');
  return JSON.stringify(value);
}

/** Returns the value that a text stands for; undefined for none. */
export function valueFor(
  form: TextForm | NumberForm,
  text: string,
  before: JsonValue | undefined,
): JsonValue | undefined {
  if (text === '') return undefined;
  const isNumber = form.kind === 'number' || form.isNumberToo === true;
  if (isNumber && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && Number.isSafeInteger(Math.trunc(Number(text))))
    return Number(text);
  if (form.kind === 'number') return text;
  if (form.result === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return form.means === 'script' && Array.isArray(before) ? text.split('\n') : text;
}
