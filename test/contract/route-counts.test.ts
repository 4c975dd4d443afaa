import { expect, it } from 'vitest';
import {
  denialReasons,
  MOST_COUNTS,
  placeOf,
  readCounts,
  reportedCounts,
  routeCounts,
} from '../../contract/route-counts.ts';

it('finds the slot of a count of an object, with any other labels', () => {
  const rest = { fully_qualified_name: 'gateway._router.app.it', name: 'it', route: 'app', router: 'gateway._router' };
  for (const [place, { metric, labels }] of routeCounts.entries()) {
    expect(placeOf(metric, { ...rest, ...labels })).toBe(place);
  }
  expect(routeCounts.filter(({ metric }) => metric === 'gw_denied_total')).toHaveLength(denialReasons.length);
  expect(2 * routeCounts.length).toBeLessThan(MOST_COUNTS);
});

it.each([
  ['gw_denied_total', { reason: 'another' }],
  ['gw_cache_gets_total', { content: 'policy', result: 'hit' }],
  ['gw_cache_evictions', { content: 'access_token', cause: 'size' }],
])('reports nothing of %s with %j', (metric, labels) => {
  expect(placeOf(metric, labels)).toBe(-1);
});

it('reads its own reports, without zeros', () => {
  const counts = new Float64Array(routeCounts.length);
  counts[0] = 3;
  counts[7] = 1;
  expect(reportedCounts(counts)).toEqual([0, 3, 7, 1]);
  expect(readCounts(reportedCounts(counts))).toEqual(counts);
});

it.each([
  ['a place of a newer plane', [500, 3]],
  ['a place that is none', [-1, 3, 0.5, 3]],
  ['a number that is none', [0, -3, 1, Number.NaN, 2, 1e300]],
  ['half of a pair', [0]],
])('counts nothing of %s', (_, reported) => {
  expect(readCounts(reported)).toEqual(new Float64Array(routeCounts.length));
});
