import { spells } from '../wire/bytes.ts';
import { LINE } from './header-ranges.ts';
import type { Headers } from './headers.ts';

/** The next line with this name as it was received, whatever was dropped since; -1 for none. `name` in lower case. */
export function receivedLine(headers: Headers, name: string, after = -1): number {
  const { bytes, base, table, first, end } = headers.ranges();
  const { length } = name;
  for (let line = after < 0 ? first : after + LINE; line < end; line += LINE) {
    const start = undropped(table[line]!);
    if (table[line + 1]! - start === length && spells(bytes, base + start, name)) return line;
  }
  return -1;
}

/** Every line as it was received, whatever was dropped or added since; names in lower case. */
export function eachReceived(headers: Headers, visit: (name: string, value: string) => void): void {
  const { bytes, base, table, first, end } = headers.ranges();
  for (let line = first; line < end; line += LINE) {
    const start = base + undropped(table[line]!);
    visit(bytes.latin1Slice(start, base + table[line + 1]!).toLowerCase(), headers.valueAt(line));
  }
}

/** Start of a line: that of one that is dropped is marked by its complement. */
export function undropped(start: number): number {
  return start < 0 ? ~start : start;
}
