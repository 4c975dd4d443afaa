import type { KnownCredentials } from '../../engine/head/known-credentials.ts';
import type { TokenCache } from './token-cache.ts';
import type { VouchedToken } from './vouched-token.ts';

interface Memo {
  token: VouchedToken;
  epoch: number;
}

/**
 * Remembers the tokens of credentials that connections know: most connections bring one token, and need no text of it to
 * look it up.
 */
export class TokenMemos {
  private readonly cache: TokenCache;
  private readonly memos = new WeakMap<KnownCredentials, Memo>();

  constructor(cache: TokenCache) {
    this.cache = cache;
  }

  /** The token of these credentials if it is kept still. */
  find(credentials: KnownCredentials, now: number): VouchedToken | null {
    const memo = this.memos.get(credentials);
    this.cache.catchUp();
    if (memo === undefined || memo.epoch !== this.cache.epoch) return null;
    return this.cache.isFresh(memo.token, now) ? memo.token : null;
  }

  /** The credentials are this token, which the cache has. */
  remember(credentials: KnownCredentials, token: VouchedToken): void {
    const { epoch } = this.cache;
    const memo = this.memos.get(credentials);
    if (memo === undefined) this.memos.set(credentials, { token, epoch });
    else {
      memo.token = token;
      memo.epoch = epoch;
    }
  }
}
