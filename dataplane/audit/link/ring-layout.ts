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
  /** Word: what the reader waits for, one of `WAITS`. */
  waits: 32,
  /** Word: 1 after the unit counted an event that it could not write, until the reader looked. */
  unwritten: 48,
  /** Bytes of a record before the event. */
  recordHead: 12,
  skip: -1,
} as const;

/** Value that the reader of a ring waits for. */
export const WAITS = {
  /** It reads. */
  no: 0,
  /** The next record. */
  anything: 1,
  /** A time, unless much comes before: events are cheaper in batches. */
  much: 2,
} as const;

/** Part of a ring that is much: from here on a reader that waits for its time is woken. */
export const MUCH = 0.25;

/**
 * Size of the records of a ring: half a second of a busy unit, so that a pause of the writer loses nothing. A ring that
 * is emptied in time begins anew, so that most of this memory is never touched.
 */
export const RING_BYTES = 16 << 20;

/** Part of a ring after which an empty one begins anew. */
export const SHORT = 1 / 16;

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
