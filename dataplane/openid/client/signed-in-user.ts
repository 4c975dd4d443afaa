import type { Claims } from '../../jose/claims.ts';
import type { IdTokenClaims } from './id-token-claims.ts';
import type { SignedIn } from './signed-in.ts';

/** The signed-in user of an exchange, as expressions see it: nothing is made of a token before one reads it. */
export class SignedInUser {
  readonly signedIn: SignedIn;
  /** Absolute URL of the client endpoint. */
  readonly clientEndpoint: string;
  /** The claims of the user info endpoint; null where there are none. */
  readonly userInfo: Claims | null;
  private readonly memo: IdTokenClaims;

  constructor(signedIn: SignedIn, userInfo: Claims | null, clientEndpoint: string, memo: IdTokenClaims) {
    this.signedIn = signedIn;
    this.userInfo = userInfo;
    this.clientEndpoint = clientEndpoint;
    this.memo = memo;
  }

  /** The claims of the ID token; null where there is none. */
  get claims(): Claims | null {
    const { idToken } = this.signedIn;
    return idToken === null ? null : this.memo.of(idToken);
  }

  get scopes(): readonly string[] {
    return this.signedIn.scope.split(' ').filter((scope) => scope !== '');
  }

  /** Seconds that the access token is still good for; null where the provider named no lifetime. */
  get expiresIn(): number | null {
    const { expiresAt } = this.signedIn;
    return expiresAt === null ? null : Math.max(0, Math.floor((expiresAt - Date.now()) / 1000));
  }
}
