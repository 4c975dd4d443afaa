import { randomFillSync } from 'node:crypto';

/** Random bytes of a UUID. */
const BYTES = 16;
const LENGTH = 36;
const random = Buffer.alloc(256 * BYTES);
const text = Buffer.alloc(LENGTH, '-');
const DIGITS = Buffer.from('0123456789abcdef');
/** Places of the digits of each byte. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const VERSION = 6;
const VARIANT = 8;
let next = random.length;

/** A random UUID (version 4) as one piece of text: that of `node:crypto` is made of twenty. */
export function uuid(): string {
  if (next === random.length) {
    randomFillSync(random);
    next = 0;
  }
  for (let at = 0; at < BYTES; at++) {
    let byte = random[next + at]!;
    if (at === VERSION) byte = (byte & 0x0f) | 0x40;
    else if (at === VARIANT) byte = (byte & 0x3f) | 0x80;
    const place = PLACES[at]!;
    text[place] = DIGITS[byte >> 4]!;
    text[place + 1] = DIGITS[byte & 15]!;
  }
  next += BYTES;
  return text.latin1Slice(0, LENGTH);
}
