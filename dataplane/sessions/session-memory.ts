import { createSecretKey, hash, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { lock, unlock } from '../heap/shared-lock.ts';

/** Words of the header. */
export const HEADER = {
  lock: 0,
  ready: 1,
  live: 2,
  madeSlots: 3,
  freeSlot: 4,
  madeBlocks: 5,
  freeBlock: 6,
  swept: 7,
} as const;
/** The last sweep of everything, in numbers of eight bytes. */
export const LAST_SWEEP = 5;
const SECRET = { at: 64, bytes: 32 } as const;
const HEADER_BYTES = 128;

/** A slot is as long as a line of the processor's cache. */
const SLOT_BYTES = 64;
export const SLOT_WORDS = SLOT_BYTES / 4;
export const SLOT_NUMBERS = SLOT_BYTES / 8;
/** Words of a slot; places of slots and blocks count from 1, and 0 is none. */
export const WORD = { next: 0, block: 1, length: 2, version: 3, digest: 4 } as const;
/** Numbers of a slot, behind its words: milliseconds since 1970. */
export const NUMBER = { beganAt: 5, usedAt: 6 } as const;
/** Words of a digest: 192 bits, so that no two ids have the same one. */
export const DIGEST_WORDS = 6;

/** Content is in blocks that lead to each other; a number in front of each is the next one. */
export const BLOCK_BYTES = 256;
export const BLOCK_CONTENT = BLOCK_BYTES - 4;

/** How many sessions there may be, and how many bytes of content they may have together. */
export interface SessionLimits {
  readonly sessions: number;
  readonly bytes: number;
}

/** The memory that the sessions of all units are in: a header, slots, an index from digests to slots, and blocks. */
export class SessionMemory {
  readonly limits: SessionLimits;
  readonly blocks: number;
  readonly header: Int32Array;
  readonly times: Float64Array;
  readonly words: Int32Array;
  readonly numbers: Float64Array;
  readonly index: Int32Array;
  readonly content: Uint8Array;
  private readonly nexts: Int32Array;
  private readonly secret: Uint8Array;
  private readonly digestWords = new Int32Array(DIGEST_WORDS);

  /** Bytes that are needed. What is not used of them is not taken from the machine. */
  static bytes(limits: SessionLimits): number {
    return HEADER_BYTES + limits.sessions * SLOT_BYTES + 4 * indexWords(limits) + blocksOf(limits) * BLOCK_BYTES;
  }

  constructor(memory: SharedArrayBuffer, limits: SessionLimits) {
    this.limits = limits;
    this.blocks = blocksOf(limits);
    const { sessions } = limits;
    const indexAt = HEADER_BYTES + sessions * SLOT_BYTES;
    const blocksAt = indexAt + 4 * indexWords(limits);
    this.header = new Int32Array(memory, 0, SECRET.at / 4);
    this.times = new Float64Array(memory, 0, SECRET.at / 8);
    this.words = new Int32Array(memory, HEADER_BYTES, sessions * SLOT_WORDS);
    this.numbers = new Float64Array(memory, HEADER_BYTES, sessions * SLOT_NUMBERS);
    this.index = new Int32Array(memory, indexAt, indexWords(limits));
    this.content = new Uint8Array(memory, blocksAt, this.blocks * BLOCK_BYTES);
    this.nexts = new Int32Array(memory, blocksAt, this.blocks * (BLOCK_BYTES / 4));
    const secret = new Uint8Array(memory, SECRET.at, SECRET.bytes);
    const held = lock(this.header, HEADER.lock);
    if (this.header[HEADER.ready] === 0) {
      secret.set(randomBytes(SECRET.bytes));
      this.header[HEADER.ready] = 1;
    }
    unlock(this.header, HEADER.lock, held);
    this.secret = secret.slice();
  }

  /** The digest of an id, valid until the next call: the memory holds no ids, which are as good as passwords. */
  digest(id: string): Int32Array {
    const digest = hash('sha256', Buffer.concat([this.secret, Buffer.from(id, 'latin1')]), 'buffer');
    for (let at = 0; at < DIGEST_WORDS; at++) this.digestWords[at] = digest.readInt32LE(4 * at);
    return this.digestWords;
  }

  /** A key of 32 bytes that is derived from the secret of this memory. */
  derivedKey(label: string): KeyObject {
    return createSecretKey(Buffer.from(hkdfSync('sha256', this.secret, '', label, 32)));
  }

  nextOf(block: number): number {
    return this.nexts[(block - 1) * (BLOCK_BYTES / 4)]!;
  }

  setNext(block: number, next: number): void {
    this.nexts[(block - 1) * (BLOCK_BYTES / 4)] = next;
  }
}

function blocksOf({ bytes }: SessionLimits): number {
  return Math.max(1, Math.floor(bytes / BLOCK_BYTES));
}

/** A power of two, with more places than there are sessions, so that few share one. */
function indexWords({ sessions }: SessionLimits): number {
  return 2 ** Math.ceil(Math.log2(sessions + 1));
}
