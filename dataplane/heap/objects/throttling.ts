import type { Exchange } from '../../engine/message/exchange.ts';

/** So many requests in so much time. */
export interface Rate {
  readonly numberOfRequests: number;
  readonly nanoseconds: bigint;
}

/** Bounds of a rate, whether a document or a script gives it. */
export const RATE_BOUNDS = { mostRequests: 2_147_483_647, shortestNanoseconds: 1_000_000n, longest: '36500 days' };

/** Policy that returns the rate of a request. */
export interface ThrottlingPolicy {
  /** The same object for the same rate where possible. Null: no limit. */
  rate(exchange: Exchange): Rate | null | Promise<Rate | null>;
}
