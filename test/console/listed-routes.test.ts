import { describe, expect, it } from 'vitest';
import { RouteHistory } from '../../console/client/route-history.ts';
import type { RouteState } from '../../console/client/route-state.ts';
import { choiceIn, listedRoutes } from '../../console/pages/routes/listed-routes.ts';

const figures = (answered: number, serverErrors: number, p99: number) => ({
  ...{ requests: answered, active: 0, answered, clientErrors: 0, serverErrors, unanswered: 0 },
  ...{ rate: answered / 60, p50: 1, p95: 2, p99, longest: p99 },
});

const state = (route: string, more: Partial<RouteState> = {}): RouteState => ({
  ...{ _id: `gateway._router/${route}`, route, name: route, router: 'gateway._router', position: 1, condition: null },
  ...{ serves: 'this', errors: 0, warnings: 0, document: null, figures: figures(0, 0, 0) },
  ...more,
});

const ROUTES = [
  state('a', { condition: "${request.uri.path == '/Shop'}", figures: figures(10, 0, 5) }),
  state('b', { serves: 'refuses', errors: 2, figures: figures(30, 3, 90) }),
  state('c', { warnings: 1, name: 'orders', figures: null }),
];

const listed = (query: string, history = new RouteHistory()): string[] =>
  listedRoutes(ROUTES, choiceIn(new URLSearchParams(query)), history).map(({ route }) => route);

describe('the list of routes', () => {
  it('keeps the order in which routes are tried', () => {
    expect(listed('')).toEqual(['a', 'b', 'c']);
    expect(listed('sort=unknown')).toEqual(['a', 'b', 'c']);
  });

  it('finds routes by all words of a filter, in ids, names and conditions', () => {
    expect(listed('filter=shop')).toEqual(['a']);
    expect(listed('filter=shop+path')).toEqual(['a']);
    expect(listed('filter=ORDERS')).toEqual(['c']);
    expect(listed('filter=shop+orders')).toEqual([]);
  });

  it('shows routes with errors or warnings only, if that is chosen', () => {
    expect(listed('show=problems')).toEqual(['b', 'c']);
  });

  it('sorts by figures, the largest first', () => {
    expect(listed('sort=p99')).toEqual(['b', 'a', 'c']);
    expect(listed('sort=requests')).toEqual(['b', 'a', 'c']);
  });

  it('sorts by the share of errors in the last minute', () => {
    const history = new RouteHistory();
    history.add(
      0,
      ROUTES.map((one) => ({ ...one, figures: figures(0, 0, 0) })),
    );
    history.add(30_000, ROUTES);
    expect(listed('sort=errors', history)).toEqual(['b', 'a', 'c']);
    expect(history.recent('gateway._router/b')).toEqual({ answered: 30, errors: 3, seconds: 30 });
    expect(history.trend('gateway._router/a')).toEqual([10 / 30]);
  });

  it('counts nothing for a route that began to count anew', () => {
    const history = new RouteHistory();
    history.add(0, ROUTES);
    history.add(1000, [state('a', { figures: figures(2, 0, 1) })]);
    expect(history.recent('gateway._router/a')).toBeNull();
    expect(history.trend('gateway._router/a')).toEqual([0]);
  });
});
