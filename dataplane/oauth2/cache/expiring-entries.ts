import type { Executor } from '../../heap/objects/executor.ts';
import type { CacheMeter, EvictionCause } from './cache-meter.ts';

/** An entry of a cache. */
export interface ExpiringEntry {
  readonly key: string;
  /** Characters that it takes, for the memory limit. */
  readonly size: number;
  /** Milliseconds since 1970; minus infinity once it is removed. */
  keepUntil: number;
}

export interface ExpiringEntriesOptions<E> {
  /** Maximum number of entries. */
  readonly maximumSize: number;
  /** Runs the removal of expired entries. */
  readonly executor: Executor;
  readonly meter: CacheMeter;
  /** Called for an entry that is removed alone. */
  removed(entry: E): void;
  /** Called before all entries are removed. */
  cleared(): void;
}

/** Interval between two removals of expired entries, and the number of slices for one pass over all entries. */
export const SWEEP_INTERVAL = 1000;
const SLICES = 60;
const SMALLEST_SLICE = 1000;

/** Average size of an entry in characters above which fewer entries are kept. */
const USUAL_SIZE = 4096;

/** Entries of a cache, limited in number, size and time. The oldest ones make room for new ones. */
export class ExpiringEntries<E extends ExpiringEntry> {
  private readonly options: ExpiringEntriesOptions<E>;
  private entries = new Map<string, E>();
  /** Characters of all entries. */
  private taken = 0;
  // a new iterator would walk over the places of all entries removed before
  private oldest = this.entries.values();
  private unswept = this.entries.values();
  private readonly release: () => void;
  /** The latest time that was seen. */
  private latest = 0;
  /** Number of `clear` calls: entries that were added before the last one are gone. */
  epoch = 0;

  constructor(options: ExpiringEntriesOptions<E>) {
    this.options = options;
    this.release = options.executor.repeat(() => this.sweep(), SWEEP_INTERVAL);
  }

  get size(): number {
    return this.entries.size;
  }

  find(key: string): E | undefined {
    return this.entries.get(key);
  }

  /** Adds an entry, in place of the one of the same key. */
  add(entry: E): void {
    const before = this.entries.get(entry.key);
    if (before !== undefined) this.remove(before, 'explicit');
    this.makeRoom(entry.size);
    this.entries.set(entry.key, entry);
    this.taken += entry.size;
  }

  remove(entry: E, cause: EvictionCause): void {
    this.entries.delete(entry.key);
    this.taken -= entry.size;
    entry.keepUntil = Number.NEGATIVE_INFINITY;
    this.options.removed(entry);
    this.options.meter.evicted(cause);
  }

  clear(): void {
    const { meter, cleared } = this.options;
    cleared();
    for (let left = this.entries.size; left > 0; left--) meter.evicted('explicit');
    this.entries = new Map();
    this.taken = 0;
    this.oldest = this.entries.values();
    this.unswept = this.entries.values();
    this.epoch++;
  }

  /** The time now. Entries would outlive their time when the clock is set back: all are removed. */
  time(): number {
    const now = Date.now();
    if (now < this.latest - SWEEP_INTERVAL) this.clear();
    this.latest = now;
    return now;
  }

  close(): void {
    this.release();
    this.clear();
  }

  private makeRoom(size: number): void {
    const { maximumSize } = this.options;
    while (
      this.entries.size > 0 &&
      (this.entries.size >= maximumSize || this.taken + size > maximumSize * USUAL_SIZE)
    ) {
      const { value, done } = this.oldest.next();
      if (done === true) this.oldest = this.entries.values();
      else this.remove(value, 'size');
    }
  }

  /** Works in slices, so that no request waits for it. */
  private sweep(): void {
    const now = this.time();
    for (let left = Math.max(SMALLEST_SLICE, this.entries.size / SLICES); left > 0; left--) {
      const { value, done } = this.unswept.next();
      if (done === true) {
        this.unswept = this.entries.values();
        return;
      }
      if (now >= value.keepUntil) this.remove(value, 'expired');
    }
  }
}
