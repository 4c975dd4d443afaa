import { deviation, mean, quantile } from '../../contract/response-times.ts';
import { activeOf, FIGURE } from '../../contract/route-report.ts';
import type { Rate, Rates } from './rates.ts';
import type { RouteSeries } from './route-series.ts';

/** A metric as the Common REST monitoring endpoint shows it. */
export type MonitoringRecord = Readonly<Record<string, string | number | null>>;

const COUNTERS = [
  ['request', FIGURE.begun],
  ['response.error', FIGURE.error],
  ['response.null', FIGURE.unanswered],
  ['response.status.informational', FIGURE.informational],
  ['response.status.successful', FIGURE.successful],
  ['response.status.redirection', FIGURE.redirection],
  ['response.status.client_error', FIGURE.clientError],
  ['response.status.server_error', FIGURE.serverError],
  ['response.status.unknown', FIGURE.unknown],
] as const;

const PERCENTILES = [
  ['p50', 0.5],
  ['p75', 0.75],
  ['p95', 0.95],
  ['p98', 0.98],
  ['p99', 0.99],
  ['p999', 0.999],
  ['p9999', 0.9999],
  ['p99999', 0.99999],
] as const;

/** Beginning of the names of routers. */
const GATEWAY = 'gateway.';

/** Eleven records for each route. */
export function monitoringRecords(routes: readonly RouteSeries[], rates: Rates, now: number): MonitoringRecord[] {
  return routes.flatMap((series) => {
    const { figures } = series;
    const prefix = recordPrefix(series);
    return [
      ...COUNTERS.map(([name, at]) => ({
        _id: `${prefix}.${name}`,
        _rev: null,
        _type: 'counter',
        count: figures[at]!,
      })),
      { _id: `${prefix}.request.active`, _rev: null, _type: 'gauge', value: activeOf(figures) },
      timer(`${prefix}.response.time`, figures, rates.of(prefix, figures[FIGURE.ended]!, now)),
    ];
  });
}

/** Prefix of the ids of a route's records: the name of its router within the gateway, and its own. */
export function recordPrefix({ router, name }: RouteSeries): string {
  return `heap.${router.startsWith(GATEWAY) ? router.slice(GATEWAY.length) : router}.route.${name}`;
}

function timer(id: string, figures: Float64Array, rate: Rate): MonitoringRecord {
  const [m1, m5, m15] = rate.recent;
  return {
    _id: id,
    _rev: null,
    _type: 'timer',
    count: figures[FIGURE.ended]!,
    total: milliseconds(figures[FIGURE.seconds]!),
    min: milliseconds(figures[FIGURE.shortest]!),
    max: milliseconds(figures[FIGURE.longest]!),
    mean: milliseconds(mean(figures)),
    stddev: milliseconds(deviation(figures)),
    ...Object.fromEntries(PERCENTILES.map(([name, share]) => [name, milliseconds(quantile(figures, share))])),
    mean_rate: round(rate.mean),
    m1_rate: round(m1),
    m5_rate: round(m5),
    m15_rate: round(m15),
    duration_units: 'milliseconds',
    rate_units: 'calls/second',
  };
}

function milliseconds(seconds: number): number {
  return round(seconds * 1000);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
