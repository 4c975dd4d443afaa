import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { LayeredMap } from '../../../platform/layered-map.ts';
import { isOlderVersion } from './resource-version.ts';

/** Makes of an object what is kept of it; null for nothing. `before` is what was kept of it until now. */
export type Take<T> = (raw: JsonObject, before: T | null) => T | null;

/** Identity of an object and its version. */
export interface ObjectVersion {
  /** `namespace/name`, or the name of what has no namespace. */
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly raw: JsonObject;
}

/** How many objects that are gone are remembered. */
const MOST_GONE = 10_000;

interface Held<T> {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Null where nothing is to be kept. */
  readonly value: T | null;
}

/**
 * What is kept of the objects of one kind. An older version never replaces a newer one, and the value of an object stays
 * the same one as long as its version does.
 */
export class ObjectCache<T> {
  private readonly take: Take<T>;
  private readonly unreadable: () => void;
  private held = new Map<string, Held<T>>();
  /** As it was when it was asked for last; null when everything may be different. */
  private copy: LayeredMap<T> | null = null;
  /** What is different since then; null for what is gone. */
  private readonly changes = new Map<string, T | null>();
  /** Objects of the list that is being read. */
  private listing = new Map<string, Held<T>>();
  /** The versions at which objects were gone, by uid, the latest last. */
  private readonly gone = new Map<string, string>();
  private index: ReadonlyMap<string, string> | null = null;

  /** @param unreadable hears that `take` threw: what was kept of the object then stays */
  constructor(take: Take<T>, unreadable: () => void) {
    this.take = take;
    this.unreadable = unreadable;
  }

  /** As it is now, by `namespace/name`; another map after a change. */
  get values(): LayeredMap<T> {
    if (this.copy === null) {
      const all = new Map<string, T>();
      for (const [key, { value }] of this.held) if (value !== null) all.set(key, value);
      this.copy = LayeredMap.of(all);
    } else if (this.changes.size > 0) this.copy = this.copy.with(this.changes);
    this.changes.clear();
    return this.copy;
  }

  /** What is kept of one object; null for nothing. */
  get(key: string): T | null {
    return this.held.get(key)?.value ?? null;
  }

  /** The version of the object with this uid, or the one at which it was gone; null when nothing is known of it. */
  versionOf(uid: string): string | null {
    this.index ??= new Map([...this.held.values()].map((one) => [one.uid, one.resourceVersion]));
    return this.index.get(uid) ?? this.gone.get(uid) ?? null;
  }

  beginList(): void {
    this.listing = new Map();
  }

  /** Takes an object of a list. Nothing changes before the list has ended. */
  addListed(version: ObjectVersion): void {
    this.listing.set(version.key, this.hold(version));
  }

  /** What the list did not name is gone. @param version the list's own @returns whether anything changed */
  endList(version: string): boolean {
    const { listing, held } = this;
    this.listing = new Map();
    this.held = listing;
    this.index = null;
    for (const [key, { uid }] of held) if (listing.get(key)?.uid !== uid) this.bury(uid, version);
    const isSame = listing.size === held.size && [...listing].every(([key, one]) => held.get(key)?.value === one.value);
    if (!isSame) this.copy = null;
    return !isSame;
  }

  /** Takes what an object has become. @returns whether anything changed */
  set(version: ObjectVersion): boolean {
    const before = this.held.get(version.key);
    if (before !== undefined && !isOlderVersion(before.resourceVersion, version.resourceVersion)) return false;
    const held = this.hold(version);
    this.held.set(version.key, held);
    this.index = null;
    if (before !== undefined && before.uid !== version.uid) this.bury(before.uid, version.resourceVersion);
    return this.note(version.key, before?.value ?? null, held.value);
  }

  /** Takes that an object is gone. @returns whether anything changed */
  remove({ key, resourceVersion }: ObjectVersion): boolean {
    const before = this.held.get(key);
    if (before === undefined || isOlderVersion(resourceVersion, before.resourceVersion)) return false;
    this.held.delete(key);
    this.index = null;
    this.bury(before.uid, resourceVersion);
    return this.note(key, before.value, null);
  }

  /** Forgets everything, without saying that it is gone. @returns whether anything changed */
  clear(): boolean {
    const changed = this.held.size > 0;
    this.held.clear();
    this.index = null;
    if (changed) this.copy = null;
    return changed;
  }

  private bury(uid: string, version: string): void {
    this.gone.delete(uid);
    this.gone.set(uid, version);
    if (this.gone.size <= MOST_GONE) return;
    const [oldest] = this.gone.keys();
    if (oldest !== undefined) this.gone.delete(oldest);
  }

  private note(key: string, before: T | null, after: T | null): boolean {
    if (before !== after) this.changes.set(key, after);
    return before !== after;
  }

  private hold({ key, uid, resourceVersion, raw }: ObjectVersion): Held<T> {
    const before = this.held.get(key);
    const isSameObject = before?.uid === uid;
    if (isSameObject && before.resourceVersion === resourceVersion) return before;
    const last = isSameObject ? before.value : null;
    try {
      return { uid, resourceVersion, value: this.take(raw, last) };
    } catch {
      this.unreadable();
      return { uid, resourceVersion, value: last };
    }
  }
}

/** Null for what is not an object as an API server has them. */
export function objectVersion(item: JsonValue): ObjectVersion | null {
  if (!isJsonObject(item) || !isJsonObject(item['metadata'])) return null;
  const { namespace, name, uid, resourceVersion } = item['metadata'];
  if (typeof name !== 'string' || typeof uid !== 'string' || typeof resourceVersion !== 'string') return null;
  return { key: typeof namespace === 'string' ? `${namespace}/${name}` : name, uid, resourceVersion, raw: item };
}
