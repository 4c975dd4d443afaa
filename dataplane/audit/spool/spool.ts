import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEvent } from '../writer/audit-event.ts';
import type { AccountTotals } from '../writer/handler-accounts.ts';
import { SpoolAccounts, type StoredAccounts } from './spool-accounts.ts';
import { SpoolLock } from './spool-lock.ts';
import { spoolRecord } from './spool-record.ts';
import { FIRST_RECORD, readSegmentName, SpoolSegment } from './spool-segment.ts';

/** A position is the number of a segment and a place in it, in one number that grows. */
const SEGMENT = 2 ** 32;
const MOST_SEGMENT_BYTES = 8 << 20;
/** Records are collected up to this size before they are written. */
const MOST_PENDING = 1 << 20;

export interface SpoolOptions {
  readonly directory: string;
  /** In bytes. */
  readonly maxSize: number;
}

/** An event of the spool, and the position that acknowledges it. */
export interface SpooledEvent {
  readonly event: AuditEvent;
  readonly end: number;
}

/**
 * Events on disk, in order, for one handler: segments of records with checksums, a lock, and the accounts of the handler.
 * It survives a kill: the totals are written before the records that they count, so after a restart the records that are
 * missing are known by their number.
 *
 * Reads and writes are synchronous, because an event has a place in the order only once its record is written. They are
 * bounded: at most a megabyte each, to and from the cache of the system, and at the start at most the one segment that
 * a killed process had not sealed. Only `close` waits for the disk, and does so beside the thread.
 */
export class Spool {
  /** Events that were not acknowledged, on disk or about to be. */
  waiting = 0;
  /** Bytes of records that were cut off because they were not whole. */
  readonly torn: number;
  /** Totals and position that were found; null for a new spool. */
  readonly found: StoredAccounts | null;
  private readonly directory: string;
  private readonly maxSize: number;
  private readonly segmentBytes: number;
  private readonly lock: SpoolLock;
  private readonly accounts: SpoolAccounts;
  private readonly totals: () => AccountTotals;
  private segments: SpoolSegment[] = [];
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private nextNumber = 1;
  private readAt: number;
  private acknowledged: number;

  /**
   * @param totals of the handler, read before each write
   * @throws SpoolTaken, or an error of the file system
   */
  constructor({ directory, maxSize }: SpoolOptions, totals: () => AccountTotals) {
    this.directory = directory;
    this.maxSize = maxSize;
    this.totals = totals;
    this.segmentBytes = Math.min(MOST_SEGMENT_BYTES, Math.floor(maxSize / 4));
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.lock = new SpoolLock(directory);
    try {
      this.accounts = new SpoolAccounts(join(directory, 'accounts'));
      this.found = this.accounts.found;
      this.acknowledged = this.found?.acknowledged ?? 0;
      this.segments = this.openSegments();
    } catch (error) {
      this.lock.release();
      throw error;
    }
    this.torn = this.segments.reduce((sum, { torn }) => sum + torn, 0);
    this.readAt = this.acknowledged;
    this.waiting = this.countWaiting();
  }

  /** Bytes on disk and about to be. */
  get bytes(): number {
    return this.segments.reduce((sum, { bytes }) => sum + bytes, this.pendingBytes);
  }

  /** Whether there are events that `read` has not returned. */
  get hasUnread(): boolean {
    const last = this.segments.at(-1);
    return this.pending.length > 0 || (last !== undefined && this.readAt < position(last.number, last.bytes));
  }

  private openSegments(): SpoolSegment[] {
    const names = readdirSync(this.directory).map(readSegmentName);
    const found = names.filter((name) => name !== null).sort((a, b) => a.number - b.number);
    this.nextNumber = Math.max(Math.floor(this.acknowledged / SEGMENT), ...found.map(({ number }) => number), 0) + 1;
    return found.map((name) => new SpoolSegment(this.directory, name));
  }

  private countWaiting(): number {
    let count = 0;
    for (const segment of this.segments) {
      const end = position(segment.number, segment.bytes);
      if (end <= this.acknowledged) continue;
      if (position(segment.number, 0) >= this.acknowledged) count += segment.records;
      else count += recordsFrom(segment, this.acknowledged % SEGMENT);
    }
    return count;
  }

