import type { Exchange } from '../../engine/message/exchange.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import type { Claims } from '../../jose/claims.ts';
import type { SessionLifetime } from '../lifetime/session-lifetime.ts';
import type { IdTokenClaims } from './id-token-claims.ts';
import type { RegistrationChoice } from './registration-choice.ts';
import { readSignedIn, type SignedIn } from './signed-in.ts';

/** The user of an exchange, whose access token is fresh. */
export interface CurrentUser {
  readonly signedIn: SignedIn;
  /** Claims of the user info endpoint; null where there are none. */
  readonly info: Claims | null;
}

/** The signed-in users of sessions: whether they still are, and with which tokens. */
export class CurrentUsers {
  private readonly lifetime: SessionLifetime;
  private readonly registrations: RegistrationChoice;
  private readonly memo: IdTokenClaims;

  constructor(lifetime: SessionLifetime, registrations: RegistrationChoice, memo: IdTokenClaims) {
    this.lifetime = lifetime;
    this.registrations = registrations;
    this.memo = memo;
  }

  /** The user of the session, who may have to be refreshed; null for nobody. */
  signedIn({ session }: Exchange, sessionKey: string): SignedIn | null {
    const signedIn = session === null ? null : readSignedIn(session.peek(sessionKey));
    const registration = signedIn === null ? null : this.registrations.of(signedIn);
    if (signedIn === null || registration === null) return null;
    if (!this.lifetime.isEnded(signedIn, this.claimsOf(signedIn), registration)) return signedIn;
    session!.delete(sessionKey);
    return null;
  }

  /**
   * The user of the session with a fresh access token; null for nobody. Rejects with ProviderUnavailable when the token
   * has expired and the provider does not answer.
   */
  current(exchange: Exchange, sessionKey: string): CurrentUser | null | Promise<CurrentUser | null> {
    const signedIn = this.signedIn(exchange, sessionKey);
    if (signedIn === null) return null;
    const registration = this.registrations.of(signedIn)!;
    const refreshed = this.lifetime.refreshed(signedIn, registration, exchange);
    if (refreshed === signedIn) return this.informed(signedIn, registration, exchange);
    return this.saved(Promise.resolve(refreshed), signedIn, registration, exchange, sessionKey);
  }

  /**
   * Signs the user of the session out.
   * @param landing absolute URL of the page afterwards, or null
   * @returns the URL of the provider that the user has to visit first, or null
   */
  async signOut(exchange: Exchange, sessionKey: string, landing: string | null): Promise<string | null> {
    const session = exchange.session!;
    const value = session.peek(sessionKey);
    if (value === null) return null;
    const signedIn = readSignedIn(value);
    session.renew();
    session.delete(sessionKey);
    const registration = signedIn === null ? null : this.registrations.of(signedIn);
    if (signedIn === null || registration === null) return null;
    return this.lifetime.signOut(signedIn, this.claimsOf(signedIn), registration, exchange, landing);
  }

  /** Ends the session of this browser if its provider names it. */
  endNamed(exchange: Exchange, sessionKey: string, issuer: string, sid: string): void {
    const signedIn = this.signedIn(exchange, sessionKey);
    if (signedIn === null) return;
    const registration = this.registrations.of(signedIn)!;
    if (!this.lifetime.endNamed(signedIn, this.claimsOf(signedIn), registration, { issuer, sid })) return;
    exchange.session!.renew();
    exchange.session!.delete(sessionKey);
  }

  private async saved(
    refreshing: Promise<SignedIn | null>,
    before: SignedIn,
    registration: ClientRegistration,
    exchange: Exchange,
    sessionKey: string,
  ): Promise<CurrentUser | null> {
    const refreshed = await refreshing;
    // sessions in memory are saved also where the client has gone: the provider may not accept the former token again
    if (refreshed === null) exchange.session!.delete(sessionKey);
    else if (refreshed !== before) exchange.session!.set(sessionKey, { ...refreshed });
    return refreshed === null || exchange.over ? null : this.informed(refreshed, registration, exchange);
  }

  /** Expressions cannot wait for an answer, so user info is there before one may read it. */
  private informed(
    signedIn: SignedIn,
    registration: ClientRegistration,
    exchange: Exchange,
  ): CurrentUser | Promise<CurrentUser> {
    const info = this.lifetime.userInfo(signedIn, registration, exchange);
    return info instanceof Promise ? info.then((found) => ({ signedIn, info: found })) : { signedIn, info };
  }

  private claimsOf({ idToken }: SignedIn): Claims | null {
    return idToken === null ? null : this.memo.of(idToken);
  }
}
