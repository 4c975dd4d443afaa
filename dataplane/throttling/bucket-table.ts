import { lock, unlock, untilFree } from '../heap/shared-lock.ts';
import { BucketMemory, DIGEST_WORDS, HEADER, NUMBER, WORD } from './bucket-memory.ts';
import type { BucketRate } from './bucket-rate.ts';
import { KnownPlaces } from './known-places.ts';
import { type MemoryClock, memoryClock } from './memory-clock.ts';
import { PartitionDigest } from './partition-digest.ts';

/** Result of `take` when there is no bucket for a new key. */
export const FULL = -1;
const GONE = -2;

/** A bucket that gets another key is of another generation, and of its last one it gets no other key. */
const LAST_GENERATION = 2 ** 31 - 1;
const BUCKET_WORDS = 16;
const BUCKET_NUMBERS = 8;

/** Buckets that are looked at in one go when they are cleaned. */
const SLICE = 4096;
/** Buckets are kept this much longer than they must be: the clocks of threads differ by a turn. */
const GRACE = 1e9;

/**
 * Token buckets by key, which all threads that hold the memory share. A bucket has a lock of its own, held for a few
 * instructions; finding, making and removing buckets is done under the lock of the table.
 */
export class BucketTable {
  private readonly memory: BucketMemory;
  private readonly clock: MemoryClock;
  private readonly digest: PartitionDigest;
  private readonly known = new KnownPlaces();
  /** The generation that goes with the bucket that `place` found last. */
  private placed = 0;

  constructor(buffer: SharedArrayBuffer, maximum: number, clock: (epoch: bigint) => MemoryClock = memoryClock) {
    this.memory = new BucketMemory(buffer, maximum);
    this.clock = clock(this.memory.epoch);
    this.digest = new PartitionDigest(this.memory.secret);
  }

  /** How many keys have a bucket. */
  get partitions(): number {
    return Atomics.load(this.memory.header, HEADER.live);
  }

  /** Takes a token. @returns 0, or how long the next one takes in nanoseconds, or FULL. */
  take(key: string, rate: BucketRate): number {
    const { known } = this;
    const bucket = known.find(key);
    if (bucket >= 0) {
      const wait = this.takeFrom(bucket, known.generation, rate);
      if (wait !== GONE) return wait;
    }
    return this.takeFound(key, rate);
  }

  /** Returns what `take` would, and takes nothing. Other threads may change it at any time. */
  peek(key: string, { capacity, duration, interval }: BucketRate): number {
    const digest = this.digest.of(key);
    const { header, index, numbers, maximum } = this.memory;
    const mask = index.length - 1;
    const held = lock(header, HEADER.lock);
    let at = digest[0]! & mask;
    while (index[at] !== 0 && !this.hasDigest(index[at]! - 1, digest)) at = (at + 1) & mask;
    const bucket = index[at]! - 1;
    const hasRoom = header[HEADER.free] !== 0 || header[HEADER.made]! < maximum;
    unlock(header, HEADER.lock, held);
    if (bucket < 0) return hasRoom ? 0 : FULL;
    const number = bucket * BUCKET_NUMBERS;
    const isSame = numbers[number + NUMBER.capacity] === capacity && numbers[number + NUMBER.duration] === duration;
    const elapsed = this.clock.now() - numbers[number + NUMBER.refilled]!;
    const isOpen = !isSame || elapsed >= interval || numbers[number + NUMBER.left]! > 0;
    return isOpen ? 0 : Math.min(interval, interval - elapsed);
  }

  private takeFound(key: string, rate: BucketRate): number {
    for (;;) {
      const bucket = this.place(key);
      if (bucket === FULL) return FULL;
      const wait = this.takeFrom(bucket, this.placed, rate);
      if (wait === GONE) continue; // it was removed in the meantime
      this.known.learn(key, bucket, this.placed);
      return wait;
    }
  }

  private takeFrom(bucket: number, generation: number, rate: BucketRate): number {
    const { words, numbers } = this.memory;
    const { capacity, duration, interval } = rate;
    const word = bucket * BUCKET_WORDS;
    const number = bucket * BUCKET_NUMBERS;
    const now = this.clock.turn();
    let held: number;
    for (;;) {
      const seen = Atomics.load(words, word + WORD.lock);
      held = (seen + 1) | 0;
      if ((seen & 1) === 0 && Atomics.compareExchange(words, word + WORD.lock, seen, held) === seen) break;
      untilFree(words, word + WORD.lock);
    }
    // No loop and no call of ours until the lock is given back: a thread is hardly ever ended here, and the lock of one
    // that was is taken from it.
    let wait = GONE;
    if (words[word + WORD.generation] === generation) {
      let refilled = numbers[number + NUMBER.refilled]!;
      let left = numbers[number + NUMBER.left]!;
      const elapsed = now - refilled;
      const isSame = numbers[number + NUMBER.capacity] === capacity && numbers[number + NUMBER.duration] === duration;
      if (!isSame || elapsed >= duration) {
        left = capacity;
        refilled = now;
      } else if (elapsed >= interval) {
        const tokens = Math.floor(elapsed / interval);
        left = Math.min(capacity, left + tokens);
        refilled += tokens * interval;
      }
      if (left > 0) {
        numbers[number + NUMBER.refilled] = refilled;
        numbers[number + NUMBER.left] = left - 1;
        numbers[number + NUMBER.capacity] = capacity;
        numbers[number + NUMBER.duration] = duration;
        wait = 0;
      } else wait = Math.min(interval, refilled + interval - now); // in a turn that began before the refill, it is more
    }
    Atomics.compareExchange(words, word + WORD.lock, held, (held + 1) | 0);
    return wait;
  }

