import { randomBytes } from 'node:crypto';
import { lock, unlock } from '../heap/shared-lock.ts';

/** Words of the header. */
export const HEADER = { lock: 0, ready: 1, live: 2, made: 3, free: 4, told: 5 } as const;
const NEXT_CLEANING = 4; // in numbers of eight bytes
const EPOCH = 5;
const SECRET = { at: 64, bytes: 32 } as const;
const HEADER_BYTES = 128;

/** A bucket is as long as a line of the processor's cache. */
const BUCKET_BYTES = 64;
/** Numbers of a bucket. */
export const NUMBER = { refilled: 0, left: 1, capacity: 2, duration: 3 } as const;
/** Words of a bucket, behind its numbers; what every request looks at comes first. */
export const WORD = { lock: 8, generation: 9, digest: 10 } as const;
/** Words of a digest: 192 bits, so that no two keys have the same one. */
export const DIGEST_WORDS = 6;

/** Where the buckets of all units are: a header, the buckets, and an index that leads from digests to them. */
export class BucketMemory {
  readonly maximum: number;
  readonly header: Int32Array;
  /** All buckets, by words and by numbers. */
  readonly words: Int32Array;
  readonly numbers: Float64Array;
  /** Buckets by their digests, counted from 1; 0 where there is none. */
  readonly index: Int32Array;
  /** What digests are made with, so that nobody outside knows them. */
  readonly secret: Uint8Array;
  /** When the memory was new, on the clock of the process. */
  readonly epoch: bigint;
  private readonly times: Float64Array;

  /** How much memory so many buckets need. What is not used of it is not taken from the machine. */
  static bytes(maximum: number): number {
    return HEADER_BYTES + maximum * BUCKET_BYTES + indexWords(maximum) * Int32Array.BYTES_PER_ELEMENT;
  }

  constructor(memory: SharedArrayBuffer, maximum: number) {
    this.maximum = maximum;
    this.header = new Int32Array(memory, 0, SECRET.at / Int32Array.BYTES_PER_ELEMENT);
    this.times = new Float64Array(memory, 0, SECRET.at / Float64Array.BYTES_PER_ELEMENT);
    this.words = new Int32Array(memory, HEADER_BYTES, (maximum * BUCKET_BYTES) / Int32Array.BYTES_PER_ELEMENT);
    this.numbers = new Float64Array(memory, HEADER_BYTES, (maximum * BUCKET_BYTES) / Float64Array.BYTES_PER_ELEMENT);
    this.index = new Int32Array(memory, HEADER_BYTES + maximum * BUCKET_BYTES, indexWords(maximum));
    const epochs = new BigInt64Array(memory, 0, SECRET.at / BigInt64Array.BYTES_PER_ELEMENT);
    const secret = new Uint8Array(memory, SECRET.at, SECRET.bytes);
    const held = lock(this.header, HEADER.lock);
    if (this.header[HEADER.ready] === 0) {
      secret.set(randomBytes(SECRET.bytes));
      epochs[EPOCH] = process.hrtime.bigint();
      this.header[HEADER.ready] = 1;
    }
    unlock(this.header, HEADER.lock, held);
    this.secret = secret.slice();
    this.epoch = epochs[EPOCH]!;
  }

  /** When buckets are to be cleaned next; changed under the lock of the header. */
  get nextCleaning(): number {
    return this.times[NEXT_CLEANING]!;
  }

  set nextCleaning(time: number) {
    this.times[NEXT_CLEANING] = time;
  }
}

/** At most half of the index is used, so that what is looked for is near. */
function indexWords(maximum: number): number {
  return 2 ** Math.ceil(Math.log2(2 * maximum));
}
