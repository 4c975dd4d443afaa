import { bucketBound, bucketsOf, FIGURE } from '../../contract/route-report.ts';
import type { Row } from './counted-metric.ts';

/** Buckets of the figures whose bounds are those of the histogram: from a millisecond to ten seconds. */
const BOUNDS = [39, 44, 48, 52, 57, 61, 65, 71, 75, 79, 84, 88, 92].map((last) => ({
  last,
  le: String(bucketBound(last)),
}));

/** The rows of a histogram of response times, which can be added up over planes and looked at over any time. */
export function histogramRows(name: string, figures: Float64Array, labels: Readonly<Record<string, string>>): Row[] {
  const buckets = bucketsOf(figures);
  const ended = figures[FIGURE.ended]!;
  let next = 0;
  let count = 0;
  const rows = BOUNDS.map(({ last, le }): Row => {
    while (next <= last) count += buckets[next++]!;
    return { labels: { ...labels, le }, value: count, metricName: `${name}_bucket` };
  });
  return [
    ...rows,
    { labels: { ...labels, le: '+Inf' }, value: ended, metricName: `${name}_bucket` },
    { labels, value: figures[FIGURE.seconds]!, metricName: `${name}_sum` },
    { labels, value: ended, metricName: `${name}_count` },
  ];
}
