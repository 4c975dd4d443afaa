/**
 * A ring in shared memory: one unit writes records, the audit writer reads them. Words first, then the records. A record
 * is its length in bytes, the number of the service, the place of the topic, and the event in UTF-8; it starts at a
 * multiple of a word and never wraps. `SKIP` as the length sends the reader to the beginning.
 */
export const RING = {
  /** Words before the records. Those that different threads write are on different cache lines. */
  words: 64,
  /** Word: where the reader continues, written by the reader. */
  head: 0,
  /** Word: where the next record will be, written by the unit. */
  tail: 16,
  /** Word: 1 while the reader sleeps. */
  sleeping: 32,
  /** Word: 1 after the unit counted an event that it could not write, until the reader looked. */
  unwritten: 48,
  /** Bytes of a record before the event. */
  recordHead: 12,
  skip: -1,
} as const;

/** Size of the records of a ring: seconds of a busy unit, so that a pause of the writer loses nothing. */
export const RING_BYTES = 4 << 20;

/** Largest event in bytes. Larger ones are refused and counted, so that no request fills the ring with one event. */
export const MOST_EVENT_BYTES = 256 << 10;

/** Memory of a new ring. @param bytes of its records; a multiple of four */
export function ringMemory(bytes = RING_BYTES): SharedArrayBuffer {
  return new SharedArrayBuffer(RING.words * Int32Array.BYTES_PER_ELEMENT + bytes);
}

/** Bytes of a record with an event of this size. */
export function recordBytes(eventBytes: number): number {
  return (RING.recordHead + eventBytes + 3) & ~3;
}
