import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { audiencesOf, type Claims, readClaims, timeClaim, timeFault } from '../../jose/claims.ts';
import { readJws } from '../../jose/compact-jws.ts';
import { verifyWithSecrets } from '../../jose/verification.ts';

/** Milliseconds that the clocks of provider and gateway may differ. */
const SKEW = 60_000;

/**
 * Returns the ID token to use after a refresh, or why the new one must not be used (OpenID Connect Core, section 12.2).
 * Rejects when the keys cannot be read.
 * @param former the ID token of the sign-in, which was checked then
 * @param issuer the issuer of the sign-in, or null where it is unknown
 */
export async function refreshedIdToken(
  text: string,
  former: string,
  issuer: string | null,
  { clientId, keys }: ClientRegistration,
  now: number,
): Promise<string | { readonly fault: string }> {
  const jws = readJws(text);
  if (jws === null) return { fault: 'the ID token is not a signed JWT' };
  if (keys !== null && !(await verifyWithSecrets(jws, keys.provider, keys.secretId))) {
    return { fault: 'the signature of the ID token is not valid' };
  }
  const claims = readClaims(jws.payload);
  if (claims === null) return { fault: 'the ID token holds no claims' };
  const before = idTokenClaims(former) ?? {};
  const fault =
    claimFault(claims, before, clientId, now) ?? (issuer === null || claims['iss'] === issuer ? null : OTHER);
  if (fault !== null) return { fault };
  // a logout token names the session by the id that only the former one has
  return before['sid'] !== undefined && claims['sid'] === undefined ? former : text;
}

const OTHER = 'the ID token is of another issuer';

function claimFault(claims: Claims, before: Claims, clientId: string, now: number): string | null {
  const { iss, sub, azp, nonce } = claims;
  const audiences = audiencesOf(claims);
  if (iss !== before['iss']) return OTHER;
  if (!audiences.includes(clientId)) return 'the ID token is for another client';
  if (audiences.length > 1 && azp !== clientId) return "'azp' of the ID token does not name this client";
  if (azp !== before['azp']) return 'the ID token is authorized for another party';
  if (typeof sub !== 'string' || sub !== before['sub']) return 'the ID token is of another user';
  if (nonce !== undefined && nonce !== before['nonce']) return 'the ID token is of another sign-in';
  if (typeof timeClaim(claims, 'iat') !== 'number' || typeof timeClaim(claims, 'exp') !== 'number') {
    return "the ID token has no 'iat' or no 'exp'";
  }
  const time = timeFault(claims, now, SKEW);
  return time === null ? null : `the ID token is ${time}`;
}

/** Returns the claims of an ID token that was checked before; null where it is none. */
export function idTokenClaims(text: string): Claims | null {
  const jws = readJws(text);
  return jws === null ? null : readClaims(jws.payload);
}
