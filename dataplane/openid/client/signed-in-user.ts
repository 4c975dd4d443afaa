import type { Uri } from '../../engine/message/uri.ts';
import type { Claims } from '../../jose/claims.ts';
import { originOf } from './client-endpoint.ts';
import type { IdTokenClaims } from './id-token-claims.ts';
import type { SignedIn } from './signed-in.ts';

/** The signed-in user of an exchange, as expressions see it: nothing is made of a token before one reads it. */
export class SignedInUser {
  readonly signedIn: SignedIn;
  /** The claims of the user info endpoint; null where there are none. */
  readonly userInfo: Claims | null;
  private readonly originalUri: Uri;
  private readonly path: string;
  private readonly memo: IdTokenClaims;

  /** @param path of the client endpoint */
  constructor(signedIn: SignedIn, userInfo: Claims | null, originalUri: Uri, path: string, memo: IdTokenClaims) {
    this.signedIn = signedIn;
    this.userInfo = userInfo;
    this.originalUri = originalUri;
    this.path = path;
    this.memo = memo;
  }

  /** Absolute URL of the client endpoint. */
  get clientEndpoint(): string {
    return `${originOf(this.originalUri)}${this.path}`;
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
