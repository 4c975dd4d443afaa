import type { Claims } from '../../jose/claims.ts';
import type { SignedIn } from '../client/signed-in.ts';
import { type EndedSessions, endedKey } from './ended-sessions.ts';

/** A client of an issuer in a realm, whose sessions end together. */
export interface SessionAudience {
  /** Empty for operators, otherwise the tenant: no tenant can end sessions of another one. */
  readonly realm: string;
  readonly clientId: string;
}

/** The sessions that a provider names in a logout token or a logout request. */
export interface EndedBy {
  readonly issuer: string;
  /** Id of the session at the provider; null for all sessions of the user. */
  readonly sid: string | null;
  /** Null where the session alone is named. */
  readonly sub: string | null;
}

/** Ends sessions at the request of their provider. */
export function endByProvider(
  ended: EndedSessions,
  { realm, clientId }: SessionAudience,
  { issuer, sid, sub }: EndedBy,
  at: number,
): void {
  if (sid !== null) ended.end({ key: endedKey(realm, 'sid', clientId, issuer, sid), at });
  else if (sub !== null) ended.end({ key: endedKey(realm, 'sub', clientId, issuer, sub), at });
}

/** Ends one sign-in, so that a copy of its cookie is worth nothing afterwards. */
export function endSignIn(
  ended: EndedSessions,
  audience: SessionAudience,
  signedIn: SignedIn,
  claims: Claims | null,
  at: number,
): void {
  ended.end({ key: signInKey(audience, signedIn, claims), at });
}

/** Whether the session of a user was ended: by its provider, or because the user signed out. */
export function isSessionEnded(
  ended: EndedSessions,
  audience: SessionAudience,
  signedIn: SignedIn,
  claims: Claims | null,
): boolean {
  if (ended.isEmpty) return false;
  const { since, issuer } = signedIn;
  if (ended.isEnded(signInKey(audience, signedIn, claims), since)) return true;
  if (claims === null || issuer === null) return false;
  const { realm, clientId } = audience;
  const { sid, sub } = claims;
  return (
    (typeof sid === 'string' && ended.isEnded(endedKey(realm, 'sid', clientId, issuer, sid), since)) ||
    (typeof sub === 'string' && ended.isEnded(endedKey(realm, 'sub', clientId, issuer, sub), since))
  );
}

/** Tokens change with every refresh; user and moment of the sign-in stay. */
function signInKey({ realm, clientId }: SessionAudience, signedIn: SignedIn, claims: Claims | null): string {
  const { registration, issuer, since } = signedIn;
  const sub = claims?.['sub'];
  return endedKey(realm, 'signIn', clientId, registration, issuer ?? '', typeof sub === 'string' ? sub : '', since);
}
