import type { Place } from '../problem.ts';
import { printable } from './printable-text.ts';
import { TextLines } from './text-lines.ts';
import { withoutMark } from './text-place.ts';

const TAB = '    ';
const WINDOW = 100;
/** One more than fits, which shows that something is cut off. */
const SEEN = WINDOW + 1;

/** The line of a place and a caret under its column, each with a margin; nothing when the text has no such line. */
export function caretLines(text: string | TextLines, place: Place): string[] {
  const lines = typeof text === 'string' ? new TextLines(withoutMark(text)) : text;
  const line = lines.line(place.line);
  if (line === undefined) return [];
  const at = lines.offsetInLine(place);
  // of a line as long as a whole document only what can be seen is looked at
  const before = shownAs(Array.from(line.slice(Math.max(0, at - 2 * SEEN), at)).slice(-SEEN));
  const shown = [...before, ...shownAs(Array.from(line.slice(at, at + 2 * SEEN)).slice(0, SEEN))];
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
