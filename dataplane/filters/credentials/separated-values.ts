/** How the values of a line are separated and escaped. */
export const separators = {
  COMMA: { character: ',', quotes: true },
  COLON: { character: ':', quotes: false },
  TAB: { character: '\t', quotes: false },
} as const;

export type SeparatorName = keyof typeof separators;

/** More lines than this are a database, which does not belong into the memory of every unit. */
const MOST_LINES = 200_000;

/**
 * Reads lines of separated values. With quotes, as RFC 4180 says: a value in double quotes may contain separators and
 * line breaks, and a double quote twice. Otherwise a backslash escapes the character after it. Empty lines are left out.
 * @throws an error that names the line and shows nothing of it
 */
export function readSeparatedValues(text: string, name: SeparatorName): readonly (readonly string[])[] {
  const { character, quotes } = separators[name];
  const lines: string[][] = [];
  let values: string[] = [];
  let value = '';
  let line = 1;
  let isQuoted = false;
  let wasQuoted = false;

  function endValue(): void {
    values.push(value);
    value = '';
    wasQuoted = false;
  }
  function endLine(): void {
    if (values.length > 0 || value !== '' || wasQuoted) {
      endValue();
      if (lines.push(values) > MOST_LINES) throw new Error(`it has more than ${MOST_LINES} lines`);
    }
    values = [];
  }

  for (let at = 0; at < text.length; at++) {
    const one = text[at]!;
    if (one === '\n') line++;
    if (isQuoted) {
      if (one !== '"') value += one;
      else if (text[at + 1] === '"') value += text[++at];
      else isQuoted = false;
    } else if (one === character) endValue();
    else if (one === '\n' || one === '\r') endLine();
    else if (quotes && one === '"' && value === '' && !wasQuoted) isQuoted = wasQuoted = true;
    else if (wasQuoted) throw new Error(`line ${line} has text after a closing quote`);
    else if (!quotes && one === '\\' && at + 1 < text.length) value += text[++at];
    else value += one;
  }
  if (isQuoted) throw new Error(`a quote is not closed before the end, at line ${line}`);
  endLine();
  return lines;
}
