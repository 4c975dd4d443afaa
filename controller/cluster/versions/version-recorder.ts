import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { type Resource, resourceKey } from '../../../contract/resources/resource.ts';
import { pauseAfter } from '../../../platform/back-off.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { errorText } from '../../../platform/error-text.ts';
import type { ApiCaller } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';
import { PacedWrites } from '../api/paced-writes.ts';
import type { RoutePlace } from '../crest/route-place.ts';
import {
  historyFacts,
  historyObject,
  historyPath,
  type KeptVersion,
  type RouteHistory,
  readHistory,
  versionOf,
  withinText,
  withVersions,
} from './route-history.ts';

export interface VersionRecorderOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  readonly clock?: Clock;
  /** Versions of each Route. */
  readonly most: number;
  /** Namespaces that are watched; null for all. */
  readonly namespaces: readonly string[] | null;
  /** For how many milliseconds more this controller leads; 0 when it does not. */
  leadsFor(): number;
  /** Returns a Route as the cache has it; null for none. */
  route(place: RoutePlace): Resource | null;
  /** Called when versions cannot be read or written. The message holds no document. */
  failed(message: string): void;
}

/** Versions of a Route that are to be written. */
interface Pending {
  readonly place: RoutePlace;
  readonly uid: string;
  versions: readonly KeptVersion[];
  /** Of the versions, as JSON. */
  characters: number;
  /** On the steady clock. */
  readonly since: number;
  failures: number;
}

/** Milliseconds for which a controller that does not lead remembers changes: the leader may end before it writes them. */
const REMEMBERED = 120_000;
/** Routes with changes that are not written yet, and characters of their versions; the oldest are forgotten. */
const MOST_PENDING = 10_000;
const MOST_CHARACTERS = 32 * 1024 * 1024;
/** Milliseconds in which changes of one Route are written together, and least milliseconds between two writes. */
const COLLECT = 100;
const GAP = 2000;
/** Writes at a time: statuses, which people wait for, have more. */
const CONCURRENCY = 6;
const TIMEOUT = 5000;
const BACK_OFF = { first: 1000, longest: 60_000, jitter: 0.5 };
/** Histories in a page of metadata. */
const PAGE = 500;
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/**
 * Keeps the last versions of Routes, each in a RouteHistory beside its Route that the cluster removes with it. A Route that
 * never changes has none. All controllers note changes, and the leader writes them.
 */
export class VersionRecorder {
  private readonly options: VersionRecorderOptions;
  private readonly clock: Clock;
  private readonly writes: PacedWrites;
  private readonly pending = new Map<string, Pending>();
  /** Characters of all pending versions. */
  private characters = 0;
  private comparing: (() => void) | null = null;
  private isLeading = false;

  constructor(options: VersionRecorderOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.writes = new PacedWrites({
      ...{ clock: this.clock, gap: GAP, concurrency: CONCURRENCY },
      write: (key) => this.write(key),
    });
  }

  /** Notes that a Route has another spec. */
  changed(before: Resource, after: Resource): void {
    if (before.uid !== after.uid) return;
    const versions = [before, after].filter(({ excess }) => excess === undefined).map(versionOf);
    if (versions.length > 0) this.note(after, versions);
  }

  /** This controller begins or ceases to lead. */
  setLeading(isLeading: boolean): void {
    if (isLeading === this.isLeading) return;
    this.isLeading = isLeading;
    this.calm();
    if (!isLeading) return;
    for (const key of this.pending.keys()) this.writes.ask(key);
    void this.compare(0);
  }

  /** Returns the versions of a Route that are kept, the oldest first. @throws ApiError */
  async versions(route: Resource): Promise<readonly KeptVersion[]> {
    const kept = versionsOf(await this.read(route), route.uid, route.generation);
    return withVersions(kept, this.pending.get(resourceKey(route))?.versions ?? [], this.options.most);
  }

  close(): void {
    this.isLeading = false;
    this.calm();
    this.pending.clear();
    this.characters = 0;
  }

  private calm(): void {
    this.writes.forgetAll();
    this.comparing?.();
    this.comparing = null;
  }

  private note({ namespace, name, uid }: Resource, versions: readonly KeptVersion[]): void {
    const key = resourceKey({ namespace, name });
    const known = this.pending.get(key);
    const isSame = known?.uid === uid;
    const kept = withinText(withVersions(isSame ? known.versions : [], versions, this.options.most));
    const since = this.clock.steady();
    this.forget(key);
    this.pending.set(key, { place: { namespace, name }, uid, ...kept, since, failures: 0 });
    this.characters += kept.characters;
    for (const [oldest, one] of this.pending) {
      const isOld = !this.isLeading && since - one.since > REMEMBERED;
      if (!isOld && this.pending.size <= MOST_PENDING && this.characters <= MOST_CHARACTERS) break;
      this.forget(oldest);
    }
    if (this.isLeading) this.writes.ask(key, COLLECT);
  }

  private forget(key: string): void {
    this.characters -= this.pending.get(key)?.characters ?? 0;
    this.pending.delete(key);
  }

