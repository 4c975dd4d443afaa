import { boundaryWord, combiningMarks, lettersAndDigits, shorthands } from './character-classes.ts';
import { hasCodePoint } from './code-points.ts';

/** Assertions about a position between two characters. */
export const assertions = [
  'text-start',
  'text-end',
  'final-end',
  'final-end-unix',
  'line-start',
  'line-start-unix',
  'line-end',
  'line-end-unix',
  'word-boundary',
  'no-word-boundary',
  'unicode-word-boundary',
  'no-unicode-word-boundary',
] as const;

export type Assertion = (typeof assertions)[number];

/** Character kind on one side of a position, as bits of a number. */
export const side = {
  /** The text begins or ends here. */
  edge: 1,
  carriageReturn: 2,
  lineFeed: 4,
  otherTerminator: 8,
  word: 16,
  unicodeWord: 32,
  /** The text ends here, or after the one line terminator that follows. */
  final: 64,
  /** The same where only `\n` ends a line. */
  finalUnix: 128,
} as const;

const anyTerminator = side.carriageReturn | side.lineFeed | side.otherTerminator;

/** Whether an assertion (its index in `assertions`) holds between two sides. */
export function holdsBetween(assertion: number, left: number, right: number): boolean {
  switch (assertion) {
    case 0:
      return (left & side.edge) !== 0;
    case 1:
      return (right & side.edge) !== 0;
    case 2:
      return (right & (side.edge | side.final)) !== 0;
    case 3:
      return (right & (side.edge | side.finalUnix)) !== 0;
    case 4:
      return (right & side.edge) === 0 && ((left & side.edge) !== 0 || isLineBreak(left, right));
    case 5:
      return (right & side.edge) === 0 && (left & (side.edge | side.lineFeed)) !== 0;
    case 6:
      return (right & side.edge) !== 0 || ((right & anyTerminator) !== 0 && !isInsideBreak(left, right));
    case 7:
      return (right & (side.edge | side.lineFeed)) !== 0;
    case 8:
      return ((left ^ right) & side.word) !== 0;
    case 9:
      return ((left ^ right) & side.word) === 0;
    case 10:
      return ((left ^ right) & side.unicodeWord) !== 0;
    default:
      return ((left ^ right) & side.unicodeWord) === 0;
  }
}

function isLineBreak(left: number, right: number): boolean {
  return (left & anyTerminator) !== 0 && !isInsideBreak(left, right);
}

function isInsideBreak(left: number, right: number): boolean {
  return (left & side.carriageReturn) !== 0 && (right & side.lineFeed) !== 0;
}

/** The side that a character makes, wherever it stands. */
export function sideOf(codePoint: number): number {
  if (codePoint === 0x0a) return side.lineFeed;
  if (codePoint === 0x0d) return side.carriageReturn;
  if (codePoint === 0x85 || codePoint === 0x2028 || codePoint === 0x2029) return side.otherTerminator;
  if (codePoint < 0x80) return isAsciiWord(codePoint) ? side.word | side.unicodeWord : 0;
  return (
    (hasCodePoint(boundaryWord(), codePoint) ? side.word : 0) |
    (hasCodePoint(shorthands.w.unicode(), codePoint) ? side.unicodeWord : 0)
  );
}

function isAsciiWord(codePoint: number): boolean {
  const letter = codePoint | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (codePoint >= 0x30 && codePoint <= 0x39) || codePoint === 0x5f;
}

/** The bits of the place before the line terminator that ends a text, if `at` is that place. */
export function finalBits(text: string, at: number): number {
  const rest = text.length - at;
  if (rest > 2) return 0;
  const first = text.charCodeAt(at);
  if (rest === 2) return first === 0x0d && text.charCodeAt(at + 1) === 0x0a ? side.final : 0;
  if (rest !== 1) return 0;
  if (first === 0x0a) return at > 0 && text.charCodeAt(at - 1) === 0x0d ? side.finalUnix : side.final | side.finalUnix;
  return first === 0x0d || first === 0x85 || first === 0x2028 || first === 0x2029 ? side.final : 0;
}

/** Whether an assertion (its index in `assertions`) holds at a place in a text. */
export function holdsAt(assertion: number, text: string, at: number): boolean {
  const left = at === 0 ? side.edge : sideOf(codePointBefore(text, at));
  const right = at === text.length ? side.edge : sideOf(text.codePointAt(at)!) | finalBits(text, at);
  if (assertion < 8) return holdsBetween(assertion, left, right);
  return holdsBetween(assertion, left | markBits(text, at, -1), right | markBits(text, at, 0));
}

/** The longest run of combining marks that is followed back to the letter it belongs to. */
const longestMarkRun = 32;

/** A combining mark belongs to the word of the letter or digit before it; Java says so for `\b` alone. */
function markBits(text: string, at: number, offset: -1 | 0): number {
  let end = offset === 0 ? at + 1 : at;
  if (end > text.length || text.charCodeAt(end - 1) < 0x80) return 0;
  if (offset === 0 && text.codePointAt(at)! > 0xffff) end++;
  const marks = combiningMarks();
  for (let run = 0; end > 0 && run < longestMarkRun; run++) {
    const codePoint = codePointBefore(text, end);
    if (!hasCodePoint(marks, codePoint)) {
      return run > 0 && hasCodePoint(lettersAndDigits(), codePoint) ? side.word | side.unicodeWord : 0;
    }
    end -= codePoint > 0xffff ? 2 : 1;
  }
  return 0;
}

/** The character that ends before a place, both halves of a surrogate pair together. */
export function codePointBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  if (at < 2 || (unit & 0xfc00) !== 0xdc00 || (text.charCodeAt(at - 2) & 0xfc00) !== 0xd800) return unit;
  return text.codePointAt(at - 2)!;
}