  /**
   * Adds an event, which `flush` writes.
   *
   * @returns the position after it, or null when the spool is full
   * @throws FlushFailed where events before it had to be written
   */
  append(event: AuditEvent): number | null {
    const record = spoolRecord(event);
    if (this.bytes + record.length > this.maxSize) return null;
    const last = this.lastFor(record.length);
    this.pending.push(record);
    this.pendingBytes += record.length;
    this.waiting++;
    return position(last.number, last.bytes + this.pendingBytes);
  }

  /** The segment that a record of this size goes to. */
  private lastFor(size: number): SpoolSegment {
    const last = this.segments.at(-1);
    const isFull = last === undefined || last.bytes + this.pendingBytes + size > this.segmentBytes;
    if (isFull || this.pendingBytes > MOST_PENDING) this.flush();
    if (!isFull) return last;
    last?.seal();
    last?.rest();
    // the number counts once the file is there, so that failed attempts make one file and not one each
    const next = new SpoolSegment(this.directory, { number: this.nextNumber, sealed: null });
    this.nextNumber++;
    this.segments.push(next);
    return next;
  }

  /**
   * Writes the totals, then the records that were appended.
   *
   * @throws FlushFailed; then none of these records is in the spool
   */
  flush(): void {
    if (this.pending.length === 0) return;
    const { pending, pendingBytes } = this;
    this.pending = [];
    this.pendingBytes = 0;
    try {
      this.store();
      this.segments.at(-1)!.append(Buffer.concat(pending, pendingBytes), pending.length);
    } catch (error) {
      this.waiting -= pending.length;
      throw new FlushFailed(pending.length, error);
    }
  }

  /** Writes the totals, and up to where events were acknowledged. @throws an error of the file system */
  store(): void {
    this.lock.confirm();
    this.accounts.write({ totals: this.totals(), acknowledged: this.acknowledged });
  }

  /** The next events, without those that were not flushed. @returns also how many records could not be read */
  read(mostBytes: number): { readonly events: SpooledEvent[]; readonly damaged: number } {
    const segment = this.segments.find(({ number, bytes }) => position(number, bytes) > this.readAt);
    if (segment === undefined) return { events: [], damaged: 0 };
    const at = Math.max(FIRST_RECORD, this.readAt - position(segment.number, 0));
    const found = segment.read(at, mostBytes);
    if (segment !== this.segments.at(-1)) segment.rest();
    if (found.length === 0) {
      // after a damaged record no other can be found, but it is known how many there were
      const damaged = segment.records - recordsFrom(segment, FIRST_RECORD);
      this.readAt = position(segment.number, segment.bytes);
      this.waiting -= damaged;
      return { events: [], damaged };
    }
    this.readAt = position(segment.number, found.at(-1)!.end);
    return {
      events: found.map(({ event, end }) => ({ event, end: position(segment.number, end) })),
      damaged: 0,
    };
  }

  /** So many events up to a position need not be kept. */
  acknowledge(end: number, count: number): void {
    this.acknowledged = end;
    this.readAt = Math.max(this.readAt, end);
    this.waiting -= count;
    const isEmpty = this.waiting === 0 && this.pending.length === 0;
    while (this.segments.length > (isEmpty ? 0 : 1)) {
      const first = this.segments[0]!;
      if (!isEmpty && position(first.number, first.bytes) > end) return;
      this.segments.shift();
      first.remove();
    }
  }

  /** Forgets all events. */
  clear(): void {
    this.pending = [];
    this.pendingBytes = 0;
    this.waiting = 0;
    for (const segment of this.segments.splice(0)) segment.remove();
  }

  /** The events read so far need not be read again: they are in memory. */
  skipTo(end: number): void {
    this.readAt = end;
  }

  /** Has the system put everything on the disk, beside the thread. */
  async close(): Promise<void> {
    try {
      this.store();
      for (const segment of this.segments) await segment.close();
      await this.accounts.close();
    } finally {
      this.lock.release();
    }
  }
}

/** The records were not written. */
export class FlushFailed extends Error {
  readonly events: number;

  constructor(events: number, cause: unknown) {
    super('the spool cannot be written', { cause });
    this.name = 'FlushFailed';
    this.events = events;
  }
}

function position(segment: number, at: number): number {
  return segment * SEGMENT + at;
}

/** Whole records of a segment from a place on. */
function recordsFrom(segment: SpoolSegment, start: number): number {
  let count = 0;
  for (let at = Math.max(start, FIRST_RECORD); ; ) {
    const found = segment.read(at, MOST_PENDING);
    if (found.length === 0) return count;
    count += found.length;
    at = found.at(-1)!.end;
  }
}
