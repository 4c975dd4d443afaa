import { createHash } from 'node:crypto';

const BUCKETS = 1 << 16;
const SLOTS = 16;
/** An entry is a part of the hash of a proof, and the second at which it is forgotten, cut to so many bits. */
const SECOND_BITS = 20n;
const SECOND_MASK = (1 << 20) - 1;
/** How far ahead that second can be; what seems farther ahead is long over, because cut seconds come round again. */
export const LONGEST_MEMORY = 8192;

/** Verdict on a proof: new, used before, or unknown because the memory is full. */
export type Sighting = 'new' | 'seen' | 'full';

/**
 * Which proofs were used, remembered until they are too old to be used. All units of a plane share one memory. Every
 * change is one atomic step: nothing is ever locked, and of two that show the same proof at the same moment at most one
 * hears that it is new. Nothing is pushed out: where there is no room, nobody can tell.
 */
export class SeenProofs {
  static readonly bytes = BUCKETS * SLOTS * BigUint64Array.BYTES_PER_ELEMENT;
  private readonly entries: BigUint64Array;

  constructor(memory: SharedArrayBuffer) {
    this.entries = new BigUint64Array(memory);
  }

  /** Remembers a proof until a second of the clock, which is at most `LONGEST_MEMORY` ahead. */
  add(proof: string, now: number, until: number): Sighting {
    const digest = createHash('sha256').update(proof).digest();
    const start = digest.readUInt16LE(0) * SLOTS;
    const mark = digest.readBigUInt64LE(8) >> SECOND_BITS;
    const entry = (mark << SECOND_BITS) | BigInt(until & SECOND_MASK);
    for (;;) {
      let free = -1;
      let replaced = 0n;
      for (let slot = start; slot < start + SLOTS; slot++) {
        const found = Atomics.load(this.entries, slot);
        if (!isAlive(found, now)) {
          if (free < 0) {
            free = slot;
            replaced = found;
          }
        } else if (found >> SECOND_BITS === mark) return 'seen';
      }
      if (free < 0) return 'full';
      if (Atomics.compareExchange(this.entries, free, replaced, entry) === replaced) {
        return this.isAlone(start, free, mark, now) ? 'new' : 'seen';
      }
    }
  }

  /** Whether nobody has put the same proof into another slot since we looked. */
  private isAlone(start: number, own: number, mark: bigint, now: number): boolean {
    for (let slot = start; slot < start + SLOTS; slot++) {
      const found = Atomics.load(this.entries, slot);
      if (slot !== own && found >> SECOND_BITS === mark && isAlive(found, now)) return false;
    }
    return true;
  }
}

function isAlive(entry: bigint, now: number): boolean {
  if (entry === 0n) return false;
  const left = (Number(BigInt.asUintN(Number(SECOND_BITS), entry)) - now) & SECOND_MASK;
  return left <= LONGEST_MEMORY;
}
