import { LOWER } from '../wire/bytes.ts';

const HYPHEN = 45;

/** A byte of a header name as servers see it that make variables of headers: all but letters and digits is the same. */
const FOLDED = LOWER.map((byte) => (isLetterOrDigit(byte) ? byte : HYPHEN));

function isLetterOrDigit(byte: number): boolean {
  return (byte >= 97 && byte <= 122) || (byte >= 48 && byte <= 57);
}

/** A name with `-` for everything that is no letter and no digit. `name` in lower case. */
export function foldedName(name: string): string {
  return name.replaceAll(/[^a-z0-9]/g, '-');
}

/** Whether a name in the bytes is this one once both are folded; `folded` is. */
export function foldsTo(bytes: Buffer, start: number, end: number, folded: string): boolean {
  if (end - start !== folded.length) return false;
  for (let i = 0; i < folded.length; i++) if (FOLDED[bytes[start + i]!] !== folded.charCodeAt(i)) return false;
  return true;
}

/** Whether a name in the bytes holds anything but letters, digits, `-` and `_`. */
export function isOddName(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (FOLDED[byte] === HYPHEN && byte !== HYPHEN && byte !== 95) return true;
  }
  return false;
}
