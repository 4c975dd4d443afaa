import type { Registry } from 'prom-client';
import { routeCounts } from '../../contract/route-counts.ts';
import { registerCounted } from './counted-metric.ts';

/** Counts of the objects of one route on all data planes, at the indexes of `routeCounts`. */
export interface CountedRoute {
  readonly router: string;
  readonly route: string;
  readonly counts: Float64Array;
}

const HELP =
  'Sum over all objects of a route on all data planes, left out while it is 0; data planes expose each object.';

/** Adds the counts of the objects of routes, where only the sums over data planes are known. */
export function registerRouteCounts(registry: Registry, routes: () => readonly CountedRoute[]): void {
  const places = routeCounts.map((count, place) => ({ ...count, place }));
  for (const [metric, rows] of Map.groupBy(places, (count) => count.metric)) {
    registerCounted(registry, metric, rows[0]!.isGauge ? 'gauge' : 'counter', HELP, () =>
      routes().flatMap(({ route, router, counts }) =>
        rows
          .filter(({ place }) => counts[place] !== 0)
          .map(({ place, labels }) => ({ labels: { ...labels, route, router }, value: counts[place]! })),
      ),
    );
  }
}