  /** Finds the bucket of a key, or makes one. */
  private place(key: string): number {
    const digest = this.digest.of(key);
    const { header, index, words } = this.memory;
    const mask = index.length - 1;
    const held = lock(header, HEADER.lock);
    let at = digest[0]! & mask;
    for (; index[at] !== 0; at = (at + 1) & mask) {
      if (this.hasDigest(index[at]! - 1, digest)) break;
    }
    const bucket = index[at] === 0 ? this.make(digest, at) : index[at]! - 1;
    if (bucket !== FULL) this.placed = Atomics.load(words, bucket * BUCKET_WORDS + WORD.generation);
    unlock(header, HEADER.lock, held);
    return bucket;
  }

  private hasDigest(bucket: number, digest: Int32Array): boolean {
    const { words } = this.memory;
    const from = bucket * BUCKET_WORDS + WORD.digest;
    for (let i = 0; i < DIGEST_WORDS; i++) if (words[from + i] !== digest[i]) return false;
    return true;
  }

  /** Each step leaves a sound table, at worst with a bucket that nobody uses: a thread may end between any two. */
  private make(digest: Int32Array, at: number): number {
    const { header, index, words, numbers, maximum } = this.memory;
    let bucket = header[HEADER.free]! - 1;
    if (bucket >= 0) header[HEADER.free] = words[bucket * BUCKET_WORDS + WORD.digest]!;
    else if (header[HEADER.made]! < maximum) bucket = header[HEADER.made]!++;
    else return FULL;
    words.set(digest, bucket * BUCKET_WORDS + WORD.digest);
    numbers[bucket * BUCKET_NUMBERS + NUMBER.capacity] = 0; // of no rate: the first request fills it
    numbers[bucket * BUCKET_NUMBERS + NUMBER.duration] = 0;
    numbers[bucket * BUCKET_NUMBERS + NUMBER.refilled] = this.clock.turn();
    index[at] = bucket + 1;
    Atomics.add(header, HEADER.live, 1);
    return bucket;
  }

  /** Whether nobody has said yet that there is no room, since there last was some. */
  tellsFull(): boolean {
    return Atomics.exchange(this.memory.header, HEADER.told, 1) === 0;
  }

  /** Whether it is time to clean; then it is up to the caller, and to nobody else until half of the interval is over. */
  beginsCleaning(interval: number): boolean {
    const now = this.clock.now();
    const held = lock(this.memory.header, HEADER.lock);
    const isDue = this.memory.nextCleaning <= now;
    if (isDue) this.memory.nextCleaning = now + interval / 2;
    unlock(this.memory.header, HEADER.lock, held);
    return isDue;
  }

  /** Removes those of a number of buckets that are full again. @returns where to go on, or null at the end. */
  cleanFrom(first: number): number | null {
    const { header, maximum } = this.memory;
    const made = Atomics.load(header, HEADER.made);
    const end = Math.min(first + SLICE, made);
    const now = this.clock.now();
    for (let bucket = first; bucket < end; bucket++) if (this.isIdle(bucket, now)) this.remove(bucket, now);
    if (end < made) return end;
    if (this.partitions <= maximum * 0.9) Atomics.store(header, HEADER.told, 0);
    return null;
  }

  private isIdle(bucket: number, now: number): boolean {
    const { numbers } = this.memory;
    const number = bucket * BUCKET_NUMBERS;
    return now - numbers[number + NUMBER.refilled]! > numbers[number + NUMBER.duration]! + GRACE;
  }

  private remove(bucket: number, now: number): void {
    const { header, index, words, numbers } = this.memory;
    const word = bucket * BUCKET_WORDS;
    const mask = index.length - 1;
    const held = lock(header, HEADER.lock);
    let at = words[word + WORD.digest]! & mask;
    while (index[at] !== 0 && index[at] !== bucket + 1) at = (at + 1) & mask;
    if (index[at] !== 0 && this.retire(bucket, now)) {
      this.closeGap(at);
      numbers[bucket * BUCKET_NUMBERS + NUMBER.refilled] = Number.POSITIVE_INFINITY; // never idle
      words[word + WORD.digest] = header[HEADER.free]!;
      header[HEADER.free] = bucket + 1;
      Atomics.sub(header, HEADER.live, 1);
    }
    unlock(header, HEADER.lock, held);
  }

  /** Takes a bucket from its key if it still is idle; who knows its place will look for another. */
  private retire(bucket: number, now: number): boolean {
    const { words } = this.memory;
    const word = bucket * BUCKET_WORDS;
    const held = lock(words, word + WORD.lock);
    const retires = this.isIdle(bucket, now) && words[word + WORD.generation]! < LAST_GENERATION;
    if (retires) words[word + WORD.generation]!++;
    unlock(words, word + WORD.lock, held);
    return retires;
  }

  /** Moves up what follows in the index, so that no search ends at the gap. What is moved is never missing in between. */
  private closeGap(gap: number): void {
    const { index, words } = this.memory;
    const mask = index.length - 1;
    for (let at = (gap + 1) & mask; index[at] !== 0; at = (at + 1) & mask) {
      const home = words[(index[at]! - 1) * BUCKET_WORDS + WORD.digest]! & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      index[gap] = index[at]!;
      gap = at;
    }
    index[gap] = 0;
  }
}
