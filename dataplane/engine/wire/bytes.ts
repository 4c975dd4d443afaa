/** Byte classes of HTTP/1.1, as tables: one load decides what a byte may be. */

declare global {
  interface Buffer {
    /** Node's own, undocumented but stable: decodes or writes one byte a character without options to parse. */
    latin1Slice(start?: number, end?: number): string;
    latin1Write(text: string, offset: number): number;
  }
}

/** Readers may look this far past the end of the bytes they were given; the first byte past the end must be 0. */
export const SLACK = 16;

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

/** Characters of a usual header name; one with others, which may imitate another name, takes the slow path. */
export const NAME = tableOf(`-${ALPHANUMERIC}`);
/** Characters of a token (RFC 9110 §5.6.2). */
export const TOKEN = tableOf(`!#$%&'*+-.^_\`|~${ALPHANUMERIC}`);
/** Characters of a method: registered ones are upper case, and a lower-case twin would pass a check on the name. */
export const METHOD = tableOf('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_');
/** Visible ASCII: what a request target is made of before its parts are judged. */
export const TARGET = new Uint8Array(256);
/** Field values: visible characters, space, tab and obs-text (RFC 9110 §5.5). */
export const VALUE = new Uint8Array(256);
/** ASCII lower case; `byte | 32` would make `^` equal `~` and `@` equal a backquote. */
export const LOWER = new Uint8Array(256);
/** Value of a hexadecimal digit, 255 for any other byte. */
export const HEX = new Uint8Array(256).fill(255);
/** Characters of a host as the Host header may carry it: reg-name, IPv4, port and, in brackets, IPv6. */
export const HOST = tableOf(`-._~!$&'()*+,;=:%[]${ALPHANUMERIC}`);

for (let byte = 0; byte < 256; byte++) {
  TARGET[byte] = byte > 0x20 && byte < 0x7f ? 1 : 0;
  VALUE[byte] = (byte >= 0x20 && byte !== 0x7f) || byte === 9 ? 1 : 0;
  LOWER[byte] = byte >= 65 && byte <= 90 ? byte | 32 : byte;
}
for (let digit = 0; digit < 16; digit++) {
  HEX[digit.toString(16).charCodeAt(0)] = digit;
  HEX[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

/** Whether the bytes at `at` spell `name`, which must be lower case. */
export function spells(bytes: Uint8Array, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (LOWER[bytes[at + i]!] !== name.charCodeAt(i)) return false;
  return true;
}

/** Texts up to this length are looked at faster here than by a pattern, which does not mind texts that are parts of others. */
const SHORT_VALUE = 16;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether a string holds only what a field value may hold. */
export function isFieldValue(value: string): boolean {
  if (value.length > SHORT_VALUE) return FIELD_VALUE.test(value);
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code > 255 || VALUE[code] === 0) return false;
  }
  return true;
}

/** Texts up to this length are written faster here than by a call into the runtime, which takes the time of ten characters. */
const SHORT_TEXT = 8;

/** Writes text of one byte a character. @returns where it stopped. */
export function writeText(out: Buffer, at: number, text: string): number {
  if (text.length > SHORT_TEXT) return at + out.latin1Write(text, at);
  for (let i = 0; i < text.length; i++) out[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** Writes CRLF. @returns where it stopped. */
export function endLine(out: Buffer, at: number): number {
  out[at] = 13;
  out[at + 1] = 10;
  return at + 2;
}

/** Whether a string is a token. */
export function isToken(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code > 255 || TOKEN[code] === 0) return false;
  }
  return value.length > 0;
}

// heads lie in one arena when they were received as text and in another when they were decoded: both views are kept
let viewed: Buffer | null = null;
let words = new Int32Array(0);
let viewedBefore: Buffer | null = null;
let wordsBefore = new Int32Array(0);

function view(bytes: Buffer): void {
  const [other, otherWords] = [viewedBefore, wordsBefore];
  viewedBefore = viewed;
  wordsBefore = words;
  viewed = bytes;
  words =
    bytes === other
      ? otherWords
      : bytes.byteOffset === 0
        ? new Int32Array(bytes.buffer as ArrayBuffer, 0, bytes.length >> 2)
        : NO_WORDS;
}

/**
 * The first byte from `at` on that may not stand in a field value. Eight bytes a step: a bearer token is a kilobyte, and
 * looking at each byte of it was a quarter of all the JavaScript of a request. The slack behind the bytes is read too.
 */
export function endOfValue(bytes: Buffer, at: number): number {
  if (bytes !== viewed) view(bytes);
  while ((at & 3) !== 0) {
    if (VALUE[bytes[at]!] === 0) return at;
    at++;
  }
  const list = words;
  let i = at >> 2;
  for (const last = list.length - 1; i < last; i += 2) {
    const one = list[i]!;
    const two = list[i + 1]!;
    const del1 = one ^ 0x7f7f7f7f;
    const del2 = two ^ 0x7f7f7f7f;
    // a byte below 0x20, or 0x7f: both tests are exact for "is there any"
    const odd =
      ((one - 0x20202020) & ~one) |
      ((two - 0x20202020) & ~two) |
      ((del1 - 0x01010101) & ~del1) |
      ((del2 - 0x01010101) & ~del2);
    if ((odd & 0x80808080) !== 0) break;
  }
  at = list.length === 0 ? at : i << 2;
  while (VALUE[bytes[at]!] !== 0) at++;
  return at;
}

const NO_WORDS = new Int32Array(0);

/** Bytes up to which a loop compares faster than a call of the runtime. */
const FEW_BYTES = 96;

/** Whether the bytes in this range are exactly these. */
export function areBytes(bytes: Buffer, start: number, end: number, value: Buffer): boolean {
  return end - start === value.length && holdsPart(bytes, start, value, 0, value.length);
}

/** Tells if the bytes at `at` are those of a part of others. */
export function holdsPart(bytes: Buffer, at: number, others: Buffer, from: number, to: number): boolean {
  if (to - from > FEW_BYTES) return bytes.compare(others, from, to, at, at + to - from) === 0;
  for (let i = from, far = at - from; i < to; i++) if (bytes[far + i] !== others[i]) return false;
  return true;
}
