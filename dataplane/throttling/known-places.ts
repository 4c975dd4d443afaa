import { randomInt } from 'node:crypto';

/** Longer keys are looked up anew each time. */
const LONGEST_KEY = 64;
/** How far from its home a key is looked for. */
const REACH = 8;
const FEWEST_SLOTS = 1024;
const MOST_SLOTS = 262_144;
/** Words of a slot: the hash of its key, and the place. They are side by side because each look elsewhere costs. */
const SLOT = { hash: 0, bucket: 1, generation: 2, words: 4 } as const;

/**
 * Where the keys have their buckets that a unit has seen lately: saves making their digests. A Map takes several times
 * longer for texts that were made for one request; here a key that finds no slot is forgotten instead of searched for.
 */
export class KnownPlaces {
  private readonly seed = randomInt(2 ** 32) | 0;
  private slots = new Int32Array(FEWEST_SLOTS * SLOT.words);
  private keys: (string | null)[] = emptySlots(FEWEST_SLOTS);
  private count = 0;
  /** The generation that goes with the bucket that was found last. */
  generation = 0;

  /** The bucket of a key, or -1. */
  find(key: string): number {
    if (key.length > LONGEST_KEY) return -1;
    const { slots, keys } = this;
    const hash = this.hash(key);
    const mask = keys.length - 1;
    for (let step = 0; step < REACH; step++) {
      const at = (hash + step) & mask;
      if (slots[at * SLOT.words + SLOT.hash] !== hash || keys[at] !== key) continue;
      this.generation = slots[at * SLOT.words + SLOT.generation]!;
      return slots[at * SLOT.words + SLOT.bucket]!;
    }
    return -1;
  }

  /** Learns where a key is that `find` did not know, or knew wrongly. */
  learn(key: string, bucket: number, generation: number): void {
    if (key.length > LONGEST_KEY) return;
    const copy = Buffer.from(key).toString(); // a part of a longer text would keep all of that
    if (copy !== key) return;
    if (this.count >= this.keys.length / 2) this.grow();
    this.put(this.hash(copy), copy, bucket, generation);
  }

  private put(hash: number, key: string, bucket: number, generation: number): void {
    const { slots, keys } = this;
    const mask = keys.length - 1;
    let at = hash & mask;
    for (let step = 0; step < REACH; step++) {
      const here = (hash + step) & mask;
      if (keys[here] !== null && keys[here] !== key) continue;
      at = here;
      break;
    }
    if (keys[at] === null) this.count++;
    keys[at] = key;
    slots[at * SLOT.words + SLOT.hash] = hash;
    slots[at * SLOT.words + SLOT.bucket] = bucket;
    slots[at * SLOT.words + SLOT.generation] = generation;
  }

  /** Makes room, at the end by forgetting all. */
  private grow(): void {
    const { slots, keys } = this;
    const size = Math.min(2 * keys.length, MOST_SLOTS);
    this.slots = new Int32Array(size * SLOT.words);
    this.keys = emptySlots(size);
    this.count = 0;
    if (size === keys.length) return;
    keys.forEach((key, slot) => {
      const at = slot * SLOT.words;
      if (key !== null) this.put(slots[at + SLOT.hash]!, key, slots[at + SLOT.bucket]!, slots[at + SLOT.generation]!);
    });
  }

  private hash(key: string): number {
    let hash = this.seed ^ key.length;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
    return hash ^ (hash >>> 15);
  }
}

function emptySlots(count: number): (string | null)[] {
  return Array.from({ length: count }, () => null);
}
