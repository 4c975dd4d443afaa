import { BUCKET_COUNT, bucketBound, bucketsOf, FIGURE } from './route-report.ts';

/** The time, in seconds, within which this share of the answers was given; 0 before the first. */
export function quantile(figures: Float64Array, share: number): number {
  const count = figures[FIGURE.ended]!;
  if (count === 0) return 0;
  const buckets = bucketsOf(figures);
  const longest = figures[FIGURE.longest]!;
  let seen = 0;
  for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
    seen += buckets[bucket]!;
    if (seen >= share * count) return Math.min(bucketBound(bucket), longest);
  }
  return longest;
}

export function mean(figures: Float64Array): number {
  const count = figures[FIGURE.ended]!;
  return count === 0 ? 0 : figures[FIGURE.seconds]! / count;
}

export function deviation(figures: Float64Array): number {
  const count = figures[FIGURE.ended]!;
  if (count === 0) return 0;
  return Math.sqrt(Math.max(0, figures[FIGURE.squaredSeconds]! / count - mean(figures) ** 2));
}
