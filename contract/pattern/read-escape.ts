import { horizontalSpace, shorthands, verticalSpace } from './character-classes.ts';
import { type CodePoints, complement, lastCodePoint } from './code-points.ts';
import { namedProperty } from './named-property.ts';
import type { PatternSource } from './pattern-source.ts';

const controlEscapes = new Map([
  ['a', 0x07],
  ['e', 0x1b],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
]);

/** The character that an escape stands for, once its backslash and letter are taken; undefined if it is none. */
export function readCharacterEscape(source: PatternSource, letter: string): number | undefined {
  switch (letter) {
    case '0':
      return readOctal(source);
    case 'x':
      return readHexadecimal(source);
    case 'u':
      return readUnicode(source);
    case 'c':
      return readControl(source);
    default:
      // Letters and digits are kept for meanings; anything else escaped is itself.
      return controlEscapes.get(letter) ?? (/^[A-Za-z0-9]$/.test(letter) ? undefined : letter.codePointAt(0));
  }
}

/** The set that an escape stands for, once its backslash and letter are taken; undefined if it is none. */
export function readSetEscape(source: PatternSource, letter: string): CodePoints | undefined {
  const lower = letter.toLowerCase();
  let set: CodePoints | undefined;
  if (lower === 'd' || lower === 's' || lower === 'w') {
    set = source.flags.unicodeClasses ? shorthands[lower].unicode() : shorthands[lower].plain();
  } else if (lower === 'h') set = horizontalSpace;
  else if (lower === 'v') set = verticalSpace;
  else if (lower === 'p') set = readProperty(source);
  else return undefined;
  return letter === lower ? set : complement(set);
}

function readProperty(source: PatternSource): CodePoints {
  const start = source.position;
  let name: string;
  if (source.peekRaw() === '{') {
    source.takeRaw();
    name = source.takeWhile(/^[^}]$/u);
    if (source.peekRaw() !== '}') throw source.problem('the name of a property is not closed with }');
    source.takeRaw();
  } else name = String.fromCodePoint(source.takeRaw());
  const set = namedProperty(name, source.flags);
  if (set !== undefined) return set;
  throw source.problem(
    `the property \\p{${name}} is not known`,
    'use a general category such as \\p{L}, a POSIX class such as \\p{Alpha}, or a script such as \\p{IsGreek}',
    start,
  );
}

function readOctal(source: PatternSource): number {
  const first = source.takeWhile(/^[0-7]$/, 1);
  if (first === '') throw source.problem('\\0 must be followed by an octal number');
  return Number.parseInt(first + source.takeWhile(/^[0-7]$/, first <= '3' ? 2 : 1), 8);
}

function readHexadecimal(source: PatternSource): number {
  if (source.peekRaw() !== '{') {
    const digits = source.takeWhile(/^[0-9A-Fa-f]$/, 2);
    if (digits.length === 2) return Number.parseInt(digits, 16);
    throw source.problem('\\x must be followed by two hexadecimal digits');
  }
  source.takeRaw();
  const codePoint = Number.parseInt(source.takeWhile(/^[0-9A-Fa-f]$/) || 'none', 16);
  if (source.peekRaw() !== '}' || !(codePoint <= lastCodePoint)) {
    throw source.problem('\\x{…} must hold the hexadecimal number of a character');
  }
  source.takeRaw();
  return codePoint;
}

function readUnicode(source: PatternSource): number {
  const unit = readUnit(source);
  if ((unit & 0xfc00) !== 0xd800 || source.peekRaw() !== '\\' || source.peekRaw(1) !== 'u') return unit;
  const afterHigh = source.position;
  source.position += 2;
  const low = readUnit(source);
  if ((low & 0xfc00) === 0xdc00) return 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
  source.position = afterHigh;
  return unit;
}

function readUnit(source: PatternSource): number {
  const digits = source.takeWhile(/^[0-9A-Fa-f]$/, 4);
  if (digits.length === 4) return Number.parseInt(digits, 16);
  throw source.problem('\\u must be followed by four hexadecimal digits');
}

function readControl(source: PatternSource): number {
  if (source.isAtEnd()) throw source.problem('\\c must be followed by a character');
  return source.takeRaw() ^ 0x40;
}
