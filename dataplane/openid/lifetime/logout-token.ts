import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { audiencesOf, readClaims, timeClaim, timeFault } from '../../jose/claims.ts';
import { readJws } from '../../jose/compact-jws.ts';
import { isObject } from '../../jose/strict-json.ts';
import { verifyWithSecrets } from '../../jose/verification.ts';
import type { EndedBy } from './session-end.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Milliseconds that the clocks of provider and gateway may differ. */
const SKEW = 60_000;
/** Milliseconds that a logout token may be old; the specification suggests two minutes at most for its lifetime. */
const MAX_AGE = 300_000;

/** A logout token that is valid unless it was used before. */
export interface LogoutToken extends EndedBy {
  /** No two tokens have the same. */
  readonly id: string;
  /** Until when it could be used again, in milliseconds since 1970. */
  readonly usableUntil: number;
}

/**
 * Returns what a logout token ends, or a text that says what is wrong with it (OpenID Connect Back-Channel Logout 1.0,
 * section 2.6). Rejects when the keys or the metadata cannot be read.
 */
export async function readLogoutToken(
  text: string,
  { clientId, keys, issuer }: ClientRegistration,
  now: number,
): Promise<LogoutToken | string> {
  const jws = readJws(text);
  if (jws === null) return 'the logout token is not a signed JWT';
  const { typ } = jws.header;
  if (typ !== undefined && !/^(?:application\/)?(?:logout\+jwt|jwt)$/i.test(typ))
    return 'the JWT is not a logout token';
  if (keys === null) return 'the registration has no keys that verify logout tokens';
  const claims = readClaims(jws.payload);
  if (claims === null) return 'the logout token holds no claims';
  const { iss, jti, sid, sub, events, nonce } = claims;
  const { issuer: expected } = await issuer.metadata();
  if (typeof iss !== 'string' || iss !== expected) return 'the logout token is of another issuer';
  if (!audiencesOf(claims).includes(clientId)) return 'the logout token is for another client';
  const issued = timeClaim(claims, 'iat');
  const expires = timeClaim(claims, 'exp');
  if (typeof issued !== 'number') return "the logout token has no 'iat'";
  if (expires === null) return "'exp' of the logout token is no date";
  if (timeFault(claims, now, SKEW) !== null) return 'the logout token has expired or is not valid yet';
  if (now > issued + MAX_AGE + SKEW) return 'the logout token is too old';
  if (typeof jti !== 'string' || jti === '') return "the logout token has no 'jti'";
  if (!isObject(events) || !isObject(events[EVENT])) return "'events' of the logout token names no logout";
  if (nonce !== undefined) return 'the logout token has a nonce: it may be an ID token';
  if (!isTextIfGiven(sid) || !isTextIfGiven(sub)) return "'sid' or 'sub' of the logout token is not a text";
  if (sid === undefined && sub === undefined) return 'the logout token names neither a session nor a user';
  if (!(await verifyWithSecrets(jws, keys.provider, keys.secretId))) {
    return 'the signature of the logout token is not valid';
  }
  const usableUntil = issued + MAX_AGE + SKEW;
  return { id: JSON.stringify([iss, clientId, jti]), usableUntil, issuer: iss, sid: sid ?? null, sub: sub ?? null };
}

function isTextIfGiven(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value !== '');
}
