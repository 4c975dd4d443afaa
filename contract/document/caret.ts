import type { Place } from '../problem.ts';
import { printable } from './printable-text.ts';
import { lineOf, withoutMark } from './text-place.ts';

const TAB = '    ';
const WINDOW = 100;

/** The line of a place and a caret under its column, each with a margin; nothing when the text has no such line. */
export function caretLines(text: string, place: Place): string[] {
  const line = lineOf(withoutMark(text), place.line);
  if (line === undefined) return [];
  const characters = Array.from(line);
  const before = shownAs(characters.slice(0, place.column - 1));
  const shown = [...before, ...shownAs(characters.slice(place.column - 1))];
  const from = windowStart(before.length, shown.length);
  const cut = shown.slice(from, from + WINDOW);
  if (from > 0) cut[0] = '…';
  if (from + WINDOW < shown.length) cut[WINDOW - 1] = '…';
  const number = String(place.line);
  return [
    `${number} | ${cut.join('')}`.trimEnd(),
    `${' '.repeat(number.length)} | ${' '.repeat(before.length - from)}^`,
  ];
}

function shownAs(characters: readonly string[]): string[] {
  return characters.flatMap((character) => (character === '\t' ? Array.from(TAB) : [printable(character)]));
}

/** A long line is cut so that the caret is in its middle, or as near to it as the ends allow. */
function windowStart(caret: number, length: number): number {
  if (length <= WINDOW) return 0;
  return Math.max(0, Math.min(caret - WINDOW / 2, length - WINDOW));
}
