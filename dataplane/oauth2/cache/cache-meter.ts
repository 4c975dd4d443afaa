import type { Parts } from '../../heap/definition.ts';
import { objectLabels } from '../../heap/objects/object-labels.ts';

/** Why a cache no longer holds something: its time is over, it is full, or somebody took it out. */
export type EvictionCause = 'expired' | 'size' | 'explicit';

/** Metrics of a cache. */
export interface CacheMeter {
  hit(): void;
  miss(): void;
  evicted(cause: EvictionCause): void;
  /** Something was looked up elsewhere, for this long. */
  loaded(seconds: number): void;
}

/** Counts for the metrics of an object's cache, under the names that caches of all kinds share. */
export function cacheMeter(parts: Parts, content: string): CacheMeter {
  const { scope, plane } = parts;
  const labels = { content, heap: scope, ...objectLabels(parts) };
  const evictions = (cause: EvictionCause): (() => void) => plane.counter('gw_cache_evictions', { ...labels, cause });
  const byCause = { expired: evictions('expired'), size: evictions('size'), explicit: evictions('explicit') };
  return {
    hit: plane.counter('gw_cache_gets_total', { ...labels, result: 'hit' }),
    miss: plane.counter('gw_cache_gets_total', { ...labels, result: 'miss' }),
    evicted: (cause) => byCause[cause](),
    loaded: (seconds) => plane.observe('gw_cache_loads_seconds', labels, seconds),
  };
}
