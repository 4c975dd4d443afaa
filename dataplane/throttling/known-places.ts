import { randomInt } from 'node:crypto';

/** How far from its home a key is looked for. */
const REACH = 8;
const FEWEST_SLOTS = 256;
const MOST_SLOTS = 262_144;
const SLOT_WORDS = 16;
/** Words of a slot: how long the key is, counted from 1, its place, and the key itself. */
const WORD = { length: 0, bucket: 1, generation: 2, key: 3 } as const;
/** Longer keys are looked up anew each time, and so are those that are not ASCII. */
const LONGEST_KEY = (SLOT_WORDS - WORD.key) * Int32Array.BYTES_PER_ELEMENT;
/** Up to here a loop is quicker than a call of the runtime. */
const FEW_CHARACTERS = 24;

/**
 * Where the keys have their buckets that a unit has seen lately: saves making their digests. Among many keys it is the
 * memory that takes time, so all that is known of a key is in one place; a Map takes several times longer. A key that
 * finds no slot near its home takes that of another, which is looked up anew then.
 */
export class KnownPlaces {
  private readonly seed = randomInt(2 ** 32) | 0;
  private slots = new Int32Array(FEWEST_SLOTS * SLOT_WORDS);
  /** Keys that were put into the slots, also where they took that of another. */
  private count = 0;
  /** The key that was looked for last, in bytes and in words; a code unit can take three bytes. */
  private readonly words = new Int32Array(SLOT_WORDS * 3);
  private readonly bytes = Buffer.from(this.words.buffer);
  /** The generation that goes with the bucket that was found last. */
  generation = 0;

  /** The bucket of a key, or -1. */
  find(key: string): number {
    if (!this.read(key)) return -1;
    const at = this.slotOf(key.length);
    if (at < 0) return -1;
    this.generation = this.slots[at + WORD.generation]!;
    return this.slots[at + WORD.bucket]!;
  }

  /** Learns where a key is that `find` did not know, or knew wrongly. */
  learn(key: string, bucket: number, generation: number): void {
    if (!this.read(key)) return;
    if (this.count >= this.slots.length / SLOT_WORDS / 2) this.grow();
    let at = this.slotOf(key.length);
    if (at < 0) {
      at = this.slotFor(hashOf(this.words, key.length, this.seed));
      this.count++;
    }
    const { slots } = this;
    slots[at + WORD.length] = key.length + 1;
    slots[at + WORD.bucket] = bucket;
    slots[at + WORD.generation] = generation;
    for (let i = 0; i < SLOT_WORDS - WORD.key; i++) slots[at + WORD.key + i] = this.words[i]!;
  }

  /** Puts the key where it can be compared. @returns whether it is one that is remembered. */
  private read(key: string): boolean {
    const { length } = key;
    if (length > LONGEST_KEY) return false;
    this.words[length >> 2] = 0;
    if (length > FEW_CHARACTERS) return this.bytes.write(key) === length;
    for (let i = 0; i < length; i++) {
      const code = key.charCodeAt(i);
      if (code > 127) return false;
      this.bytes[i] = code;
    }
    return true;
  }

  /** Where the key is that was read, or -1. */
  private slotOf(length: number): number {
    const { slots, words } = this;
    const last = slots.length / SLOT_WORDS - 1;
    const hash = hashOf(words, length, this.seed);
    for (let step = 0; step < REACH; step++) {
      const at = ((hash + step) & last) * SLOT_WORDS;
      if (slots[at + WORD.length] === length + 1 && isKey(slots, at + WORD.key, words, length)) return at;
    }
    return -1;
  }

  /** An empty slot for a key of this hash, or else its home. */
  private slotFor(hash: number): number {
    const last = this.slots.length / SLOT_WORDS - 1;
    for (let step = 0; step < REACH; step++) {
      const at = ((hash + step) & last) * SLOT_WORDS;
      if (this.slots[at + WORD.length] === 0) return at;
    }
    return (hash & last) * SLOT_WORDS;
  }

  /** Makes room, at the end by forgetting all. */
  private grow(): void {
    const before = this.slots;
    const size = Math.min(2 * before.length, MOST_SLOTS * SLOT_WORDS);
    this.slots = new Int32Array(size);
    this.count = 0;
    if (size === before.length) return;
    for (let from = 0; from < before.length; from += SLOT_WORDS) {
      if (before[from + WORD.length] === 0) continue;
      const slot = before.subarray(from, from + SLOT_WORDS);
      const at = this.slotFor(hashOf(slot.subarray(WORD.key), slot[WORD.length]! - 1, this.seed));
      this.count++;
      this.slots.set(slot, at);
    }
  }
}

function hashOf(words: Int32Array, length: number, seed: number): number {
  let hash = seed ^ length;
  for (let i = 0; 4 * i < length; i++) {
    hash = Math.imul(hash ^ words[i]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

function isKey(slots: Int32Array, at: number, words: Int32Array, length: number): boolean {
  for (let i = 0; 4 * i < length; i++) if (slots[at + i] !== words[i]) return false;
  return true;
}
