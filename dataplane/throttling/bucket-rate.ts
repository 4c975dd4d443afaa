import type { Rate } from '../heap/objects/throttling.ts';

/** A rate as buckets count it, in nanoseconds. */
export interface BucketRate {
  /** Most tokens that a bucket holds. */
  readonly capacity: number;
  readonly duration: number;
  /** Time in which one token is added. */
  readonly interval: number;
}

export function bucketRate({ numberOfRequests, nanoseconds }: Rate): BucketRate {
  const requests = BigInt(numberOfRequests);
  const interval = (nanoseconds + requests - 1n) / requests;
  return { capacity: numberOfRequests, duration: Number(nanoseconds), interval: Number(interval) };
}
