import type { JsonValue } from '../../../../contract/document/json-value.ts';
import { visibleText } from '../../../log/visible-text.ts';

/** How rows are written. */
export interface CsvLayout {
  readonly quote: string;
  readonly delimiter: string;
  readonly endOfLine: string;
}

/** First characters with which a spreadsheet takes a text for a formula. */
const FORMULA = /^[=+\-@]/;

/** A row without its end of line. It is one line whatever its values hold. */
export function csvRow(values: readonly (JsonValue | undefined)[], { quote, delimiter }: CsvLayout): string {
  return values.map((value) => cell(value, quote)).join(delimiter);
}

/**
 * A value in quotes; nothing for none and for the empty text. Control characters are written as escapes of JSON, and a
 * text that a spreadsheet would run as a formula gets an apostrophe before it.
 */
function cell(value: JsonValue | undefined, quote: string): string {
  if (value === undefined || value === null || value === '') return '';
  const written = typeof value === 'string' ? (FORMULA.test(value) ? `'${value}` : value) : JSON.stringify(value);
  return `${quote}${visibleText(written).replaceAll(quote, quote + quote)}${quote}`;
}
