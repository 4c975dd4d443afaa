import type { Place } from '../problem.ts';

const BYTE_ORDER_MARK = '\uFEFF';
const LINE_END = /\r\n?|\n/g;

/** Drops the mark that some editors put first, which belongs to the file and not to what it says. */
export function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** The place of an offset; a character outside the basic plane is one column. */
export function placeAt(text: string, offset: number): Place {
  let line = 1;
  let lineStart = 0;
  for (const { index, 0: end } of text.matchAll(LINE_END)) {
    if (index + end.length > offset) break;
    line++;
    lineStart = index + end.length;
  }
  return { line, column: countCharacters(text.slice(lineStart, offset)) + 1 };
}

/** One line without its end, or undefined when there are fewer. */
export function lineOf(text: string, line: number): string | undefined {
  let number = 1;
  let lineStart = 0;
  for (const { index, 0: end } of text.matchAll(LINE_END)) {
    if (number === line) return text.slice(lineStart, index);
    number++;
    lineStart = index + end.length;
  }
  return number === line ? text.slice(lineStart) : undefined;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
