import type { Rate } from '../../../dataplane/heap/objects/throttling.ts';

/** A token bucket as one would explain it, to hold the real ones to: tokens are added one at a time. */
export class PlainBucket {
  private readonly rate: Rate;
  private tokens: number;
  private refilled: bigint;

  constructor(rate: Rate, now: bigint) {
    this.rate = rate;
    this.tokens = rate.numberOfRequests;
    this.refilled = now;
  }

  isOf({ numberOfRequests, nanoseconds }: Rate): boolean {
    return this.rate.numberOfRequests === numberOfRequests && this.rate.nanoseconds === nanoseconds;
  }

  /** Takes a token. @returns 0, or how long the next one takes. */
  take(now: bigint): number {
    const { numberOfRequests, nanoseconds } = this.rate;
    const requests = BigInt(numberOfRequests);
    const interval = nanoseconds / requests + (nanoseconds % requests === 0n ? 0n : 1n);
    if (now - this.refilled >= nanoseconds) {
      this.tokens = numberOfRequests;
      this.refilled = now;
    }
    while (now - this.refilled >= interval) {
      this.refilled += interval;
      if (this.tokens < numberOfRequests) this.tokens++;
    }
    if (this.tokens === 0) return Number(this.refilled + interval - now);
    this.tokens--;
    return 0;
  }
}
