import { expect, it } from 'vitest';
import { FIGURE_COUNT } from '../../../contract/route-report.ts';
import { histogramRows } from '../../../dataplane/metrics/route-histogram.ts';
import { figuresIn } from '../../../dataplane/metrics/route-slots.ts';

it('counts each time in all buckets that it is no longer than', () => {
  const slot = new Float64Array(FIGURE_COUNT);
  const figures = figuresIn(slot);
  for (const milliseconds of [0.2, 1.02, 1.03, 49, 50, 262, 9000, 60_000]) figures.end(200, milliseconds, false);
  const rows = histogramRows('it', slot, { route: 'app' }).map(
    ({ metricName, labels, value }) => `${metricName} ${labels['le'] ?? ''} ${Math.round(value)}`,
  );
  expect(rows).toEqual([
    'it_bucket 0.001024 2',
    'it_bucket 0.00256 3',
    'it_bucket 0.00512 3',
    'it_bucket 0.01024 3',
    'it_bucket 0.024576 3',
    'it_bucket 0.049152 4',
    'it_bucket 0.098304 5',
    'it_bucket 0.262144 6',
    'it_bucket 0.524288 6',
    'it_bucket 1.048576 6',
    'it_bucket 2.62144 6',
    'it_bucket 5.24288 6',
    'it_bucket 10.48576 7',
    'it_bucket +Inf 8',
    'it_sum  69',
    'it_count  8',
  ]);
});
