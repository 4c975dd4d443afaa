import type { Headers } from '../../engine/head/headers.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { TokenCache } from './token-cache.ts';
import type { VouchedToken } from './vouched-token.ts';

interface Memo {
  token: VouchedToken;
  epoch: number;
  /** The value of the header; null until the connection has brought the token twice in a row. */
  bytes: Buffer | null;
}

/**
 * Remembers for each connection the token that came last: most connections bring one, and comparing bytes costs less
 * than making a text of them to look it up.
 */
export class TokenMemos {
  private readonly cache: TokenCache;
  private readonly memos = new WeakMap<object, Memo>();

  constructor(cache: TokenCache) {
    this.cache = cache;
  }

  /** The token in this line of the request's headers if it is the one that came last and is kept still. */
  find(exchange: Exchange, headers: Headers, line: number, now: number): VouchedToken | null {
    const memo = this.memos.get(exchange.origin.facts);
    this.cache.catchUp();
    if (memo === undefined || memo.bytes === null || memo.epoch !== this.cache.epoch) return null;
    return headers.holdsAt(line, memo.bytes) && this.cache.isFresh(memo.token, now) ? memo.token : null;
  }

  /** The line brought this token, which the cache has. */
  remember(exchange: Exchange, value: string, token: VouchedToken): void {
    const { facts } = exchange.origin;
    const { epoch } = this.cache;
    const memo = this.memos.get(facts);
    if (memo === undefined) this.memos.set(facts, { token, epoch, bytes: null });
    else if (memo.token !== token || memo.epoch !== epoch) {
      memo.token = token;
      memo.epoch = epoch;
      memo.bytes = null;
    } else memo.bytes = Buffer.from(value, 'latin1');
  }
}
