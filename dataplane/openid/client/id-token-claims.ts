import { decodeBase64url } from '../../jose/base64url.ts';
import { type Claims, readClaims } from '../../jose/claims.ts';

/** Characters of ID tokens that are kept. */
const MOST_CHARACTERS = 4 << 20;

/**
 * Claims of ID tokens that were verified when their users signed in, by the text of the token: sessions hold the text
 * only, and every request needs to know who its user is. Bounded by characters, the oldest entry goes first.
 */
export class IdTokenClaims {
  private readonly known = new Map<string, Claims>();
  private readonly most: number;
  private characters = 0;

  constructor(most = MOST_CHARACTERS) {
    this.most = most;
  }

  /** The claims; empty for a text without any. They are shared and never changed. */
  of(token: string): Claims {
    const known = this.known.get(token);
    if (known !== undefined) return known;
    const payload = decodeBase64url(token.split('.', 2)[1] ?? '');
    const claims = Object.freeze((payload === null ? null : readClaims(payload)) ?? {});
    this.known.set(token, claims);
    this.characters += token.length;
    for (const oldest of this.known.keys()) {
      if (this.characters <= this.most) break;
      this.known.delete(oldest);
      this.characters -= oldest.length;
    }
    return claims;
  }
}
