import type { JsonValue } from '../../../contract/document/json-value.ts';
import { BackOff } from '../../../platform/back-off.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { LayeredMap } from '../../../platform/layered-map.ts';
import type { ApiCaller } from './api-client.ts';
import { ApiError, errorOfEvent, errorOfWire } from './api-error.ts';
import { ObjectCache, type ObjectVersion, objectVersion, type Take } from './object-cache.ts';
import { pagedList } from './paged-list.ts';
import { type ReflectorFacts, ReflectorRecord } from './reflector-facts.ts';
import { isOlderVersion } from './resource-version.ts';
import { readWatch, type WatchEvent } from './watch-stream.ts';

/** All in milliseconds. */
export interface ReflectorTimes {
  /** A watch is asked to end after a random time between this and twice this. */
  readonly watch: number;
  /** How long a watch may say nothing: bookmarks come every minute, so that two of them are missing. */
  readonly silence: number;
  /** A watch that ends sooner and brought nothing counts as a failure. */
  readonly brief: number;
  /** Bounds of the pause after the first failure, and after any. */
  readonly pause: number;
  readonly longestPause: number;
  /** The longest pause while nothing answers: asking costs nobody anything, and what changes meanwhile waits for it. */
  readonly unreachablePause: number;
  /** For how long a server has to forbid reading before what was read is forgotten: one that starts may not know yet. */
  readonly forbidden: number;
}

export const REFLECTOR_TIMES: ReflectorTimes = {
  watch: 300_000,
  silence: 150_000,
  brief: 5_000,
  pause: 250,
  longestPause: 30_000,
  unreachablePause: 2_000,
  forbidden: 10_000,
};

/** How often resuming may fail with an answer before everything is listed again. */
const MOST_RESUMES = 5;
/** How often in a row: a server whose versions began anew has nothing to say to a watch of a version still to come. */
const MOST_SILENCES = 2;

/** What an event changed. */
type Change = 'none' | 'minor' | 'major';

const UNREADABLE = new ApiError('an object is malformed', { status: 0, reason: 'Unreadable' });

export interface ReflectorOptions<T> {
  readonly api: ApiCaller;
  /** For facts and messages. */
  readonly kind: string;
  readonly scope?: string;
  /** Path of the list. */
  readonly path: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  readonly take: Take<T>;
  /**
   * Called after a list or some events have changed something, and when the first list has been read.
   * @param isMinor whether every change is a minor one
   */
  changed(isMinor: boolean): void;
  /** Whether an event changed nothing of an object that is worth a look at all others. By default every change is. */
  isMinor?(before: T, after: T): boolean;
  /** Hears of every failure; it goes on all the same. */
  failed?(error: ApiError): void;
  /** Whether what may no longer be read counts as gone. By default what was read last stays. */
  readonly isGoneWhenForbidden?: boolean;
  readonly times?: Partial<ReflectorTimes>;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Objects in a page, and most bytes of one. */
  readonly page?: number;
  readonly pageBytes?: number;
  /** Most bytes of an event. */
  readonly eventBytes?: number;
}

/**
 * Keeps up with the objects of one kind: lists them and then watches what changes, for ever, whatever happens. While the
 * API server is away, what was read last stays.
 */
export class Reflector<T> {
  private readonly options: ReflectorOptions<T>;
  private readonly times: ReflectorTimes;
  private readonly clock: Clock;
  private readonly random: () => number;
  private readonly cache: ObjectCache<T>;
  private readonly record: ReflectorRecord;
  private readonly backOff: BackOff;
  private readonly ending = new AbortController();
  private readonly firstList = Promise.withResolvers<void>();
  /** Null when everything has to be listed. */
  private resumeAt: string | null = null;
  private known: string | null = null;
  private hasListed = false;
  private resumes = 0;
  private silences = 0;
  private wasUnreachable = false;
  private forbiddenSince: number | null = null;
  private running: Promise<void> | null = null;

