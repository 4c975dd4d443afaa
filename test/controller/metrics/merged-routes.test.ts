import { expect, it } from 'vitest';
import { quantile } from '../../../contract/response-times.ts';
import { placeOf } from '../../../contract/route-counts.ts';
import { emptyFigures, FIGURE, FIRST_BUCKET, reportedFigures } from '../../../contract/route-report.ts';
import { MergedRoutes } from '../../../controller/metrics/merged-routes.ts';
import type { PlaneFacts } from '../../../controller/publish/plane-facts.ts';
import { plane } from '../../support/cluster/judged-resources.ts';

/** A plane that counted so many requests, all of them in one bucket of time. */
function counted(
  name: string,
  ended: number,
  { since = 's1', bucket = 40, active = 0, id = 'shop.orders', counts = [] as number[] } = {},
): PlaneFacts {
  const figures = emptyFigures();
  figures[FIGURE.begun] = ended + active;
  figures[FIGURE.ended] = ended;
  figures[FIGURE.longest] = 10;
  figures[FIRST_BUCKET + bucket] = ended;
  const routes = [{ router: 'gateway._router', id, name: 'orders', figures: reportedFigures(figures), counts }];
  const report = { type: 'report', revision: 'r', ready: true, unitsServing: 1, clock: 0, since, routes } as const;
  return plane(name, {}, { lastReport: { at: 0, report } });
}

const ended = (merged: MergedRoutes): number[] => merged.series().map(({ figures }) => figures[FIGURE.ended]!);

it('adds the counts of data planes, and computes percentiles of all', () => {
  const merged = new MergedRoutes();
  merged.follow([counted('a', 90, { bucket: 20 }), counted('b', 10, { bucket: 60 }), plane('c')]);
  const [series] = merged.series();
  expect(series).toMatchObject({ router: 'gateway._router', route: 'shop.orders', name: 'orders' });
  expect(series?.figures[FIGURE.ended]).toBe(100);
  const [low, high] = [quantile(series!.figures, 0.5), quantile(series!.figures, 0.95)];
  expect(high / low).toBeGreaterThan(500);
});

it('never decreases a counter when a data plane leaves or restarts', () => {
  const merged = new MergedRoutes();
  merged.follow([counted('a', 50), counted('b', 50)]);
  merged.follow([counted('a', 60)]);
  expect(ended(merged)).toEqual([110]);
  merged.follow([counted('a', 5, { since: 's2' })]);
  expect(ended(merged)).toEqual([115]);
});

it('counts the active requests of a departed data plane as ended', () => {
  const merged = new MergedRoutes();
  merged.follow([counted('a', 10, { active: 3 }), counted('b', 1, { active: 1 })]);
  merged.follow([counted('b', 1, { active: 1 })]);
  const [series] = merged.series();
  expect(series!.figures[FIGURE.begun]! - series!.figures[FIGURE.ended]!).toBe(1);
});

it('adds the counts of the objects of a route, and shows the remaining values of data planes', () => {
  const throttled = placeOf('gw_throttled_total', {});
  const open = placeOf('gw_circuit_breaker_open', {});
  const merged = new MergedRoutes();
  const sums = (): (number | undefined)[] => {
    const [series] = merged.series();
    return [series?.counts[throttled], series?.counts[open]];
  };
  merged.follow([counted('a', 1, { counts: [throttled, 3, open, 1] }), counted('b', 1, { counts: [open, 1] })]);
  expect(sums()).toEqual([3, 2]);
  merged.follow([counted('a', 1, { counts: [throttled, 5] }), counted('b', 1, { counts: [open, 1] })]);
  expect(sums()).toEqual([5, 1]);
  merged.follow([counted('a', 1, { counts: [throttled, 5] })]);
  expect(sums()).toEqual([5, 0]);
  merged.follow([counted('a', 1, { since: 's2', counts: [throttled, 1] })]);
  expect(sums()).toEqual([6, 0]);
});

it('forgets routes that no plane runs any more', () => {
  const merged = new MergedRoutes();
  merged.follow([counted('a', 10), counted('b', 10)]);
  merged.follow([counted('b', 1, { id: 'shop.carts', since: 's2' })]);
  expect(merged.series().map(({ route }) => route)).toEqual(['shop.carts']);
  merged.follow([counted('b', 2, { since: 's2' })]);
  expect(ended(merged)).toEqual([2]);
});

it('reads only new reports, so that frequent scrapes are cheap', () => {
  const merged = new MergedRoutes();
  const told = counted('a', 10);
  let looks = 0;
  const report = new Proxy(told.lastReport!.report, {
    get(target, field) {
      if (field === 'routes') looks++;
      return Reflect.get(target, field);
    },
  });
  const facts = { ...told, lastReport: { at: 0, report } };
  for (let i = 0; i < 10; i++) {
    merged.follow([facts]);
    expect(ended(merged)).toEqual([10]);
  }
  expect(looks).toBe(1);
});

it('follows changes of a report, also added and removed routes', () => {
  const merged = new MergedRoutes();
  const both = counted('a', 3);
  const [orders] = both.lastReport!.report.routes;
  const carts = { ...orders!, id: 'shop.carts' };
  const reported = (routes: readonly (typeof carts)[]): PlaneFacts => {
    return { ...both, lastReport: { at: 0, report: { ...both.lastReport!.report, routes } } };
  };
  const shown = (): object => Object.fromEntries(merged.series().map((one) => [one.route, one.figures[FIGURE.ended]]));
  merged.follow([reported([orders!]), counted('b', 4)]);
  merged.follow([reported([carts, orders!]), counted('b', 5)]);
  expect(shown()).toEqual({ 'shop.orders': 8, 'shop.carts': 3 });
  merged.follow([reported([carts]), counted('b', 6)]);
  expect(shown()).toEqual({ 'shop.orders': 6, 'shop.carts': 3 });
});

it('does not believe numbers that no plane can have counted', () => {
  const merged = new MergedRoutes();
  merged.follow([counted('a', 1e300), counted('b', 4)]);
  expect(ended(merged)).toEqual([4]);
});
