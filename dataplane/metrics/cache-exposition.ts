import type { Registry } from 'prom-client';
import type { Observation } from '../unit/unit-messages.ts';
import { type Row, registerCounted, registerObserved } from './counted-metric.ts';

const EVICTIONS = 'gw_cache_evictions';
const LOADS = 'gw_cache_loads_seconds';

/** Adds the metrics of caches. */
export function registerCacheMetrics(registry: Registry, observations: () => readonly Observation[]): void {
  registerObserved(registry, 'gw_cache_gets_total', 'Cache lookups, by result: hit or miss.', observations);
  summary(EVICTIONS, 'Entries removed from caches, by cause.', ({ count }) => count);
  summary(LOADS, 'Time to load an entry after a cache miss.', ({ seconds }) => seconds);

  function summary(name: string, help: string, sum: (observation: Observation) => number): void {
    const rows = (observation: Observation): Row[] => [
      { labels: observation.labels, value: sum(observation), metricName: `${name}_sum` },
      { labels: observation.labels, value: observation.count, metricName: `${name}_count` },
    ];
    registerCounted(registry, name, 'summary', help, () =>
      observations()
        .filter(({ metric }) => metric === name)
        .flatMap(rows),
    );
  }
}
