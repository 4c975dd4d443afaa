import { expect, it } from 'vitest';
import { quantile } from '../../../contract/response-times.ts';
import { emptyFigures, FIGURE, FIRST_BUCKET, reportedFigures } from '../../../contract/route-report.ts';
import { MergedRoutes } from '../../../controller/metrics/merged-routes.ts';
import type { PlaneFacts } from '../../../controller/publish/plane-facts.ts';
import { plane } from '../../support/judged-resources.ts';

/** A plane that counted so many requests, all of them in one bucket of time. */
function counted(
  name: string,
  ended: number,
  { since = 's1', bucket = 40, active = 0, id = 'shop.orders' } = {},
): PlaneFacts {
  const figures = emptyFigures();
  figures[FIGURE.begun] = ended + active;
  figures[FIGURE.ended] = ended;
  figures[FIGURE.longest] = 10;
  figures[FIRST_BUCKET + bucket] = ended;
  const routes = [{ router: 'gateway._router', id, name: 'orders', figures: reportedFigures(figures) }];
  const report = { type: 'report', revision: 'r', ready: true, unitsServing: 1, clock: 0, since, routes } as const;
  return plane(name, {}, { lastReport: { at: 0, report } });
}

const ended = (merged: MergedRoutes): number[] => merged.series().map(({ figures }) => figures[FIGURE.ended]!);

it('adds what planes counted, and takes percentiles of all of it', () => {
  const merged = new MergedRoutes();
  merged.follow([counted('a', 90, { bucket: 20 }), counted('b', 10, { bucket: 60 }), plane('c')]);
  const [series] = merged.series();
  expect(series).toMatchObject({ router: 'gateway._router', route: 'shop.orders', name: 'orders' });
  expect(series?.figures[FIGURE.ended]).toBe(100);
  const [low, high] = [quantile(series!.figures, 0.5), quantile(series!.figures, 0.95)];
  expect(high / low).toBeGreaterThan(500);
});

it('never counts down because a plane went or began anew', () => {
  const merged = new MergedRoutes();
  merged.follow([counted('a', 50), counted('b', 50)]);
  merged.follow([counted('a', 60)]);
  expect(ended(merged)).toEqual([110]);
  merged.follow([counted('a', 5, { since: 's2' })]);
  expect(ended(merged)).toEqual([115]);
});

it('takes what was active on a plane that went for ended', () => {
  const merged = new MergedRoutes();
  merged.follow([counted('a', 10, { active: 3 }), counted('b', 1, { active: 1 })]);
  merged.follow([counted('b', 1, { active: 1 })]);
  const [series] = merged.series();
  expect(series!.figures[FIGURE.begun]! - series!.figures[FIGURE.ended]!).toBe(1);
});

it('forgets routes that no plane runs any more', () => {
  const merged = new MergedRoutes();
  merged.follow([counted('a', 10), counted('b', 10)]);
  merged.follow([counted('b', 1, { id: 'shop.carts', since: 's2' })]);
  expect(merged.series().map(({ route }) => route)).toEqual(['shop.carts']);
  merged.follow([counted('b', 2, { since: 's2' })]);
  expect(ended(merged)).toEqual([2]);
});
