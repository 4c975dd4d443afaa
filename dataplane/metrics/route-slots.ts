import type { RouteFigures } from '../routes/route-figures.ts';

/**
 * The figures of routes: plain numbers at fixed places in memory that a unit writes and its supervisor reads, in chunks
 * that are added as routes come. Requests that began and those that ended are counted apart, so that what is active
 * needs no number that goes down.
 */
export const FIGURE = {
  begun: 0,
  ended: 1,
  error: 2,
  unanswered: 3,
  informational: 4,
  successful: 5,
  redirection: 6,
  clientError: 7,
  serverError: 8,
  unknown: 9,
  seconds: 10,
  squaredSeconds: 11,
  longest: 12,
  /** Counts only where something ended. */
  shortest: 13,
} as const;

const BUCKETS = 16;
/** Four for each doubling of a microsecond, up to half an hour. */
export const BUCKET_COUNT = 128;
const SLOT_SIZE = BUCKETS + BUCKET_COUNT;
const SLOTS_PER_CHUNK = 128;
const CHUNK_BYTES = SLOT_SIZE * SLOTS_PER_CHUNK * Float64Array.BYTES_PER_ELEMENT;

/** The chunks that one unit counts into. */
export class SlotMemory {
  readonly chunks: SharedArrayBuffer[] = [];

  /** Makes room for slots up to this one. @returns the chunks that were added. */
  reach(slot: number): SharedArrayBuffer[] {
    const added: SharedArrayBuffer[] = [];
    while (this.chunks.length * SLOTS_PER_CHUNK <= slot) {
      const chunk = new SharedArrayBuffer(CHUNK_BYTES);
      this.chunks.push(chunk);
      added.push(chunk);
    }
    return added;
  }

  /** The numbers of one slot; null when nobody made room for it. */
  slot(slot: number): Float64Array | null {
    const chunk = this.chunks[Math.floor(slot / SLOTS_PER_CHUNK)];
    if (slot < 0 || chunk === undefined) return null;
    const offset = (slot % SLOTS_PER_CHUNK) * SLOT_SIZE * Float64Array.BYTES_PER_ELEMENT;
    return new Float64Array(chunk, offset, SLOT_SIZE);
  }

  /** Adds everything that another one counted; what was active there ended with it. */
  absorb(other: SlotMemory): void {
    this.reach(other.chunks.length * SLOTS_PER_CHUNK - 1);
    for (let slot = 0; slot < other.chunks.length * SLOTS_PER_CHUNK; slot++) {
      const from = other.slot(slot)!;
      if (from[FIGURE.begun] === 0) continue;
      const into = this.slot(slot)!;
      addFigures(into, from);
      into[FIGURE.begun]! += from[FIGURE.ended]! - from[FIGURE.begun]!;
    }
  }
}

/** Adds the figures of one slot to another. */
export function addFigures(into: Float64Array, from: Float64Array): void {
  const longest = Math.max(into[FIGURE.longest]!, from[FIGURE.longest]!);
  const shortest = [into, from].filter((one) => one[FIGURE.ended]! > 0).map((one) => one[FIGURE.shortest]!);
  for (let i = 0; i < SLOT_SIZE; i++) into[i]! += from[i]!;
  into[FIGURE.longest] = longest;
  into[FIGURE.shortest] = shortest.length === 0 ? 0 : Math.min(...shortest);
}

export function emptyFigures(): Float64Array {
  return new Float64Array(SLOT_SIZE);
}

/** How many observations fell into each bucket of time. */
export function bucketsOf(figures: Float64Array): Float64Array {
  return figures.subarray(BUCKETS);
}

/** The longest time that a bucket holds, in seconds. */
export function bucketBound(bucket: number): number {
  const doubling = bucket >> 2;
  return (2 ** doubling * (1 + ((bucket & 3) + 1) / 4)) / 1_000_000;
}

/** Counts into the numbers of one slot. */
export function figuresIn(slot: Float64Array): RouteFigures {
  return {
    begin() {
      slot[FIGURE.begun]!++;
    },
    end(status, milliseconds, failed) {
      const family = (status / 100) | 0;
      slot[family >= 1 && family <= 5 ? FIGURE.informational + family - 1 : FIGURE.unknown]!++;
      if (failed) slot[FIGURE.error]!++;
      time(slot, milliseconds);
    },
    endUnanswered(milliseconds) {
      slot[FIGURE.unanswered]!++;
      time(slot, milliseconds);
    },
  };
}

function time(slot: Float64Array, milliseconds: number): void {
  const seconds = milliseconds / 1000;
  slot[FIGURE.ended]!++;
  slot[FIGURE.seconds]! += seconds;
  slot[FIGURE.squaredSeconds]! += seconds * seconds;
  if (seconds > slot[FIGURE.longest]!) slot[FIGURE.longest] = seconds;
  if (seconds < slot[FIGURE.shortest]! || slot[FIGURE.ended] === 1) slot[FIGURE.shortest] = seconds;
  slot[BUCKETS + bucketFor(milliseconds)]!++;
}

function bucketFor(milliseconds: number): number {
  const microseconds = milliseconds > 2_000_000 ? 2_000_000_000 : (milliseconds * 1000) | 0;
  const doubling = 31 - Math.clz32(microseconds | 1);
  const quarter = doubling < 2 ? (microseconds << (2 - doubling)) & 3 : (microseconds >> (doubling - 2)) & 3;
  return (doubling << 2) + quarter;
}
