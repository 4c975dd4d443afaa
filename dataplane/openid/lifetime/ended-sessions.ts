import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { EndedRecord } from '../../../contract/channel.ts';
import { MOST_SHARES } from '../../../contract/notice-share.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import { lock, unlock } from '../../heap/shared-lock.ts';
import type { TakeMemory } from '../../heap/shared-memory.ts';

const HEADER_BYTES = 64;
/** Words of the header. */
const LOCK = 0;
const COUNT = 1;
/** Buckets of operators, and of each share of tenants. */
const BUCKETS = 1 << 12;
const SHARE_BUCKETS = 1 << 8;
const ALL_BUCKETS = BUCKETS + MOST_SHARES * SHARE_BUCKETS;
const SLOTS = 16;
/** A slot has two words of a digest, and a number of eight bytes. */
const SLOT_BYTES = 16;
const SLOT_WORDS = 4;
/** Milliseconds that an entry should stay: no session lives longer by default. */
const LIFETIME = 12 * 3_600_000;

/**
 * Which sessions were ended before their time, shared by all units of the plane. There is room for 65,536 entries of
 * operators and 4096 of each share of tenants; the oldest ones of a share make room for new ones. A look takes no lock, and costs nothing while no session was ended.
 */
export class EndedSessions {
  static readonly bytes = HEADER_BYTES + ALL_BUCKETS * SLOTS * SLOT_BYTES;
  private readonly header: Int32Array;
  private readonly words: Int32Array;
  private readonly times: Float64Array;
  private readonly forgotten: PacedWarning;
  private readonly listeners = new Set<(record: EndedRecord) => void>();

  constructor(memory: SharedArrayBuffer, log: Logger) {
    this.header = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.words = new Int32Array(memory, HEADER_BYTES);
    this.times = new Float64Array(memory, HEADER_BYTES);
    const message = 'too many ended sessions; an old one is forgotten and its cookie may be accepted again';
    this.forgotten = new PacedWarning(log, message, { most: 1 });
  }

  /** Whether nothing was ended, so that no digest has to be computed. */
  get isEmpty(): boolean {
    return Atomics.load(this.header, COUNT) === 0;
  }

  /** Ends the sessions of a key that began up to this moment. */
  end(record: EndedRecord): void {
    this.receive(record);
    for (const listener of this.listeners) listener(record);
  }

  /** Calls a listener with every record of `end`, such as to tell other data planes. The result ends it. */
  ended(listener: (record: EndedRecord) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Takes a record over from another data plane. */
  receive({ key, at }: EndedRecord): void {
    const digest = digestOf(key);
    if (digest === null || !Number.isFinite(at)) return;
    const held = lock(this.header, LOCK);
    try {
      this.store(digest, at);
    } finally {
      unlock(this.header, LOCK, held);
    }
  }

  /** Whether a session with this key that began at a moment, in milliseconds since 1970, was ended. */
  isEnded(key: string, since: number): boolean {
    const digest = digestOf(key);
    if (digest === null) return false;
    const from = bucketOf(digest);
    for (let slot = from; slot < from + SLOTS; slot++) {
      const at = slot * SLOT_WORDS;
      if (Atomics.load(this.words, at) !== digest[1] || Atomics.load(this.words, at + 1) !== digest[2]) continue;
      const time = this.times[slot * 2 + 1]!;
      // the slot may have been given to another key meanwhile
      if (Atomics.load(this.words, at) === digest[1]) return since <= time;
    }
    return false;
  }

  // ---- under the lock

  private store(digest: Int32Array, at: number): void {
    const from = bucketOf(digest);
    let chosen = from;
    for (let slot = from; slot < from + SLOTS; slot++) {
      const word = slot * SLOT_WORDS;
      if (this.words[word] === digest[1] && this.words[word + 1] === digest[2]) {
        this.times[slot * 2 + 1] = Math.max(at, this.times[slot * 2 + 1]!);
        return;
      }
      if (this.times[slot * 2 + 1]! < this.times[chosen * 2 + 1]!) chosen = slot;
    }
    const former = this.times[chosen * 2 + 1]!;
    if (former > at - LIFETIME) this.forgotten.give({});
    if (former === 0) Atomics.add(this.header, COUNT, 1);
    const word = chosen * SLOT_WORDS;
    Atomics.store(this.words, word, 0); // a look in between must not find the time of another key
    this.times[chosen * 2 + 1] = at;
    Atomics.store(this.words, word + 1, digest[2]!);
    Atomics.store(this.words, word, digest[1]!);
  }
}

/** The ended sessions of the plane. The caller releases the memory. */
export function endedSessionsOf(sharedMemory: TakeMemory, log: Logger) {
  const memory = sharedMemory('ended sessions', EndedSessions.bytes);
  return { ended: new EndedSessions(memory.buffer, log), release: () => memory.release() };
}

/**
 * Returns the key of sessions of a realm that have a value in common: a text that says nothing of the value. Its first
 * character is of the share of the realm.
 */
export function endedKey(realm: string, ...parts: readonly (string | number)[]): string {
  const digest = hash('sha256', JSON.stringify([realm, ...parts]), 'buffer').subarray(0, 12);
  const [own] = digest;
  digest[0] = realm === '' ? own! & 0x7f : 0x80 | (hash('sha256', realm, 'buffer')[0]! & 0x7c) | (own! & 0x03);
  return digest.toString('base64url');
}

/** Three words; none of the marks is 0, which stands for a free slot. */
function digestOf(key: string): Int32Array | null {
  const bytes = Buffer.from(key, 'base64url');
  if (bytes.length !== 12) return null;
  return Int32Array.of(bytes.readInt32LE(0), bytes.readInt32LE(4) || 1, bytes.readInt32LE(8));
}

function bucketOf(digest: Int32Array): number {
  const [first] = digest;
  const own = first! >>> 8; // the lowest byte says whose it is
  if ((first! & 0x80) === 0) return (own & (BUCKETS - 1)) * SLOTS;
  const share = (first! & 0x7f) >> 2;
  return (BUCKETS + share * SHARE_BUCKETS + (own & (SHARE_BUCKETS - 1))) * SLOTS;
}
