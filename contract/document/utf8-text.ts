import { Buffer, isUtf8 } from 'node:buffer';
import type { PlacedProblem } from './document-text.ts';
import { placeAt, withoutMark } from './text-place.ts';

/** The text of a file, or the problem that it is none. A byte order mark is dropped. */
export function decodeText(given: string | Uint8Array): { text: string } | { problem: PlacedProblem } {
  if (typeof given === 'string') return withoutHalves(withoutMark(given));
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { text: withoutMark(text) };
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return { problem: notUtf8(bytes.toString('utf8', 0, firstBadByte(bytes, text)), isUtf16) };
}

/** Half of a surrogate pair has no bytes, so a text that holds one could not be written, hashed or sent as it is. */
function withoutHalves(text: string): { text: string } | { problem: PlacedProblem } {
  if (text.isWellFormed()) return { text };
  const wellFormed = text.toWellFormed();
  let at = 0;
  while (text.charCodeAt(at) === wellFormed.charCodeAt(at)) at++;
  return { problem: { ...faulty('holds half of a surrogate pair'), place: placeAt(text, at) } };
}

/** What is not UTF-8 was decoded as U+FFFD, which encodes differently, and all before it the same. */
function firstBadByte(bytes: Uint8Array, decoded: string): number {
  const again = Buffer.from(decoded);
  let at = 0;
  while (at < bytes.length && bytes[at] === again[at]) at++;
  return at;
}

function notUtf8(sound: string, isUtf16: boolean): PlacedProblem {
  return {
    ...faulty(isUtf16 ? 'is not UTF-8 but UTF-16' : 'is not UTF-8'),
    place: placeAt(withoutMark(sound), withoutMark(sound).length),
    hint: 'save the file as UTF-8',
  };
}

function faulty(message: string): PlacedProblem {
  return { code: 'text', severity: 'error', path: [], message };
}
