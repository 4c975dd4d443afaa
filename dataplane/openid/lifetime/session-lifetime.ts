import type { Exchange } from '../../engine/message/exchange.ts';
import type { Parts } from '../../heap/definition.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import type { Claims } from '../../jose/claims.ts';
import type { SignedIn } from '../client/signed-in.ts';
import type { DpopProver } from './dpop-prover.ts';
import { type EndedSessions, endedSessionsOf } from './ended-sessions.ts';
import { GroupRefreshes } from './group-refreshes.ts';
import { endSessionUrl, revokeTokens } from './provider-logout.ts';
import { type PostToProvider, Refreshes } from './refreshes.ts';
import { endByProvider, endSignIn, isSessionEnded, type SessionAudience } from './session-end.ts';
import { sharedRefreshes } from './shared-refreshes.ts';
import { UserInfos } from './user-infos.ts';

export interface LifetimeOptions {
  /** Milliseconds that user info is cached. */
  readonly cacheExpiration: number;
  readonly revokesTokens: boolean;
  readonly endsProviderSession: boolean;
  /** Null where tokens are not bound to a key. */
  readonly prover: DpopProver | null;
}

/** Sessions of signed-in users from the sign-in to their end. */
export class SessionLifetime {
  /** Sends a form to the provider, with a proof of possession where one is configured. */
  readonly post: PostToProvider;
  readonly ended: EndedSessions;
  private readonly options: LifetimeOptions;
  private readonly parts: Parts;
  private readonly refreshes: Refreshes;
  private readonly infos: UserInfos;

  constructor(options: LifetimeOptions, parts: Parts) {
    const { log, plane, onClose } = parts;
    const { prover, cacheExpiration } = options;
    this.options = options;
    this.parts = parts;
    this.post = postWith(prover);
    const { ended, release } = endedSessionsOf(plane.sharedMemory, log);
    onClose(release);
    this.ended = ended;
    const announce = plane.announce?.bind(plane);
    if (announce !== undefined) onClose(ended.ended((record) => announce([record])));
    const table = sharedRefreshes(parts);
    const { refreshExchange: exchange } = plane;
    const others = exchange && { group: new GroupRefreshes({ exchange, table, realm: parts.realm, now: Date.now }) };
    if (others !== undefined) onClose(() => others.group.close());
    this.refreshes = new Refreshes({ table, log, post: this.post, ...others });
    this.infos = new UserInfos({ lifetime: cacheExpiration, log, prover });
  }

  /** Whether the session was ended by its provider, or by the user in another browser tab. */
  isEnded(signedIn: SignedIn, claims: Claims | null, { clientId }: ClientRegistration): boolean {
    return isSessionEnded(this.ended, this.audience(clientId), signedIn, claims);
  }

  /** Returns the user with a fresh access token; null when the user has to sign in again. See `Refreshes`. */
  refreshed(
    signedIn: SignedIn,
    registration: ClientRegistration,
    exchange: Exchange,
  ): SignedIn | null | Promise<SignedIn | null> {
    return this.refreshes.refreshed(signedIn, registration, exchange);
  }

  /** Returns the claims of the user info endpoint; null where there are none. Rejects never. */
  userInfo(
    signedIn: SignedIn,
    registration: ClientRegistration,
    exchange: Exchange,
  ): Claims | null | Promise<Claims | null> {
    return this.infos.of(signedIn, registration, exchange);
  }

  /**
   * Ends the sign-in of a user who signs out.
   * @param landing absolute URL of the page after the sign-out, or null
   * @returns the URL of the provider that the user has to visit for it, or null
   */
  async signOut(
    signedIn: SignedIn,
    claims: Claims | null,
    registration: ClientRegistration,
    exchange: Exchange,
    landing: string | null,
  ): Promise<string | null> {
    const { log } = this.parts;
    endSignIn(this.ended, this.audience(registration.clientId), signedIn, claims, Date.now());
    if (this.options.revokesTokens) await revokeTokens(signedIn, registration, exchange, log, this.post);
    return this.options.endsProviderSession ? endSessionUrl(signedIn, registration, landing, log) : null;
  }

  /** Ends the session of a browser that its provider named by issuer and session id. @returns false for another one */
  endNamed(
    signedIn: SignedIn,
    claims: Claims | null,
    { clientId }: ClientRegistration,
    named: { readonly issuer: string; readonly sid: string },
  ): boolean {
    if (claims === null || signedIn.issuer !== named.issuer || claims['sid'] !== named.sid) return false;
    endByProvider(this.ended, this.audience(clientId), { ...named, sub: null }, Date.now());
    return true;
  }

  /** The sessions of a client, which one of other realms cannot end. */
  audience(clientId: string): SessionAudience {
    return { realm: this.parts.realm, clientId };
  }
}

function postWith(prover: DpopProver | null): PostToProvider {
  if (prover === null) return (registration, ...rest) => registration.post(...rest);
  return (registration, endpoint, fields, parent) =>
    endpoint === 'token'
      ? prover.send('POST', null, (prove) => registration.post(endpoint, fields, parent, prove))
      : registration.post(endpoint, fields, parent);
}