  constructor(options: ReflectorOptions<T>) {
    this.options = options;
    this.times = { ...REFLECTOR_TIMES, ...options.times };
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
    this.cache = new ObjectCache(options.take, () => this.note(UNREADABLE));
    this.record = new ReflectorRecord(this.clock);
    this.backOff = new BackOff({
      first: this.times.pause,
      longest: this.times.longestPause,
      jitter: 1,
      random: this.random,
    });
  }

  /** What of the kind it follows. */
  get scope(): string {
    return this.options.scope ?? '';
  }

  /** By `namespace/name`. The same map as long as nothing changed. */
  get objects(): LayeredMap<T> {
    return this.cache.values;
  }

  /** One of them; null for none. */
  get(key: string): T | null {
    return this.cache.get(key);
  }

  get isSynced(): boolean {
    return this.hasListed;
  }

  /** Resolves when everything has been listed once; never, when that never happens. */
  get synced(): Promise<void> {
    return this.firstList.promise;
  }

  /** The resourceVersion up to which everything is known; null before the first list and while nothing may be read. */
  get position(): string | null {
    return this.known;
  }

  /** The version of the object with this uid, or the one at which it was gone; null when nothing is known of it. */
  versionOf(uid: string): string | null {
    return this.cache.versionOf(uid);
  }

