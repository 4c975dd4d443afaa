import { randomInt } from 'node:crypto';
import { sharedClock } from '../../heap/shared-clock.ts';
import { lock, unlock } from '../../heap/shared-lock.ts';
import type { UnitLives } from '../../heap/unit-lives.ts';
import { type JournalRecord, readRecord, recordText } from './journal-record.ts';

const HEADER_BYTES = 128;
/** Words of the header. */
const LOCK = 0;
const SEQUENCE = 1;
const HEARD = 2;
const OWNER = 3;
const OWNER_UNIT = 4;
const OWNER_LIFE = 5;
/** Numbers of the header, of eight bytes: milliseconds of the shared clock, CONNECTED_AT since 1970, and bytes. */
const LEASE_END = 8;
const WRITTEN = 9;
const CONNECTED_AT = 10;
const UNCONFIRMED_SINCE = 11;
/** Readers that are told apart; further ones are not waited for. */
const MOST_READERS = 256;
const READER_BYTES = 16;
const RING_BYTES = 1 << 20;
/** Longer events are recorded as ones that may concern everything. */
const LONGEST_RECORD = 16_384;
/** Milliseconds after which an owner or a reader that hangs is taken for dead; an owner that ended is at once. */
export const LEASE = 5000;

/** Where a reader is in the journal. */
export interface Cursor {
  readonly sequence: number;
  readonly position: number;
}

/** What came since a cursor; `isMissed` when some of it was overwritten. */
export interface Reading {
  readonly cursor: Cursor;
  readonly records: readonly JournalRecord[];
  readonly isMissed: boolean;
}

/**
 * Events of one access manager in memory that all units share: a ring of records with a sequence number, the owner of
 * the connection, and how far each reader has come. A record counts once the sequence number has changed.
 */
export class EventJournal {
  static readonly bytes = HEADER_BYTES + MOST_READERS * READER_BYTES + RING_BYTES;
  private readonly words: Int32Array;
  private readonly numbers: Float64Array;
  private readonly ring: Uint8Array;
  private readonly unit: number;
  private readonly lives: UnitLives;
  private readonly now: () => number;

  /** @param unit the number of the unit that uses this object */
  constructor(memory: SharedArrayBuffer, unit: number, lives: UnitLives, now: () => number = sharedClock()) {
    this.unit = unit;
    this.lives = lives;
    this.words = new Int32Array(memory, 0, (HEADER_BYTES + MOST_READERS * READER_BYTES) / 4);
    this.numbers = new Float64Array(memory, 0, (HEADER_BYTES + MOST_READERS * READER_BYTES) / 8);
    this.ring = new Uint8Array(memory, HEADER_BYTES + MOST_READERS * READER_BYTES);
    this.now = now;
  }

  get sequence(): number {
    return Atomics.load(this.words, SEQUENCE);
  }

  /** Whether somebody owns the connection and hears events on it. */
  get isHeard(): boolean {
    return Atomics.load(this.words, HEARD) === 1 && this.isOwned;
  }

  /** When the current connection was made, in milliseconds since 1970; 0 without one. */
  get connectedAt(): number {
    return this.isHeard ? this.numbers[CONNECTED_AT]! : 0;
  }

  /** Resolves when the sequence number is no longer this one, or after a while. */
  async changed(sequence: number, timeout: number): Promise<void> {
    const wait = Atomics.waitAsync(this.words, SEQUENCE, sequence, timeout);
    if (wait.async) await wait.value;
  }

  // ---- the owner

  isOwner(id: number): boolean {
    return Atomics.load(this.words, OWNER) === id;
  }

  /** Makes somebody the owner of the connection who is it already, or where the owner has gone. */
  lease(id: number): boolean {
    return this.locked(() => {
      const { words, numbers } = this;
      if (words[OWNER] !== id) {
        if (words[OWNER] !== 0 && this.isOwned) return false;
        this.setLost();
        words[OWNER] = id;
        words[OWNER_UNIT] = this.unit;
        words[OWNER_LIFE] = this.lives.current(this.unit);
      }
      numbers[LEASE_END] = this.now() + LEASE;
      return true;
    });
  }

  release(id: number): void {
    this.locked(() => {
      if (this.words[OWNER] !== id) return;
      this.setLost();
      this.words[OWNER] = 0;
    });
  }

  /** Records an event, which counts for all units from now on. @returns false for somebody who is not the owner */
  append(id: number, record: JournalRecord): boolean {
    return this.asOwner(id, () => this.write(record));
  }

  /** Events arrive, on a first connection or on one that takes over. */
  regain(id: number): boolean {
    return this.asOwner(id, () => {
      this.numbers[CONNECTED_AT] = Date.now();
      if (this.words[HEARD] === 1) return;
      Atomics.store(this.words, HEARD, 1);
      this.write({ kind: 'regained' });
    });
  }

  /** Events may be missed from now on. */
  lose(id: number): boolean {
    return this.asOwner(id, () => this.setLost());
  }

  // ---- readers

