import { type RouteEntry, routeKeyText, type SharedResource } from '../../contract/snapshot.ts';
import { LayeredMap } from '../../platform/layered-map.ts';
import type { Holding } from './holding.ts';
import type { TimedHolding } from './holding-text.ts';

/** What a holding has beside its maps and sets, which JSON does not know. */
type Head = Pick<Holding, Plain>;
type Plain = {
  [K in keyof Holding]: Holding[K] extends ReadonlyMap<string, unknown> | ReadonlySet<string> ? never : K;
}[keyof Holding];
/** A field that a holding gets one day has to be named here, or be written as a map or set is. */
const PLAIN: Readonly<Record<Plain, true>> = { revision: true, base: true, defaults: true };

/** What differs between two holdings, as it is written. */
interface Delta {
  /** When a controller last confirmed the later one, in milliseconds since 1970. */
  readonly time: number;
  /** The fields that differ. */
  readonly head: Partial<Head>;
  readonly set: readonly RouteEntry[];
  /** By `routeKeyText`. */
  readonly remove: readonly string[];
  readonly gone: readonly (readonly [uid: string, resourceVersion: string])[];
  /** Uids that are not remembered as gone any more. */
  readonly back: readonly string[];
  readonly resources: readonly SharedResource[];
  /** Keys of shared resources that are not held any more. */
  readonly removedResources: readonly string[];
}

/** Returns what turns the first holding into the second, as text. It holds secrets. */
export function holdingDelta(before: Holding, after: Holding, time: number): string {
  const delta: Delta = {
    time,
    head: differingHead(before, after),
    set: differing(before.routes, after.routes).map(([, entry]) => entry),
    remove: missing(before.routes, after.routes),
    gone: differing(before.gone, after.gone),
    back: missing(before.gone, after.gone),
    resources: differing(before.resources, after.resources).map(([, resource]) => resource),
    removedResources: missing(before.resources, after.resources),
  };
  return JSON.stringify(delta);
}

/** Applies deltas in their order. @throws Error when one is something else */
export function withDeltas(first: TimedHolding, deltas: Iterable<string>): TimedHolding {
  const { routes: firstRoutes, gone: firstGone, resources: firstResources, unbuilt, ...firstHead } = first.holding;
  let head: Head = firstHead;
  let { time } = first;
  const routes = new Map(firstRoutes);
  const gone = new Map(firstGone);
  const resources = new Map(firstResources);
  for (const text of deltas) {
    const delta = JSON.parse(text) as Delta;
    head = { ...head, ...delta.head };
    time = delta.time;
    for (const key of delta.remove) routes.delete(key);
    for (const entry of delta.set) routes.set(routeKeyText(entry), entry);
    for (const uid of delta.back) gone.delete(uid);
    for (const [uid, version] of delta.gone) {
      gone.delete(uid); // what is set anew is remembered longest
      gone.set(uid, version);
    }
    for (const key of delta.removedResources) resources.delete(key);
    for (const resource of delta.resources) resources.set(resource.key, resource);
  }
  return { holding: { ...head, routes, gone, resources, unbuilt }, time };
}

function differingHead(before: Holding, after: Holding): Partial<Head> {
  const names = Object.keys(PLAIN) as Plain[];
  return Object.fromEntries(names.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]));
}

function differing<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): (readonly [string, T])[] {
  const found: (readonly [string, T])[] = [];
  for (const key of suspects(before, after) ?? after.keys()) {
    const value = after.get(key);
    if (value !== undefined && before.get(key) !== value) found.push([key, value]);
  }
  return found;
}

function missing<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): string[] {
  return [...(suspects(before, after) ?? before.keys())].filter((key) => before.has(key) && !after.has(key));
}

/** Keys of entries that may differ; null for all. */
function suspects<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): ReadonlySet<string> | null {
  if (before === after) return new Set();
  return after instanceof LayeredMap ? (after as LayeredMap<T>).changedSince(before) : null;
}
