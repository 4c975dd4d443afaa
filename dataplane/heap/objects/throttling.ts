import type { Exchange } from '../../engine/message/exchange.ts';

/** So many requests in so much time. */
export interface Rate {
  readonly numberOfRequests: number;
  readonly nanoseconds: bigint;
}

/** Policy that returns the rate of a request. */
export interface ThrottlingPolicy {
  /** The same object for the same rate where possible. Null: no limit. */
  rate(exchange: Exchange): Rate | null | Promise<Rate | null>;
}
