import { isBlank } from '../document/blank.ts';

/** A text with the escapes in it undone to some level. */
export interface Reading {
  readonly text: string;
  /** Offset in the original text of each character, and of the end; null when nothing was undone. */
  readonly offsets: Uint32Array | null;
}

interface Character {
  readonly text: string;
  readonly end: number;
}

interface Encoding {
  readonly mark: string;
  /** Reads the character that an escape stands for; null where a mark begins none. */
  readonly read: (text: string, from: number) => Character | null;
}

/** Stands for a quote that is escaped, and does not end the text that it is in. */
export const ESCAPED_QUOTE = '\ufffc';
/** Stands for characters that must not end a text or a URL, such as a quote that is escaped. */
const OTHER = '\ufffd';
const HEXADECIMAL = /^[\da-f]+$/i;
const DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const WHITE_SPACE = 'nrtfvb';
/** JSON in a string of JSON in a string of JSON, and URLs that are parameters of parameters. */
const LEVELS = 3;

const IN_STRINGS: Encoding = { mark: '\\', read: characterOfString };
const IN_URLS: Encoding = { mark: '%', read: characterOfUrl };

/**
 * Yields a text as it stands, then with the escapes of JSON and YAML strings undone level by level, then with those of
 * URLs undone. No level replaces another: an escaped slash is part of a password where a plain one ends it.
 */
export function* readings(text: string): Generator<Reading> {
  // A quote in a string ends nothing; the length stays the same.
  const quoted = text.replaceAll(/\\./gs, (pair) => (pair === '\\"' ? `\\${ESCAPED_QUOTE}` : pair));
  let reading: Reading = { text: quoted, offsets: null };
  yield reading;
  for (const encoding of [IN_STRINGS, IN_URLS]) {
    for (let level = 0; level < LEVELS; level++) {
      const next = undone(reading, encoding);
      if (next === null) break;
      reading = next;
      yield reading;
    }
  }
}

function undone({ text, offsets: before }: Reading, { mark, read }: Encoding): Reading | null {
  const offsets = new Uint32Array(text.includes(mark) ? text.length + 1 : 0);
  const parts: string[] = [];
  let length = 0;
  let copied = 0;
  const copyTo = (end: number): void => {
    parts.push(text.slice(copied, end));
    for (; copied < end; copied++) offsets[length++] = before?.[copied] ?? copied;
  };
  for (let found = text.indexOf(mark); found >= 0; found = text.indexOf(mark, copied)) {
    const character = read(text, found);
    copyTo(character === null ? found + 1 : found);
    if (character === null) continue;
    parts.push(character.text);
    if (character.text !== '') offsets[length++] = before?.[found] ?? found;
    copied = character.end;
  }
  if (parts.length === 0) return null;
  copyTo(text.length);
  offsets[length] = before?.[text.length] ?? text.length;
  return { text: parts.join(''), offsets };
}

function characterOfString(text: string, from: number): Character | null {
  const kind = text[from + 1];
  if (kind === undefined) return null;
  const digits = DIGITS[kind];
  if (digits !== undefined) return characterOfCode(text, from + 2, digits);
  if (kind === '\n' || kind === '\r') {
    // YAML continues the string on the next line, without its indent.
    let end = from + 2;
    while (end < text.length && isBlank(text.charCodeAt(end))) end++;
    return { text: '', end };
  }
  return { text: WHITE_SPACE.includes(kind) ? ' ' : kind, end: from + 2 };
}

function characterOfUrl(text: string, from: number): Character | null {
  return characterOfCode(text, from + 1, 2);
}

function characterOfCode(text: string, from: number, digits: number): Character | null {
  const written = text.slice(from, from + digits);
  if (written.length < digits || !HEXADECIMAL.test(written)) return null;
  const code = Number.parseInt(written, 16);
  return { text: code < 128 && code !== 0x22 ? String.fromCharCode(code) : OTHER, end: from + digits };
}
