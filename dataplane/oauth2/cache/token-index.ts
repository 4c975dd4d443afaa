import type { AccessToken } from '../../heap/objects/access-tokens.ts';
import type { VouchedToken } from './vouched-token.ts';

/** Claims with the grant that a token belongs to: all tokens of one refresh token have the same. */
const GRANT_CLAIMS = ['authGrantId', 'grantId'] as const;

/** The tokens of a cache by grant and by `jti`, so that a revocation finds them without a look at all others. */
export class TokenIndex {
  private readonly tokens = new Map<string, VouchedToken | Set<VouchedToken>>();

  add(token: VouchedToken): void {
    for (const id of token.ids ?? []) {
      const there = this.tokens.get(id);
      if (there === undefined) this.tokens.set(id, token);
      else if (there instanceof Set) there.add(token);
      else this.tokens.set(id, new Set([there, token]));
    }
  }

  remove(token: VouchedToken): void {
    for (const id of token.ids ?? []) {
      const there = this.tokens.get(id);
      if (there === token) this.tokens.delete(id);
      else if (there instanceof Set && there.delete(token) && there.size === 0) this.tokens.delete(id);
    }
  }

  ofGrant(grantId: string): readonly VouchedToken[] {
    return this.find(grantKey(grantId));
  }

  withJti(jti: string): readonly VouchedToken[] {
    return this.find(jtiKey(jti));
  }

  clear(): void {
    this.tokens.clear();
  }

  private find(id: string): readonly VouchedToken[] {
    const there = this.tokens.get(id);
    if (there === undefined) return [];
    return there instanceof Set ? [...there] : [there];
  }
}

/** The ids that an index knows a token by; null for none. */
export function idsOf(info: AccessToken['info']): readonly string[] | null {
  const grants = GRANT_CLAIMS.map((claim) => info[claim]).filter((grant) => typeof grant === 'string');
  const { jti } = info;
  const ids = [...new Set(grants)].map(grantKey);
  if (typeof jti === 'string') ids.push(jtiKey(jti));
  return ids.length === 0 ? null : ids;
}

function grantKey(grantId: string): string {
  return `g ${grantId}`;
}

function jtiKey(jti: string): string {
  return `j ${jti}`;
}
