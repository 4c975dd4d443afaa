import type { Exchange } from '../../engine/message/exchange.ts';
import type { GrantedToken } from './token-answer.ts';
import { usableTime } from './usable-time.ts';

/** How long a token is used of which nobody said how long it lasts, in milliseconds. */
const UNSAID_LIFETIME = 60_000;
/** Tokens that a service refuses are replaced this often at most: it may have other reasons for its 401. */
const REPLACEMENT_INTERVAL = 10_000;

/** A token to send. */
export interface UsableToken {
  /** The value of the Authorization header. */
  readonly authorization: string;
}

interface Kept extends UsableToken {
  readonly usableUntil: number;
}

/**
 * The access token of the gateway for one service, kept until shortly before its end. Those who need one at the same
 * time wait for the same request. Failures are not kept.
 */
export class KeptToken {
  private readonly fetch: (exchange: Exchange) => Promise<GrantedToken>;
  private readonly now: () => number;
  private kept: Kept | null = null;
  private fetching: Promise<UsableToken> | null = null;
  private replacedAt = Number.NEGATIVE_INFINITY;

  /** `fetch` gets a token; `now` is a clock in milliseconds that never goes back. */
  constructor(fetch: (exchange: Exchange) => Promise<GrantedToken>, now: () => number = () => performance.now()) {
    this.fetch = fetch;
    this.now = now;
  }

  /** The token that is at hand, or null. */
  get current(): UsableToken | null {
    const { kept } = this;
    return kept !== null && this.now() < kept.usableUntil ? kept : null;
  }

  /** The token that is at hand, or a new one. */
  take(exchange: Exchange): Promise<UsableToken> {
    const { current } = this;
    return current === null ? this.fetched(exchange) : Promise.resolve(current);
  }

  /** Another token than one that the service refused, or null when there is none to be had now. */
  instead(refused: UsableToken, exchange: Exchange): Promise<UsableToken> | null {
    const { current } = this;
    if (current !== null && current.authorization !== refused.authorization) return Promise.resolve(current);
    if (this.fetching !== null) return this.fetching;
    if (this.now() - this.replacedAt < REPLACEMENT_INTERVAL) return null;
    this.replacedAt = this.now();
    this.kept = null;
    return this.fetched(exchange);
  }

  private fetched(exchange: Exchange): Promise<UsableToken> {
    this.fetching ??= this.renew(exchange).finally(() => {
      this.fetching = null;
    });
    return this.fetching;
  }

  private async renew(exchange: Exchange): Promise<UsableToken> {
    const askedAt = this.now();
    const { token, lifetime } = await this.fetch(exchange);
    const usableUntil = askedAt + usableTime(lifetime ?? UNSAID_LIFETIME);
    this.kept = { authorization: `Bearer ${token}`, usableUntil };
    return this.kept;
  }
}
