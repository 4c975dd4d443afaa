import { hash } from 'node:crypto';
import type { Exchange } from '../../engine/message/exchange.ts';
import { usableTime } from './usable-time.ts';

/** A token that an authorization server issued in exchange for another (RFC 8693). */
export interface IssuedToken {
  readonly token: string;
  readonly type: string;
  readonly scopes: readonly string[];
  /** In milliseconds; null when the server did not say. */
  readonly lifetime: number | null;
}

interface Cached {
  readonly issued: IssuedToken;
  readonly usableUntil: number;
}

/** Cached results at most: beyond it the oldest one goes. */
const MOST_ENTRIES = 10_000;
/** Bytes of cached tokens at most. */
const MOST_BYTES = 16 << 20;

/**
 * Cache of exchanged tokens, by everything that the authorization server was sent. Requests for the same exchange wait
 * for one call. A result without a lifetime is not cached, and neither is a failure.
 */
export class ExchangedTokens {
  private readonly now: () => number;
  private readonly cached = new Map<string, Cached>();
  private readonly running = new Map<string, Promise<IssuedToken>>();
  private bytes = 0;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  /**
   * Returns the token for a form, or fetches it.
   * @param subjectEnd when the subject token expires, in milliseconds since 1970: nothing is used for longer
   */
  take(
    form: string,
    subjectEnd: number,
    exchange: Exchange,
    fetch: (form: string, exchange: Exchange) => Promise<IssuedToken>,
  ): IssuedToken | Promise<IssuedToken> {
    const key = hash('sha256', form, 'base64url'); // tokens are credentials: the cache holds none as a key
    const found = this.cached.get(key);
    if (found !== undefined && this.now() < found.usableUntil) return found.issued;
    if (found !== undefined) this.forget(key, found);
    const running = this.running.get(key);
    if (running !== undefined) return running;
    const asked = this.now();
    const fetching = fetch(form, exchange)
      .then((issued) => {
        this.keep(key, issued, asked, subjectEnd);
        return issued;
      })
      .finally(() => this.running.delete(key));
    this.running.set(key, fetching);
    return fetching;
  }

  private keep(key: string, issued: IssuedToken, asked: number, subjectEnd: number): void {
    if (issued.lifetime === null || issued.lifetime <= 0) return;
    const end = asked + usableTime(issued.lifetime);
    const usableUntil = Math.min(end, subjectEnd);
    if (usableUntil <= this.now()) return;
    this.cached.set(key, { issued, usableUntil });
    this.bytes += issued.token.length;
    for (const [oldest, entry] of this.cached) {
      if (this.cached.size <= MOST_ENTRIES && this.bytes <= MOST_BYTES) return;
      this.forget(oldest, entry);
    }
  }

  private forget(key: string, { issued }: Cached): void {
    if (this.cached.delete(key)) this.bytes -= issued.token.length;
  }
}