  get facts(): ReflectorFacts {
    const { scope } = this;
    const { kind } = this.options;
    const objects = this.cache.values.size;
    return { kind, scope, isSynced: this.hasListed, objects, position: this.known, ...this.record.times };
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Ends what is under way. Nothing is called any more. */
  async close(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  private get isClosed(): boolean {
    return this.ending.signal.aborted;
  }

  private async run(): Promise<void> {
    while (!this.isClosed) {
      let failure: ApiError | null = null;
      try {
        if (this.resumeAt === null) await this.list();
        if (await this.watch()) continue;
      } catch (error) {
        if (this.isClosed) return;
        failure = errorOfWire(error);
        this.fail(failure);
      }
      await this.pause(this.pauseAfter(failure));
    }
  }

  /** A server that answers again is asked soon, however long it was away. */
  private pauseAfter(failure: ApiError | null): number {
    const { unreachablePause } = this.times;
    const isUnreachable = failure?.reason === 'Unreachable';
    if (this.wasUnreachable && !isUnreachable) this.backOff.reset();
    this.wasUnreachable = isUnreachable;
    return isUnreachable ? this.backOff.next(null, unreachablePause) : this.backOff.next(failure?.retryAfter ?? null);
  }

  private note(error: ApiError): void {
    this.record.failed(error);
    this.options.failed?.(error);
  }

  private async list(): Promise<void> {
    const { api, path, page, pageBytes } = this.options;
    const version = await pagedList({
      api,
      path,
      query: this.selectors,
      signal: this.ending.signal,
      ...(page !== undefined && { page }),
      ...(pageBytes !== undefined && { limit: pageBytes }),
      begin: () => this.cache.beginList(),
      take: (items) => this.takeListed(items),
    });
    if (this.isClosed) return;
    this.resumeAt = this.known = version;
    this.resumes = this.silences = 0;
    this.record.listed();
    this.settle(this.cache.endList(version));
  }

  private takeListed(items: readonly JsonValue[]): void {
    for (const item of items) {
      const version = objectVersion(item);
      if (version === null)
        throw new ApiError('the list contains an item that is not an object', { status: 0, reason: 'Malformed' });
      this.cache.addListed(version);
    }
  }

  /** What is kept is now as the server has it. */
  private settle(changed: boolean): void {
    const isFirst = !this.hasListed;
    this.forbiddenSince = null;
    this.hasListed = true;
    this.firstList.resolve();
    if (changed || isFirst) this.options.changed(false);
  }

  /** @returns whether it went well enough to go on at once */
  private async watch(): Promise<boolean> {
    const { api, path, eventBytes } = this.options;
    const timeoutSeconds = Math.ceil((this.times.watch * (1 + this.random())) / 1000);
    const resourceVersion = this.resumeAt ?? '';
    const query = { ...this.selectors, watch: 1, allowWatchBookmarks: true, timeoutSeconds, resourceVersion };
    const stream = await api.open({ method: 'GET', path, query, signal: this.ending.signal });
    const began = this.clock.steady();
    const from = this.known;
    const isWell = (): boolean => this.known !== from || this.clock.steady() - began >= this.times.brief;
    this.record.watching(true);
    try {
      await readWatch({
        stream,
        clock: this.clock,
        silence: this.times.silence,
        ...(eventBytes !== undefined && { limit: eventBytes }),
        heard: () => this.hear(),
        take: (events) => this.takeEvents(events),
      });
      return isWell();
    } finally {
      this.record.watching(false);
      if (isWell()) {
        this.backOff.reset();
        this.resumes = 0;
      }
    }
  }

  private hear(): void {
    this.silences = 0;
    this.record.heard();
  }

  private takeEvents(events: readonly WatchEvent[]): void {
    if (this.isClosed) return;
    const changes = new Set<Change>();
    try {
      for (const event of events) changes.add(this.takeEvent(event));
    } finally {
      const isMajor = changes.has('major');
      if (isMajor || changes.has('minor')) {
        this.record.event();
        this.options.changed(!isMajor);
      }
    }
  }

  private takeEvent({ type, object }: WatchEvent): Change {
    if (type === 'ERROR') throw errorOfEvent(object);
    const resourceVersion = versionOf(object);
    if (resourceVersion === null)
      throw new ApiError('a watch event has no resourceVersion', { status: 0, reason: 'Malformed' });
    const version = type === 'BOOKMARK' ? null : objectVersion(object);
    if (version === null && type !== 'BOOKMARK') {
      throw new ApiError('a watch event has no object', { status: 0, reason: 'Malformed' });
    }
    const isNew = this.known === null || isOlderVersion(this.known, resourceVersion);
    if (isNew) this.resumeAt = this.known = resourceVersion;
    if (version === null) return 'none';
    if (type === 'DELETED') return this.cache.remove(version) ? 'major' : 'none';
    return isNew ? this.replace(version) : 'none';
  }

  private replace(version: ObjectVersion): Change {
    const before = this.cache.get(version.key);
    if (!this.cache.set(version)) return 'none';
    const after = this.cache.get(version.key);
    if (before === null || after === null) return 'major';
    return this.options.isMinor?.(before, after) === true ? 'minor' : 'major';
  }

  private fail(error: ApiError): void {
    this.note(error);
    const isAnswer = error.status !== 0;
    const isUseless = error.status === 410 || error.status === 400 || error.reason === 'TooLong' || this.isDeaf(error);
    if (isUseless || (isAnswer && ++this.resumes >= MOST_RESUMES)) this.resumeAt = null;
    if (error.status === 403) this.forbid();
  }

  private isDeaf({ reason }: ApiError): boolean {
    return reason === 'Silent' && ++this.silences >= MOST_SILENCES;
  }

  private forbid(): void {
    this.resumeAt = null; // the list says what may still be read
    if (this.options.isGoneWhenForbidden !== true) return;
    const now = this.clock.steady();
    const since = (this.forbiddenSince ??= now);
    const patience = this.hasListed ? this.times.forbidden : this.times.forbidden / 4; // nobody relies on it yet
    if (now - since < patience) return;
    this.known = null; // it may be there all the same, in any version
    this.settle(this.cache.clear());
    this.forbiddenSince = since;
  }

  private get selectors(): Record<string, string> {
    const { fieldSelector, labelSelector } = this.options;
    return {
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(labelSelector !== undefined && { labelSelector }),
    };
  }

  private pause(milliseconds: number): Promise<void> {
    const { signal } = this.ending;
    return new Promise((resolve) => {
      const end = (): void => {
        callOff();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const callOff = this.clock.after(milliseconds, end);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }
}

function versionOf(object: JsonValue): string | null {
  const metadata = typeof object === 'object' && object !== null ? Reflect.get(object, 'metadata') : null;
  const version = typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'resourceVersion') : null;
  return typeof version === 'string' && version !== '' ? version : null;
}
