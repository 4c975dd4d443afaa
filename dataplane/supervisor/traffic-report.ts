import type { Report, RouteReport } from '../../contract/channel.ts';
import { reportedCounts } from '../../contract/route-counts.ts';
import { reportedFigures } from '../../contract/route-report.ts';
import { routeKeyText } from '../../contract/snapshot.ts';
import type { CountedSeries } from '../metrics/route-series.ts';
import type { PlaneMetrics } from './plane-metrics.ts';

/** The figures of every route that had requests, and the state of Backends. */
export function trafficReport(
  series: readonly CountedSeries[],
  metrics: Pick<PlaneMetrics, 'counts' | 'backendsSummaries'> | null | undefined,
): Pick<Report, 'routes' | 'backends'> {
  const routes = routeReports(series, metrics?.counts());
  const backends = metrics?.backendsSummaries() ?? [];
  return backends.length === 0 ? { routes } : { routes, backends };
}

/** @param counts what objects of routes counted, by key of the route */
function routeReports(
  series: readonly CountedSeries[],
  counts: ReadonlyMap<string, Float64Array> | undefined,
): RouteReport[] {
  const hasCounts = (router: string, id: string): boolean =>
    counts !== undefined && counts.size > 0 && counts.has(routeKeyText({ router, id }));
  return series
    .filter(({ begun, router, route: id }) => begun !== 0 || hasCounts(router, id))
    .map(({ router, route: id, name, figures }) => {
      const counted = counts?.get(routeKeyText({ router, id }));
      const reported = { router, id, name, figures: reportedFigures(figures) };
      return counted === undefined ? reported : { ...reported, counts: reportedCounts(counted) };
    });
}
