import { sign } from '../../../dataplane/jose/signature.ts';
import type { SignedIn } from '../../../dataplane/openid/client/signed-in.ts';
import { type KeyHalves, newKey } from './signing-keys.ts';

export const ISSUER = 'https://op.test';
export const CLIENT_ID = 'gateway';

/** A provider's key, and tokens of user `alice` for the client `gateway` that are signed with it. */
export class ProviderKey {
  readonly halves: KeyHalves;
  private readonly alg: string;

  constructor(alg = 'ES256') {
    this.alg = alg;
    this.halves = newKey(alg);
  }

  /** The JWK set that a provider publishes. */
  get jwks(): object {
    return { keys: [{ ...this.halves.other.key.export({ format: 'jwk' }), kid: this.halves.other.stableId }] };
  }

  /** An ID token that is good for an hour; undefined takes a claim away. */
  idToken(claims: Readonly<Record<string, unknown>> = {}): string {
    const now = Math.floor(Date.now() / 1000);
    return this.signed({ iss: ISSUER, sub: 'alice', aud: CLIENT_ID, iat: now, exp: now + 3600, ...claims });
  }

  signed(claims: object, header: Readonly<Record<string, unknown>> = {}): string {
    const { own } = this.halves;
    return sign({ kid: own.stableId, ...header }, JSON.stringify(claims), own, this.alg);
  }
}

/** User `alice`, whose access token is good for an hour. */
export function signedInUser(changes: Partial<SignedIn> = {}): SignedIn {
  const now = Date.now();
  return {
    registration: CLIENT_ID,
    client: 'gateway-at-op',
    issuer: ISSUER,
    accessToken: 'access-0',
    tokenType: 'Bearer',
    scope: 'openid',
    expiresAt: now + 3_600_000,
    refreshToken: 'refresh-0',
    idToken: null,
    since: now,
    ...changes,
  };
}