  /** Looks for Routes that were changed while no controller led. Only metadata is read. */
  private async compare(failures: number): Promise<void> {
    try {
      for (const namespace of this.options.namespaces ?? [undefined]) {
        let next: string | undefined;
        do {
          if (!this.isLeading) return;
          const { body } = await this.options.api.call({
            method: 'GET',
            path: historyPath(namespace === undefined ? {} : { namespace }),
            query: { limit: PAGE, continue: next },
            accept: METADATA_ONLY,
            timeout: 6 * TIMEOUT,
          });
          next = this.comparePage(body as JsonValue);
        } while (next !== undefined);
      }
    } catch (error) {
      if (!this.isLeading) return;
      this.options.failed(errorText(error));
      const pause = pauseAfter(failures, BACK_OFF);
      this.comparing = this.clock.after(pause, () => void this.compare(failures + 1));
    }
  }

  /** @returns where the list goes on */
  private comparePage(body: JsonValue): string | undefined {
    const { items, metadata } = isJsonObject(body) ? body : {};
    for (const item of Array.isArray(items) ? (items as readonly JsonValue[]) : []) {
      if (!isJsonObject(item)) continue;
      const { namespace, name, route: uid, newest } = historyFacts(item);
      const route = this.options.route({ namespace, name });
      if (route === null || route.uid !== uid || route.excess !== undefined || route.generation <= newest) continue;
      this.note(route, [versionOf(route)]);
    }
    const next = isJsonObject(metadata) ? metadata['continue'] : undefined;
    return typeof next === 'string' && next !== '' ? next : undefined;
  }

  private async read(place: RoutePlace): Promise<RouteHistory | null> {
    try {
      const path = historyPath({ namespace: place.namespace, name: place.name });
      const { body } = await this.options.api.call({ method: 'GET', path, timeout: TIMEOUT });
      return isJsonObject(body as JsonValue) ? await readHistory(body as JsonObject) : null;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** @returns when to try again; null when it is done */
  private async write(key: string): Promise<number | null> {
    const asked = this.pending.get(key);
    if (asked === undefined || !this.isLeading || this.options.leadsFor() <= 0) return null;
    const { place, uid, versions: added } = asked;
    try {
      const history = await this.read(place);
      const newest = this.options.route(place)?.generation ?? 0;
      const before = versionsOf(history, uid, Math.max(newest, added.at(-1)?.generation ?? 0));
      const versions = withVersions(before, added, this.options.most);
      if (versions !== before) await this.put(place, { route: uid, versions }, history);
      this.written(key, uid, added);
      return null;
    } catch (error) {
      return this.failure(key, asked, error);
    }
  }

  private async put(
    place: RoutePlace,
    made: Pick<RouteHistory, 'route' | 'versions'>,
    before: RouteHistory | null,
  ): Promise<void> {
    const leadsFor = this.options.leadsFor();
    const body = await historyObject(place, { ...made, resourceVersion: before?.resourceVersion ?? '' });
    const { namespace, name } = place;
    await this.options.api.call({
      ...(before === null
        ? { method: 'POST', path: historyPath({ namespace }) }
        : { method: 'PUT', path: historyPath({ namespace, name }) }),
      query: { fieldManager: 'gatewarden-controller' },
      body,
      timeout: Math.max(1, Math.min(TIMEOUT, Math.ceil(leadsFor))),
    });
  }

  /** Forgets versions that are written; others may have come meanwhile. */
  private written(key: string, uid: string, versions: readonly KeptVersion[]): void {
    const now = this.pending.get(key);
    if (now === undefined || now.uid !== uid) return;
    const newest = versions.at(-1)?.generation ?? 0;
    const left = withinText(now.versions.filter(({ generation }) => generation > newest));
    this.characters += left.characters - now.characters;
    Object.assign(now, left, { failures: 0 });
    if (left.versions.length === 0) this.forget(key);
  }

  private failure(key: string, asked: Pending, error: unknown): number | null {
    const { status, retryAfter } = error instanceof ApiError ? error : { status: -1, retryAfter: null };
    // Somebody else wrote it, or the cluster removed it with a Route of the same name.
    const isRace = status === 409;
    const isGone = this.options.route(asked.place)?.uid !== asked.uid;
    if (isGone) {
      this.forget(key);
      return null;
    }
    if (!isRace) this.options.failed(errorText(error));
    if (status === 429 || status === 0 || status >= 500) this.writes.slowDown();
    // The API server will never take it.
    if (status === 413 || status === 422 || status === 400 || status === -1) {
      this.forget(key);
      return null;
    }
    const current = this.pending.get(key) ?? asked;
    return retryAfter ?? pauseAfter(current.failures++, BACK_OFF);
  }
}

/** Returns the versions of a Route in its history. Versions newer than the Route were written by somebody else. */
function versionsOf(history: RouteHistory | null, uid: string, newest: number): readonly KeptVersion[] {
  return history?.route === uid ? history.versions.filter(({ generation }) => generation <= newest) : [];
}
