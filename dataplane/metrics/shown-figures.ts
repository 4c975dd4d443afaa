import { quantile } from '../../contract/response-times.ts';
import { activeOf, FIGURE } from '../../contract/route-report.ts';
import type { ShownFigures } from '../../contract/shown/shown-figures.ts';
import { routeKeyText } from '../../contract/snapshot.ts';
import { recordPrefix } from './monitoring.ts';
import type { Rates } from './rates.ts';
import type { RouteSeries } from './route-series.ts';

/** Returns the figures of routes by the texts of their keys. */
export function shownFigures(
  series: readonly RouteSeries[],
  rates: Rates,
  now: number,
): ReadonlyMap<string, ShownFigures> {
  return new Map(
    series.map((one) => [routeKeyText({ router: one.router, id: one.route }), figuresOf(one, rates, now)]),
  );
}

function figuresOf(series: RouteSeries, rates: Rates, now: number): ShownFigures {
  const { figures } = series;
  const answered = figures[FIGURE.ended]!;
  return {
    requests: figures[FIGURE.begun]!,
    active: activeOf(figures),
    answered,
    clientErrors: figures[FIGURE.clientError]!,
    serverErrors: figures[FIGURE.serverError]!,
    unanswered: figures[FIGURE.unanswered]!,
    rate: rounded(rates.of(recordPrefix(series), answered, now).recent[0]),
    p50: milliseconds(quantile(figures, 0.5)),
    p95: milliseconds(quantile(figures, 0.95)),
    p99: milliseconds(quantile(figures, 0.99)),
    longest: milliseconds(figures[FIGURE.longest]!),
  };
}

function milliseconds(seconds: number): number {
  return rounded(seconds * 1000);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
