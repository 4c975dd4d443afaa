import type { Exchange } from '../../engine/message/exchange.ts';
import { wallNow } from '../../engine/wire/clock.ts';
import type { Executor } from '../../heap/objects/executor.ts';
import type { CacheMeter, EvictionCause } from '../../oauth2/cache/cache-meter.ts';
import { type DisconnectionStrategy, RevocationsUnheard } from '../../oauth2/cache/token-cache.ts';
import { EntryGroups, type GroupPlace } from './entry-groups.ts';

/** An answer of the access manager, and how long it may be used. */
export interface Answer<V> {
  readonly value: V;
  /** Milliseconds since 1970; an answer is not cached when this is no later than now. */
  readonly keepUntil: number;
  /** Characters that the value takes, for the memory limit. */
  readonly size?: number;
  /** Group of the entry where only the answer tells it. */
  readonly group?: string;
}

/** The part of notifications that a cache uses. */
export interface EventFeed {
  readonly isHeard: boolean;
  catchUp(): void;
  watch(listener: { lost?(): void; regained?(): void }): () => void;
}

export interface AnswerCacheOptions {
  /** Maximum number of entries. */
  readonly maximumSize: number;
  /** Maximum time in milliseconds that an answer is cached. */
  readonly maximumTimeToCache: number;
  /** Runs the removal of expired entries. */
  readonly executor: Executor;
  readonly meter: CacheMeter;
  /** Null without notifications: then the strategy has no effect. */
  readonly notifications: EventFeed | null;
  readonly onDisconnection: DisconnectionStrategy;
}

/** Interval between two removals of expired entries, and the number of slices for one pass over all entries. */
const SWEEP_INTERVAL = 1000;
const SLICES = 60;
const SMALLEST_SLICE = 1000;

/** Average size of an entry in characters above which fewer entries are kept. */
const USUAL_SIZE = 4096;

/** An entry, which callers may hold to ask for it again without its key. */
export interface CachedAnswer<V> {
  readonly value: V;
}

interface Entry<V> extends CachedAnswer<V> {
  readonly key: string;
  readonly value: V;
  readonly size: number;
  /** Minus infinity once it is removed. */
  keepUntil: number;
  /** Number of `clear` calls before it was added. */
  readonly epoch: number;
  places: readonly GroupPlace<Entry<V>>[];
}

/** Names of groups; entries of a group are evicted together. */
type Groups = readonly string[];
const NO_GROUPS: Groups = [];

/** A call to the access manager that is not answered yet. */
interface Flight<V> {
  readonly exchange: Exchange;
  readonly groups: Groups;
  value: Promise<V>;
  /** An event arrived after the call began: the answer may describe the state before the event. */
  outdated: boolean;
}

/**
 * Cache of answers of an access manager. Keys must be injective over everything that the answer depends on. Concurrent
 * requests with the same key share one call. An event that arrives during a call keeps its answer out of the cache,
 * and requests after the event start a call of their own. Failures are not cached.
 *
 * Callers evict entries from a listener of the same notifications. Every lookup first applies the events that arrived.
 */
export class AnswerCache<V> {
  private readonly options: AnswerCacheOptions;
  private entries = new Map<string, Entry<V>>();
  private groups = new EntryGroups<Entry<V>>();
  /** Characters of all entries. */
  private taken = 0;
  private readonly flights = new Map<string, Flight<V>>();
  // a new iterator would walk over the places of all entries removed before
  private oldest = this.entries.values();
  private unswept = this.entries.values();
  private readonly releases: (() => void)[];
  /** The latest time that was seen. */
  private latest = 0;
  /** Number of `clear` calls: entries that were added before the last one are gone. */
  private epoch = 0;

  constructor(options: AnswerCacheOptions) {
    this.options = options;
    const { executor, notifications, onDisconnection } = options;
    this.releases = [executor.repeat(() => this.sweep(), SWEEP_INTERVAL)];
    if (notifications === null) return;
    const end = notifications.watch({
      lost: () => this.changeConnection(onDisconnection === 'CLEAR_ON_DISCONNECT'),
      regained: () => this.changeConnection(onDisconnection === 'CLEAR_ON_RECONNECT'),
    });
    this.releases.push(end);
  }

  get size(): number {
    return this.entries.size;
  }

  /** The cached value after all events that arrived so far, or undefined. Counts a hit. */
  find(key: string): V | undefined {
    return this.findEntry(key)?.value;
  }

  /** The entry of the cached value after all events that arrived so far, or undefined. Counts a hit. */
  findEntry(key: string): CachedAnswer<V> | undefined {
    if (!this.isUsable()) return;
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    if (wallNow() >= entry.keepUntil) {
      this.remove(entry, 'expired');
      return;
    }
    this.options.meter.hit();
    return entry;
  }

  /** Whether `findEntry` would find this entry again, after all events that arrived so far. Counts a hit if so. */
  holds(found: CachedAnswer<V>): boolean {
    if (!this.isUsable()) return false;
    const { epoch, keepUntil } = found as Entry<V>;
    if (epoch !== this.epoch || wallNow() >= keepUntil) return false;
    this.options.meter.hit();
    return true;
  }

  /**
   * The cached value, or that of `load`. Rejects with what `load` rejects with, and with `RevocationsUnheard` while
   * notifications are lost and the value is not cached. Entries of a group are evicted together.
   */
  get(key: string, exchange: Exchange, load: () => Promise<Answer<V>>, groups: Groups = NO_GROUPS): V | Promise<V> {
    return this.find(key) ?? this.load(key, exchange, load, groups);
  }