  /** A cursor at the end. */
  cursor(): Cursor {
    return this.locked(() => ({ sequence: this.words[SEQUENCE]!, position: this.numbers[WRITTEN]! }));
  }

  /** Takes a place among the readers. @returns its number, or -1 when there are too many */
  join(): number {
    return this.locked(() => {
      const now = this.now();
      for (let reader = 0; reader < MOST_READERS; reader++) {
        const at = readerAt(reader);
        if (this.words[at] !== 0 && now < this.numbers[at / 2 + 1]!) continue;
        this.words[at] = 1;
        this.words[at + 1] = this.words[SEQUENCE]!;
        this.numbers[at / 2 + 1] = now + LEASE;
        return reader;
      }
      return -1;
    });
  }

  leave(reader: number): void {
    if (reader >= 0) this.locked(() => void (this.words[readerAt(reader)] = 0));
  }

  /** Says that a reader is alive. */
  renew(reader: number): void {
    if (reader < 0) return;
    const at = readerAt(reader);
    this.words[at] = 1;
    this.numbers[at / 2 + 1] = this.now() + LEASE;
  }

  read({ position }: Cursor): Reading {
    return this.locked(() => {
      const { words, numbers } = this;
      const cursor = { sequence: words[SEQUENCE]!, position: numbers[WRITTEN]! };
      if (cursor.position - position > RING_BYTES) return { cursor, records: [], isMissed: true };
      const records: JournalRecord[] = [];
      let at = position;
      while (at < cursor.position) {
        const length = this.copied(at, 4).readUInt32LE();
        const record = length > LONGEST_RECORD ? null : readRecord(this.copied(at + 4, length).toString());
        if (record === null) return { cursor, records, isMissed: true }; // of a thread that ended while it wrote
        records.push(record);
        at += 4 + length;
      }
      return { cursor, records, isMissed: false };
    });
  }

  /**
   * Says that a reader has applied everything up to a cursor.
   * @returns how long it took until all readers had, in milliseconds, where this was the last one; otherwise null
   */
  confirm(reader: number, { sequence }: Cursor): number | null {
    if (reader < 0) return null;
    return this.locked(() => {
      const { words, numbers } = this;
      const now = this.now();
      words[readerAt(reader) + 1] = sequence;
      const since = numbers[UNCONFIRMED_SINCE]!;
      if (since === 0 || sequence !== words[SEQUENCE]) return null;
      for (let other = 0; other < MOST_READERS; other++) {
        const at = readerAt(other);
        if (words[at] === 0 || now >= numbers[at / 2 + 1]!) continue;
        if (words[at + 1] !== sequence) return null;
      }
      numbers[UNCONFIRMED_SINCE] = 0;
      return Math.max(0, now - since);
    });
  }

  /** Whether the owner is alive and has said so lately. */
  private get isOwned(): boolean {
    const { words } = this;
    return !this.lives.isOver(words[OWNER_UNIT]!, words[OWNER_LIFE]!) && this.now() < this.numbers[LEASE_END]!;
  }

  private asOwner(id: number, work: () => void): boolean {
    return this.locked(() => {
      if (this.words[OWNER] !== id) return false;
      work();
      return true;
    });
  }

  private locked<T>(work: () => T): T {
    const held = lock(this.words, LOCK);
    try {
      return work();
    } finally {
      unlock(this.words, LOCK, held);
    }
  }

  // ---- under the lock

  private setLost(): void {
    if (this.words[HEARD] === 0) return;
    Atomics.store(this.words, HEARD, 0);
    this.write({ kind: 'lost' });
  }

  private write(record: JournalRecord): void {
    const { numbers, ring } = this;
    let bytes = Buffer.from(recordText(record));
    if (bytes.length > LONGEST_RECORD) bytes = Buffer.from(recordText({ kind: 'unclear' }));
    const entry = Buffer.allocUnsafe(4 + bytes.length);
    entry.writeUInt32LE(bytes.length);
    bytes.copy(entry, 4);
    const written = numbers[WRITTEN]!;
    const at = written % RING_BYTES;
    const fits = Math.min(entry.length, RING_BYTES - at);
    ring.set(entry.subarray(0, fits), at);
    ring.set(entry.subarray(fits), 0);
    numbers[WRITTEN] = written + entry.length;
    if (numbers[UNCONFIRMED_SINCE] === 0) numbers[UNCONFIRMED_SINCE] = this.now();
    Atomics.add(this.words, SEQUENCE, 1);
    Atomics.notify(this.words, SEQUENCE);
  }

  private copied(position: number, length: number): Buffer {
    const at = position % RING_BYTES;
    const copy = Buffer.allocUnsafe(length);
    const fits = Math.min(length, RING_BYTES - at);
    copy.set(this.ring.subarray(at, at + fits));
    copy.set(this.ring.subarray(0, length - fits), fits);
    return copy;
  }
}

/** A number that names an owner of the connection. */
export function newOwnerId(): number {
  return randomInt(1, 0x7fff_ffff);
}

function readerAt(reader: number): number {
  return (HEADER_BYTES + reader * READER_BYTES) / 4;
}
