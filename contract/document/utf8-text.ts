import type { PlacedProblem } from './document-text.ts';
import { placeAt, withoutMark } from './text-place.ts';

/** Keeps the byte order mark, and decodes what is not UTF-8 as U+FFFD. Browsers have it, too. */
const LENIENT = new TextDecoder('utf-8', { ignoreBOM: true });
const REPLACEMENT = '\uFFFD';

/** The text of a file, or the problem that it is none. A byte order mark is dropped. */
export function decodeText(given: string | Uint8Array): { text: string } | { problem: PlacedProblem } {
  if (typeof given === 'string') return withoutHalves(withoutMark(given));
  const text = LENIENT.decode(given);
  const at = text.includes(REPLACEMENT) ? firstBadByte(given, text) : given.length;
  if (at === given.length) return { text: withoutMark(text) };
  const isUtf16 = (given[0] === 0xff && given[1] === 0xfe) || (given[0] === 0xfe && given[1] === 0xff);
  return { problem: notUtf8(LENIENT.decode(given.subarray(0, at)), isUtf16) };
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
  const again = new TextEncoder().encode(decoded);
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
