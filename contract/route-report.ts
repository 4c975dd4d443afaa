/**
 * The figures of a route: plain numbers at fixed places, counted by planes and reported to controllers. Requests that
 * began and those that ended are counted apart, so that what is active needs no number that goes down.
 */
export const FIGURE = {
  begun: 0,
  ended: 1,
  error: 2,
  unanswered: 3,
  informational: 4,
  successful: 5,
  redirection: 6,
  clientError: 7,
  serverError: 8,
  unknown: 9,
  seconds: 10,
  squaredSeconds: 11,
  longest: 12,
  /** Counts only where something ended. */
  shortest: 13,
} as const;

/** Where the buckets of response times begin. */
export const FIRST_BUCKET = 16;
/** Four for each doubling of a microsecond, up to half an hour. */
export const BUCKET_COUNT = 128;
/** How many numbers the figures of one route are. */
export const FIGURE_COUNT = FIRST_BUCKET + BUCKET_COUNT;

/** How many numbers come before the buckets in a report. */
const REPORTED_PLAIN = 14;
/** How many numbers the figures of one route in a report are at most. */
export const MOST_REPORTED = REPORTED_PLAIN + 2 * BUCKET_COUNT;

export function emptyFigures(): Float64Array {
  return new Float64Array(FIGURE_COUNT);
}

/** Adds the figures of one to another. */
export function addFigures(into: Float64Array, from: Float64Array): void {
  const longest = Math.max(into[FIGURE.longest]!, from[FIGURE.longest]!);
  const shortest = [into, from].filter((one) => one[FIGURE.ended]! > 0).map((one) => one[FIGURE.shortest]!);
  for (let i = 0; i < FIGURE_COUNT; i++) into[i]! += from[i]!;
  into[FIGURE.longest] = longest;
  into[FIGURE.shortest] = shortest.length === 0 ? 0 : Math.min(...shortest);
}

/** How many observations fell into each bucket of time. */
export function bucketsOf(figures: Float64Array): Float64Array {
  return figures.subarray(FIRST_BUCKET);
}

/** The longest time that a bucket holds, in seconds. */
export function bucketBound(bucket: number): number {
  const doubling = bucket >> 2;
  return (2 ** doubling * (1 + ((bucket & 3) + 1) / 4)) / 1_000_000;
}

/** Requests that began and have not ended. */
export function activeOf(figures: Float64Array): number {
  return Math.max(0, figures[FIGURE.begun]! - figures[FIGURE.ended]!);
}

/**
 * Figures as a report carries them: the first fourteen in the order of `FIGURE`, then the number and the count of every
 * bucket that is not empty, by pairs.
 */
export function reportedFigures(figures: Float64Array): number[] {
  const reported = [...figures.subarray(0, REPORTED_PLAIN)];
  const buckets = bucketsOf(figures);
  for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
    if (buckets[bucket] !== 0) reported.push(bucket, buckets[bucket]!);
  }
  return reported;
}

/** Reads figures of a report; null when they are none. */
export function readFigures(reported: readonly number[]): Float64Array | null {
  const isWhole = reported.length >= REPORTED_PLAIN && (reported.length - REPORTED_PLAIN) % 2 === 0;
  // What is larger is no count, and would make the sum of all planes one that cannot be shown.
  if (!isWhole || !reported.every((number) => number >= 0 && number <= Number.MAX_SAFE_INTEGER)) return null;
  const figures = emptyFigures();
  figures.set(reported.slice(0, REPORTED_PLAIN));
  for (let at = REPORTED_PLAIN; at < reported.length; at += 2) {
    const bucket = reported[at]!;
    if (!Number.isInteger(bucket) || bucket >= BUCKET_COUNT) return null;
    figures[FIRST_BUCKET + bucket]! += reported[at + 1]!;
  }
  return figures;
}

/**
 * The figures of several planes as those of one. Percentiles do not add, so they are to be taken of what comes out, with
 * `contract/response-times.ts`. What cannot be read counts for nothing.
 */
export function mergeFigures(reports: Iterable<readonly number[]>): Float64Array {
  const merged = emptyFigures();
  for (const reported of reports) {
    const figures = readFigures(reported);
    if (figures !== null) addFigures(merged, figures);
  }
  return merged;
}
