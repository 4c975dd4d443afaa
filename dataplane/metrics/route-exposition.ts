import type { Registry } from 'prom-client';
import { quantile } from '../../contract/response-times.ts';
import { activeOf, FIGURE } from '../../contract/route-report.ts';
import type { Observation } from '../unit/unit-messages.ts';
import { type Row, registerCounted } from './counted-metric.ts';
import { histogramRows } from './route-histogram.ts';
import type { RouteSeries } from './route-series.ts';

/** Source of route metrics, read at each scrape. */
export interface RouteMetricsSource {
  series(): readonly RouteSeries[];
  observations(): readonly Observation[];
}

/** Status families, by the values of the `family` label. */
export const families = [
  ['Informational', FIGURE.informational],
  ['Successful', FIGURE.successful],
  ['Redirection', FIGURE.redirection],
  ['Client_error', FIGURE.clientError],
  ['Server_error', FIGURE.serverError],
  ['Unknown', FIGURE.unknown],
] as const;

const QUANTILES = [0.5, 0.75, 0.95, 0.98, 0.99, 0.999];

type Rows = (series: RouteSeries, labels: Record<string, string>) => Row[];

const active: Rows = ({ figures }, labels) => [{ labels, value: activeOf(figures) }];

/** Metrics of a route: name, type, help text and rows. */
const METRICS: readonly (readonly [name: string, type: string, help: string, rows: Rows])[] = [
  ['gw_route_request_active', 'gauge', 'Requests being processed.', active],
  ['gw_route_request_active_total', 'gauge', 'Requests being processed.', active],
  [
    'gw_route_request_total',
    'counter',
    'Requests processed since deployment.',
    ({ figures }, labels) => [{ labels, value: figures[FIGURE.begun]! }],
  ],
  [
    'gw_route_response_error_total',
    'counter',
    'Responses that threw an exception.',
    ({ figures }, labels) => [{ labels, value: figures[FIGURE.error]! }],
  ],
  [
    'gw_route_response_null_total',
    'counter',
    'Responses not handled by the gateway.',
    ({ figures }, labels) => [{ labels, value: figures[FIGURE.unanswered]! }],
  ],
  [
    'gw_route_response_status_total',
    'counter',
    'Responses by status family.',
    ({ figures }, labels) => families.map(([family, at]) => ({ labels: { ...labels, family }, value: figures[at]! })),
  ],
  ['gw_route_response_time', 'summary', 'Response time observations, in seconds.', summary('gw_route_response_time')],
  [
    'gw_route_response_time_total',
    'counter',
    'Sum of the response times, in seconds.',
    ({ figures }, labels) => [{ labels, value: figures[FIGURE.seconds]! }],
  ],
  [
    'gw_route_response_seconds',
    'histogram',
    'Response times in seconds; the buckets can be summed over data planes.',
    ({ figures }, labels) => histogramRows('gw_route_response_seconds', figures, labels),
  ],
];

/** Adds the metrics of routes and of the objects in them. Routes that are gone are gone from the next scrape. */
export function registerRouteMetrics(registry: Registry, source: RouteMetricsSource): void {
  for (const [name, type, help, rows] of METRICS) {
    registerCounted(registry, name, type, help, () =>
      source.series().flatMap((series) => {
        const { name: routeName, route, router } = series;
        return rows(series, { name: routeName, route, router });
      }),
    );
  }
  registerCounted(registry, 'gw_router_deployed_routes', 'gauge', 'Routes of a router.', () =>
    deployed(source.series()),
  );
  for (const [metric, help] of TIMERS) {
    registerCounted(registry, metric, 'summary', help, () =>
      source
        .observations()
        .filter((one) => one.metric === metric)
        .flatMap(({ labels, count, seconds }) => [
          { labels, value: seconds, metricName: `${metric}_sum` },
          { labels, value: count, metricName: `${metric}_count` },
        ]),
    );
  }
}

/** Metrics of the timer decorator. */
const TIMERS = [
  ['gw_timerdecorator_handler_elapsed_seconds', 'Time in a handler with a timer.'],
  ['gw_timerdecorator_filter_elapsed_seconds', 'Time in a filter and everything downstream of it.'],
  ['gw_timerdecorator_filter_internal_seconds', 'Time in the filter itself.'],
  ['gw_timerdecorator_filter_downstream_seconds', 'Time downstream of a filter.'],
  ['gw_timerdecorator_accesstokenresolver_elapsed_seconds', 'Time to validate an access token.'],
] as const;

/** Number of routes of each router, without the default route for unmatched requests. */
function deployed(series: readonly RouteSeries[]): Row[] {
  const counts = new Map<string, number>();
  for (const { router, route } of series) counts.set(router, (counts.get(router) ?? 0) + (route === 'default' ? 0 : 1));
  return [...counts].map(([router, value]) => {
    const dot = router.lastIndexOf('.');
    const labels = { fully_qualified_name: router, heap: router.slice(0, dot), name: router.slice(dot + 1) };
    return { labels, value };
  });
}

function summary(name: string): Rows {
  return ({ figures }, labels) => [
    ...QUANTILES.map((share) => ({ labels: { ...labels, quantile: String(share) }, value: quantile(figures, share) })),
    { labels, value: figures[FIGURE.seconds]!, metricName: `${name}_sum` },
    { labels, value: figures[FIGURE.ended]!, metricName: `${name}_count` },
  ];
}
