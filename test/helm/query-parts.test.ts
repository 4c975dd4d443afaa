import { expect, it } from 'vitest';
import { queryParts } from '../support/clients/query-parts.ts';

it.each([
  ['up', [['up', []]], []],
  ['up{job="a", pod!~"b{c}"} == 0', [['up', ['job', 'pod']]], []],
  ['sum by (route, le) (rate(a_bucket{x=~"$y"}[5m:1m] offset 5m))', [['a_bucket', ['x']]], ['route', 'le']],
  [
    'sum(a) without (pod) / on (job) group_left () (b == bool 1)',
    [
      ['a', []],
      ['b', []],
    ],
    ['pod', 'job'],
  ],
  ['(sum(a{}) or vector(0)) < 1 and time() > 7 * 86400', [['a', []]], []],
  [
    'histogram_quantile(0.99, a) unless b{c="d", e=\'f\'}',
    [
      ['a', []],
      ['b', ['c', 'e']],
    ],
    [],
  ],
])('%s is split into its metrics and labels', (query, selectors, groupings) => {
  const parts = queryParts(query);
  expect(parts.selectors.map(({ metric, labels }) => [metric, labels])).toEqual(selectors);
  expect(parts.groupings).toEqual(groupings);
  for (const { text } of parts.selectors) expect(query).toContain(text);
});
