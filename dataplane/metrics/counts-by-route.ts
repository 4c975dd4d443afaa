import { placeOf, routeCounts } from '../../contract/route-counts.ts';
import { routeKeyText } from '../../contract/snapshot.ts';
import type { Observation } from '../unit/unit-messages.ts';
import type { GaugeValue } from './gauges.ts';

/** Counts and gauges of the objects of each route, by the text of its key, at the indexes of `routeCounts`. */
export function countsByRoute(
  observations: readonly Observation[],
  gauges: readonly GaugeValue[],
): Map<string, Float64Array> {
  const byRoute = new Map<string, Float64Array>();
  for (const { metric, labels, count } of observations) add(metric, labels, count);
  for (const { metric, labels, value } of gauges) add(metric, labels, value);
  return byRoute;

  function add(metric: string, labels: Readonly<Record<string, string>>, count: number): void {
    const { router = '', route: id = '' } = labels;
    const place = placeOf(metric, labels);
    if (place < 0 || id === '') return;
    const key = routeKeyText({ router, id });
    let counts = byRoute.get(key);
    if (counts === undefined) byRoute.set(key, (counts = new Float64Array(routeCounts.length)));
    counts[place]! += count;
  }
}
