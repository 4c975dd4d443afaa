import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { type Claims, readClaims, timeClaim, timeFault } from '../../jose/claims.ts';
import { readJws } from '../../jose/compact-jws.ts';
import { verifyWithSecrets } from '../../jose/verification.ts';

/** Milliseconds that the clocks of provider and gateway may differ. */
const SKEW = 60_000;

/**
 * Returns why the ID token of a refresh must not replace the one of the sign-in, or null (OpenID Connect Core, section
 * 12.2). Rejects when the keys cannot be read.
 * @param former the ID token of the sign-in, which was checked then; null where there was none
 * @param issuer the issuer of the sign-in, or null where it is unknown
 */
export async function refreshedIdTokenFault(
  text: string,
  former: string | null,
  issuer: string | null,
  { clientId, keys }: ClientRegistration,
  now: number,
): Promise<string | null> {
  const jws = readJws(text);
  if (jws === null) return 'the ID token is not a signed JWT';
  if (keys !== null && !(await verifyWithSecrets(jws, keys.provider, keys.secretId))) {
    return 'the signature of the ID token is not valid';
  }
  const claims = readClaims(jws.payload);
  if (claims === null) return 'the ID token holds no claims';
  const { iss, sub, aud, azp, nonce } = claims;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (issuer !== null && iss !== issuer) return 'the ID token is of another issuer';
  if (!audiences.includes(clientId)) return 'the ID token is for another client';
  if (typeof sub !== 'string') return 'the ID token names no user';
  if (typeof timeClaim(claims, 'iat') !== 'number' || typeof timeClaim(claims, 'exp') !== 'number') {
    return "the ID token has no 'iat' or no 'exp'";
  }
  const time = timeFault(claims, now, SKEW);
  if (time !== null) return `the ID token is ${time}`;
  const before = former === null ? null : idTokenClaims(former);
  if (audiences.length > 1 && azp !== clientId) return "'azp' of the ID token does not name this client";
  if (before === null) return null;
  if (sub !== before['sub']) return 'the ID token is of another user';
  if (iss !== before['iss']) return 'the ID token is of another issuer';
  if (azp !== before['azp']) return 'the ID token is authorized for another party';
  if (nonce !== undefined && nonce !== before['nonce']) return 'the ID token is of another sign-in';
  return null;
}

/** Returns the claims of an ID token that was checked before; null where it is none. */
export function idTokenClaims(text: string): Claims | null {
  const jws = readJws(text);
  return jws === null ? null : readClaims(jws.payload);
}
