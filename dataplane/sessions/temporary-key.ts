import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { lock, unlock } from '../heap/shared-lock.ts';

/** Longest key of any method, and the words that say whether it was made. */
const KEY_BYTES = 64;
const WORDS = 4;
export const TEMPORARY_KEY_MEMORY = WORDS * Int32Array.BYTES_PER_ELEMENT + KEY_BYTES;

/** A random key of this length that all units which share the memory have. The first one makes it. */
export function temporaryKey(memory: SharedArrayBuffer, length: number): KeyObject {
  const words = new Int32Array(memory, 0, WORDS);
  const bytes = new Uint8Array(memory, WORDS * Int32Array.BYTES_PER_ELEMENT, KEY_BYTES);
  const held = lock(words, 0);
  if (words[1] === 0) {
    bytes.set(randomBytes(KEY_BYTES));
    words[1] = 1;
  }
  unlock(words, 0, held);
  return createSecretKey(Buffer.from(bytes.slice(0, length)));
}
