import { SLACK } from '../wire/bytes.ts';
import { keep } from '../wire/turn.ts';

const ARENA_SIZE = 1 << 18;
/** Where the limits allow very long heads, a few of them have room. */
const LARGEST_ARENA = 1 << 23;

/**
 * Where header blocks become the text of an HTTP/1.1 head. Like the arenas of the turn it is used anew with every turn:
 * heads that are needed longer have been retained by then.
 */
export const headArena = { bytes: newArena(ARENA_SIZE), at: 0 };

let used = false;
const turnEnd = {
  retain(): void {
    used = false;
    headArena.at = 0;
  },
};

function newArena(size: number): Buffer {
  return Buffer.allocUnsafeSlow(size + 2 * SLACK);
}

/** Makes room for a head of at most `length` bytes at `headArena.at`. */
export function beginHead(length: number): void {
  if (!used) {
    used = true;
    keep(turnEnd);
  }
  const size = headArena.bytes.length - 2 * SLACK;
  if (headArena.at + length <= size) return;
  // heads keep the old one alive until they are done
  headArena.bytes = newArena(Math.max(length, Math.min(2 * size, LARGEST_ARENA)));
  headArena.at = 0;
}

/** The head ends before `end`, where a 0 is put, as scans want it. */
export function endHead(end: number): void {
  headArena.bytes[end] = 0;
  headArena.at = end + 1;
}

/** Short copies are cheaper without a call into the runtime. */
const SHORT_COPY = 32;

/** Copies bytes to a head. @returns where they end there. */
export function copyToHead(out: Buffer, at: number, bytes: Buffer, start: number, end: number): number {
  if (end - start > SHORT_COPY) return at + bytes.copy(out, at, start, end);
  while (start < end) out[at++] = bytes[start++]!;
  return at;
}