  /** The value of a key that `find` did not find. */
  load(key: string, exchange: Exchange, load: () => Promise<Answer<V>>, groups: Groups = NO_GROUPS): Promise<V> {
    this.options.meter.miss();
    if (this.isDeaf) return Promise.reject(new RevocationsUnheard());
    const flight = this.flights.get(key);
    return flight === undefined
      ? this.depart(key, exchange, load, groups)
      : flight.value.catch((error: unknown) => {
          // the client of the first request may have left and ended the call for all
          if (!flight.exchange.over || exchange.over) throw error;
          return this.get(key, exchange, load, groups);
        });
  }

  /** The value of a `load` that serves one request: neither cached nor shared. Rejects while notifications are lost. */
  async pass(load: () => Promise<Answer<V>>): Promise<V> {
    if (this.isDeaf) throw new RevocationsUnheard();
    const { value } = await load();
    if (this.isDeaf) throw new RevocationsUnheard();
    return value;
  }

  /** Removes the entry of a key, or every entry that matches; answers that are under way for them are not cached. */
  evict(which: string | ((value: V, key: string) => boolean)): void {
    if (typeof which === 'string') {
      this.outdate((_, key) => key === which);
      const entry = this.entries.get(which);
      if (entry !== undefined) this.remove(entry, 'explicit');
      return;
    }
    this.outdate(() => true);
    for (const entry of this.entries.values()) if (which(entry.value, entry.key)) this.remove(entry, 'explicit');
  }

  /** Removes all entries of a group; answers that are under way for them are not cached. */
  evictGroup(group: string): void {
    this.outdate((flight) => flight.groups.includes(group) || flight.groups.length === 0); // the answer may tell the group
    for (const entry of this.groups.members(group)) this.remove(entry, 'explicit');
  }

  /** Removes everything; answers that are under way are not cached. */
  clear(): void {
    this.outdate(() => true);
    const { meter } = this.options;
    for (let left = this.entries.size; left > 0; left--) meter.evicted('explicit');
    this.entries = new Map();
    this.groups = new EntryGroups();
    this.epoch++;
    this.taken = 0;
    this.oldest = this.entries.values();
    this.unswept = this.entries.values();
  }

  close(): void {
    for (const release of this.releases) release();
    this.clear();
  }

  /** Applies the events that arrived. False where none of the entries may be used. */
  private isUsable(): boolean {
    const { notifications, onDisconnection } = this.options;
    if (notifications === null) return true;
    notifications.catchUp();
    // the connection can be lost before an event says so, such as when the unit that holds it hangs
    if (onDisconnection !== 'CLEAR_ON_DISCONNECT' || notifications.isHeard) return true;
    if (this.entries.size > 0) this.clear();
    return false;
  }

  private get isDeaf(): boolean {
    return this.options.notifications?.isHeard === false;
  }

  private depart(key: string, exchange: Exchange, load: () => Promise<Answer<V>>, groups: Groups): Promise<V> {
    const start = performance.now();
    const { meter, notifications } = this.options;
    const land = (): void => {
      if (this.flights.get(key) === flight) this.flights.delete(key);
      meter.loaded((performance.now() - start) / 1000);
    };
    const value = Promise.try(load).then(
      (answer) => {
        notifications?.catchUp();
        land();
        if (this.isDeaf) throw new RevocationsUnheard();
        if (!flight.outdated) this.keep(key, answer, answer.group === undefined ? groups : [answer.group]);
        return answer.value;
      },
      (error: unknown) => {
        land();
        throw error;
      },
    );
    const flight: Flight<V> = { exchange, groups, value, outdated: false };
    this.flights.set(key, flight);
    return value;
  }

  private keep(key: string, { value, keepUntil, size = 0 }: Answer<V>, groups: Groups): void {
    const now = this.time();
    const until = Math.min(keepUntil, now + this.options.maximumTimeToCache);
    if (!(now < until)) return;
    const before = this.entries.get(key);
    if (before !== undefined) this.remove(before, 'explicit');
    const entry: Entry<V> = { key, value, size: key.length + size, keepUntil: until, epoch: this.epoch, places: [] };
    this.makeRoom(entry.size);
    this.entries.set(key, entry);
    entry.places = groups.map((group) => this.groups.add(entry, group));
    this.taken += entry.size;
  }

  /** The time now. Entries would outlive their time when the clock is set back: all are removed. */
  private time(): number {
    const now = Date.now();
    if (now < this.latest - SWEEP_INTERVAL) this.clear();
    this.latest = now;
    return now;
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

  private remove(entry: Entry<V>, cause: EvictionCause): void {
    this.entries.delete(entry.key);
    for (const place of entry.places) this.groups.remove(place);
    this.taken -= entry.size;
    entry.keepUntil = Number.NEGATIVE_INFINITY;
    this.options.meter.evicted(cause);
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

  private changeConnection(isCleared: boolean): void {
    if (isCleared) this.clear();
    else this.outdate(() => true);
  }

  /** Later requests must not share these calls: their answers may be older than the event. */
  private outdate(isMeant: (flight: Flight<V>, key: string) => boolean): void {
    for (const [key, flight] of this.flights) {
      if (!isMeant(flight, key)) continue;
      flight.outdated = true;
      this.flights.delete(key);
    }
  }
}
