import type { Place } from '../problem.ts';
import { TextLines } from './text-lines.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** Drops the mark that some editors put first, which belongs to the file and not to what it says. */
export function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** The place of one offset; a text that has more to be placed is worth its own lines. */
export function placeAt(text: string, offset: number): Place {
  return new TextLines(text).placeAt(offset);
}
