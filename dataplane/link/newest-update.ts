import type { UpdateMessage } from '../../contract/channel.ts';
import { changedResources, type SharedResources } from '../../contract/shared-resources.ts';
import {
  isOlder,
  type RemovedRoute,
  type ResourceChanges,
  type RouteEntry,
  type RouteKey,
  routeKeyText,
  type SharedResource,
  type SourceVersion,
  type Update,
} from '../../contract/snapshot.ts';
import { LayeredMap } from '../../platform/layered-map.ts';
import { GoneResources } from './gone-resources.ts';
import type { Holding } from './holding.ts';

/** An update whose parts have all come. */
export type WholeUpdate = Omit<UpdateMessage, 'type' | 'nonce' | 'more'>;

/** Result of comparing an update with a state that may be newer. */
export interface NewestUpdate {
  /** What the plane has to change. */
  readonly update: Update;
  /** What is held when all of it can be built. */
  readonly wanted: Holding;
  /** Routes of which a newer version is held than the update knows. */
  readonly newer: readonly RouteKey[];
  /** Routes that were to stay in a version that is not held; they stay as they are. */
  readonly unheld: readonly RouteKey[];
}

/**
 * Takes what is new out of an update: what comes from a controller that is behind never replaces what came from one that
 * is not. Null when there is no base to build anything on.
 */
export function newestUpdate(held: Holding | null, message: WholeUpdate): NewestUpdate | null {
  const base = newestBase(held, message);
  if (base === null) return null;
  const heldRoutes = LayeredMap.from(held?.routes ?? new Map<string, RouteEntry>());
  const changes = new Map<string, RouteEntry | null>();
  const routeAt = (key: string): RouteEntry | undefined => {
    const change = changes.get(key);
    return change === undefined ? heldRoutes.get(key) : (change ?? undefined);
  };
  const gone = new GoneResources(held?.gone ?? new Map());
  const newer: RouteKey[] = [];
  const set: RouteEntry[] = [];
  const remove: RemovedRoute[] = [];
  const named = new Set<string>();

  for (const entry of message.set) {
    const key = routeKeyText(entry);
    named.add(key);
    const before = routeAt(key);
    if (isBehind(entry, before, gone)) {
      if (before?.hash !== entry.hash) newer.push(keyOf(entry));
      continue;
    }
    const own = entry.sources?.[0];
    if (own !== undefined) gone.back(own.uid);
    if (before?.hash === entry.hash && held?.unbuilt.has(key) !== true) {
      // the same route: the entry that units run stays, and knows the newer versions it was made from
      if (before.sources !== entry.sources) changes.set(key, { ...before, ...madeFrom(entry) });
      continue;
    }
    changes.set(key, entry);
    set.push(entry);
  }

  const take = (key: string, { router, id, source }: RemovedRoute): void => {
    if (source !== undefined) gone.add(source);
    if (routeAt(key) === undefined) return;
    changes.set(key, null);
    remove.push(source === undefined ? { router, id } : { router, id, source });
  };
  for (const removed of message.remove) {
    const key = routeKeyText(removed);
    named.add(key);
    const before = routeAt(key);
    if (before !== undefined && isNewerThan(before, removed.source, message.seen)) newer.push(keyOf(removed));
    else take(key, removed);
  }

  const unheld: RouteKey[] = [];
  for (const kept of message.keep) {
    const key = routeKeyText(kept);
    named.add(key);
    if (routeAt(key)?.hash !== kept.hash) unheld.push(keyOf(kept));
  }
  for (const [key, entry] of message.full ? heldRoutes : []) {
    if (named.has(key)) continue;
    if (isNewerThan(entry, undefined, message.seen)) newer.push(keyOf(entry));
    else take(key, keyOf(entry));
  }

  const isOldBase = base === held?.base;
  const defaults =
    isOldBase && message.base !== null && message.base.hash !== base.hash ? held.defaults : message.defaults;
  const { revision } = message;
  const known = held?.resources ?? new Map();
  const resources = newResources(known, message.resources);
  const unbuilt = held?.unbuilt ?? new Set<string>();
  return {
    update: {
      revision,
      base: base.hash === held?.base.hash ? null : base,
      set,
      remove,
      defaults,
      ...(resources === null ? {} : { resources }),
    },
    wanted: {
      revision,
      base,
      routes: heldRoutes.with(changes),
      defaults,
      gone: gone.all(),
      unbuilt,
      resources: changedResources(known, resources ?? undefined),
    },
    newer,
    unheld,
  };
}

/** What is not held as it should be; null for nothing. */
function newResources(held: SharedResources, changes: ResourceChanges | undefined): ResourceChanges | null {
  const set = (changes?.set ?? []).filter((one) => {
    const before = held.get(one.key);
    return before?.hash !== one.hash && !isStale(sourcesOf(one), sourcesOf(before));
  });
  const remove = (changes?.remove ?? []).filter((key) => held.has(key));
  return set.length + remove.length === 0 ? null : { set, remove };
}

function sourcesOf(resource: SharedResource | undefined): readonly SourceVersion[] {
  return resource === undefined || resource.type === 'forbidden-addresses' ? [] : (resource.sources ?? []);
}

function newestBase(held: Holding | null, { base }: WholeUpdate): Holding['base'] | null {
  if (base === null || held === null) return base ?? held?.base ?? null;
  return isStale(base.sources ?? [], held.base.sources ?? []) ? held.base : base;
}

/** Whether an entry was made from something older than what is held, and from nothing newer. */
function isBehind(entry: RouteEntry, before: RouteEntry | undefined, gone: GoneResources): boolean {
  const sources = entry.sources ?? [];
  const [own] = sources;
  if (own !== undefined) {
    const goneAt = gone.get(own.uid);
    if (goneAt !== undefined && isOlder(own, { uid: own.uid, resourceVersion: goneAt })) return true;
  }
  return before !== undefined && isStale(sources, before.sources ?? []);
}

function isStale(incoming: readonly SourceVersion[], held: readonly SourceVersion[]): boolean {
  const [own] = incoming;
  const [heldOwn] = held;
  // one resource took the place of another of the same name, and versions of both are counted by one clock
  if (own !== undefined && heldOwn !== undefined && own.uid !== heldOwn.uid) return precedes(own, heldOwn);
  let hasOlder = false;
  for (const source of incoming) {
    const before = held.find(({ uid }) => uid === source.uid);
    if (before === undefined) continue;
    if (isOlder(before, source)) return false;
    hasOlder ||= isOlder(source, before);
  }
  return hasOlder;
}

/** Whether a route is newer than the removal of it, which was seen at this version or somewhere before `seen`. */
function isNewerThan({ sources = [] }: RouteEntry, removal: SourceVersion | undefined, seen: string | null): boolean {
  const [own] = sources;
  if (removal !== undefined && own !== undefined) return precedes(removal, own);
  // what it refers to may be newer and says nothing of the route itself
  return seen !== null && own !== undefined && precedes({ resourceVersion: seen }, own);
}

function precedes(a: Pick<SourceVersion, 'resourceVersion'>, b: Pick<SourceVersion, 'resourceVersion'>): boolean {
  return isOlder({ uid: '', resourceVersion: a.resourceVersion }, { uid: '', resourceVersion: b.resourceVersion });
}

function madeFrom({ sources, generation }: RouteEntry): Pick<RouteEntry, 'sources' | 'generation'> {
  return { ...(sources === undefined ? {} : { sources }), ...(generation === undefined ? {} : { generation }) };
}

function keyOf({ router, id }: RouteKey): RouteKey {
  return { router, id };
}
