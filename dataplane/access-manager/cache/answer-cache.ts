import type { Exchange } from '../../engine/message/exchange.ts';
import { wallNow } from '../../engine/wire/clock.ts';
import { type DisconnectionStrategy, RevocationsUnheard } from '../../oauth2/cache/disconnection.ts';
import {
  ExpiringEntries,
  type ExpiringEntriesOptions,
  type ExpiringEntry,
} from '../../oauth2/cache/expiring-entries.ts';
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

export interface AnswerCacheOptions
  extends Pick<ExpiringEntriesOptions<unknown>, 'maximumSize' | 'executor' | 'meter'> {
  /** Maximum time in milliseconds that an answer is cached. */
  readonly maximumTimeToCache: number;
  /** Null without notifications: then the strategy has no effect. */
  readonly notifications: EventFeed | null;
  readonly onDisconnection: DisconnectionStrategy;
}

/** An entry, which callers may hold to ask for it again without its key. */
export interface CachedAnswer<V> {
  readonly value: V;
}

interface Entry<V> extends CachedAnswer<V>, ExpiringEntry {
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
  private readonly entries: ExpiringEntries<Entry<V>>;
  private groups = new EntryGroups<Entry<V>>();
  private readonly flights = new Map<string, Flight<V>>();
  private readonly unwatch: () => void;

  constructor(options: AnswerCacheOptions) {
    this.options = options;
    const { notifications, onDisconnection } = options;
    this.entries = new ExpiringEntries({
      ...options,
      removed: ({ places }) => {
        for (const place of places) this.groups.remove(place);
      },
      cleared: () => {
        this.outdate(() => true);
        this.groups = new EntryGroups();
      },
    });
    this.unwatch =
      notifications?.watch({
        lost: () => this.changeConnection(onDisconnection === 'CLEAR_ON_DISCONNECT'),
        regained: () => this.changeConnection(onDisconnection === 'CLEAR_ON_RECONNECT'),
      }) ?? (() => {});
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
    const entry = this.entries.find(key);
    if (entry === undefined) return;
    if (wallNow() >= entry.keepUntil) {
      this.entries.remove(entry, 'expired');
      return;
    }
    this.options.meter.hit();
    return entry;
  }

  /** Whether `findEntry` would find this entry again, after all events that arrived so far. Counts a hit if so. */
  holds(found: CachedAnswer<V>): boolean {
    if (!this.isUsable()) return false;
    const { epoch, keepUntil } = found as Entry<V>;
    if (epoch !== this.entries.epoch || wallNow() >= keepUntil) return false;
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

  /** Removes the entry of a key; an answer that is under way for it is not cached. @returns whether there was one */
  evict(key: string): boolean {
    this.outdate((_, other) => other === key);
    const entry = this.entries.find(key);
    if (entry !== undefined) this.entries.remove(entry, 'explicit');
    return entry !== undefined;
  }

  /** Removes all entries of a group; answers that are under way for them are not cached. */
  evictGroup(group: string): void {
    this.outdate((flight) => flight.groups.includes(group) || flight.groups.length === 0); // the answer may tell the group
    for (const entry of this.groups.members(group)) this.entries.remove(entry, 'explicit');
  }

  /** Removes everything; answers that are under way are not cached. */
  clear(): void {
    this.entries.clear();
  }

  close(): void {
    this.unwatch();
    this.entries.close();
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
    const now = this.entries.time();
    const until = Math.min(keepUntil, now + this.options.maximumTimeToCache);
    if (!(now < until)) return;
    const { epoch } = this.entries;
    const entry: Entry<V> = { key, value, size: key.length + size, keepUntil: until, epoch, places: [] };
    this.entries.add(entry);
    entry.places = groups.map((group) => this.groups.add(entry, group));
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
