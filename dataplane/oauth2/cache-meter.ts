import type { Parts } from '../heap/definition.ts';

/** Why a cache no longer holds something: its time is over, it is full, or somebody took it out. */
export type EvictionCause = 'expired' | 'size' | 'explicit';

/** What a cache tells of itself. */
export interface CacheMeter {
  hit(): void;
  miss(): void;
  evicted(cause: EvictionCause): void;
  /** Something was looked up elsewhere, for this long. */
  loaded(seconds: number): void;
}

/** Counts for the metrics of an object's cache, under the names that caches of all kinds share. */
export function cacheMeter({ name, qualifiedName, heap, plane }: Parts, content: string): CacheMeter {
  const { scope } = heap;
  const labels = {
    content,
    fully_qualified_name: qualifiedName,
    heap: scope.name,
    name,
    ...routeOf(scope.name, scope.parent?.name ?? ''),
  };
  const evictions = (cause: EvictionCause): (() => void) => plane.counter('gw_cache_evictions', { ...labels, cause });
  const byCause = { expired: evictions('expired'), size: evictions('size'), explicit: evictions('explicit') };
  return {
    hit: plane.counter('gw_cache_gets_total', { ...labels, result: 'hit' }),
    miss: plane.counter('gw_cache_gets_total', { ...labels, result: 'miss' }),
    evicted: (cause) => byCause[cause](),
    loaded: (seconds) => plane.observe('gw_cache_loads_seconds', labels, seconds),
  };
}

/** The heap of a route is named after the heap around it, its router and itself; that of config.json has no route. */
function routeOf(scope: string, outer: string): { readonly route: string; readonly router: string } {
  const inner = scope.startsWith(`${outer}.`) ? scope.slice(outer.length + 1) : '';
  const dot = inner.indexOf('.');
  if (dot < 0) return { route: '', router: '' };
  return { route: inner.slice(dot + 1), router: `${outer}.${inner.slice(0, dot)}` };
}
