import type { Exchange } from '../../engine/message/exchange.ts';

/** So many requests in so much time. */
export interface Rate {
  readonly numberOfRequests: number;
  readonly nanoseconds: bigint;
}

/** Says how fast the requests of a partition may come. */
export interface ThrottlingPolicy {
  /** The same object for the same rate where possible. Null: no limit. */
  rate(exchange: Exchange): Rate | null | Promise<Rate | null>;
}
