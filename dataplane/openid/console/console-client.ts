import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { SignInProblem } from '../../../contract/shown/sign-in-problem.ts';
import { adminExchange } from '../../connectors/admin-exchange.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { SessionPlace } from '../../engine/message/session.ts';
import { SessionFault } from '../../engine/message/session-fault.ts';
import type { Parts } from '../../heap/definition.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { timeClaim } from '../../jose/claims.ts';
import { SignIn } from '../client/sign-in.ts';
import { SignInFailed, type SignInRefusal } from '../client/sign-in-failed.ts';
import type { SignedIn } from '../client/signed-in.ts';
import { UsedStates } from '../client/used-states.ts';
import { endSessionUrl, revokeTokens } from '../lifetime/provider-logout.ts';
import { idTokenClaims } from '../lifetime/refreshed-id-token.ts';
import { IdTokenRenewals } from './id-token-renewals.ts';

export interface ConsoleClientOptions {
  readonly registration: ClientRegistration;
  /** Seals sign-ins that are under way. */
  readonly place: SessionPlace;
  /** Name of the provider for people. */
  readonly name: string;
  /** Scheme, host and port of the console. */
  readonly origin: string;
  /** Path above `callback`. */
  readonly path: string;
  /** Page after a sign-out at the provider; null to end only the session of the console. */
  readonly landing: string | null;
  readonly log: Logger;
  readonly parts: Pick<Parts, 'plane' | 'scope' | 'onClose'>;
  readonly now?: () => number;
}

interface Tokens {
  readonly idToken: string;
  readonly grant: JsonObject;
}

interface Failure {
  readonly problem: SignInProblem;
  readonly reason: string;
}

const TERMS = { prompt: null, maxAge: null, acrValues: null, pushes: false, skew: 60_000 };
const PROBLEMS: Readonly<Record<SignInRefusal, SignInProblem>> = {
  'sign-in-request': 'state',
  'sign-in-state': 'state',
  'sign-in-refused': 'refused',
  'sign-in-failed': 'failed',
};

/**
 * Signs people in to the console of controllers, with the code of the AuthorizationCodeOAuth2ClientFilter. The caller
 * holds the session: it has the ID token and a grant, and no access token, which nobody needs.
 */
export class ConsoleClient {
  readonly name: string;
  readonly origin: string;
  private readonly options: ConsoleClientOptions;
  private readonly signIn: SignIn;
  private readonly place: { readonly path: string; readonly sessionKey: string };
  private readonly renewals: IdTokenRenewals;
  private readonly now: () => number;

  constructor(options: ConsoleClientOptions) {
    const { registration, log, name, origin, path, parts, now = () => Date.now() } = options;
    this.options = options;
    this.name = name;
    this.origin = origin;
    this.now = now;
    this.place = { path, sessionKey: 'console' };
    this.signIn = new SignIn(TERMS, new UsedStates(parts), (client, ...rest) => client.post(...rest), now);
    this.renewals = new IdTokenRenewals({ registration, log, now });
  }

  /** Begins a sign-in. @param goto page for the time after it */
  async begin(
    request: IncomingMessage,
    goto: string,
  ): Promise<{ readonly location: string; readonly cookies: readonly string[] } | Failure> {
    try {
      const exchange = this.exchangeOf(request);
      const begun = await this.signIn.begin(this.options.registration, goto, exchange, this.place);
      return { location: begun.location, cookies: begun.setCookies };
    } catch (error) {
      return failureOf(error);
    }
  }

  /** Finishes the sign-in that a callback belongs to, which must be one of the same browser. */
  async finish(request: IncomingMessage) {
    let goto: string | null = null;
    let cookies: readonly string[] = [];
    try {
      const exchange = this.exchangeOf(request);
      const state = this.signIn.stateOf(exchange);
      const attempt = state === null ? null : this.signIn.take(state, exchange, this.place);
      if (state === null || attempt === null) {
        const message = 'the browser has begun no such sign-in, or it was finished before or took too long';
        throw new SignInFailed('sign-in-state', 'invalid_request', message);
      }
      cookies = [this.signIn.attempts.removal(state, exchange, true)];
      ({ goto } = attempt);
      const { registration } = this.options;
      if (attempt.client !== registration.identity) {
        const message = 'the sign-in was begun at another provider or for another client';
        throw new SignInFailed('sign-in-state', 'invalid_request', message);
      }
      const { signedIn } = await this.signIn.finish(attempt, registration, exchange, this.place);
      return { outcome: this.tokensOf(signedIn), goto, cookies };
    } catch (error) {
      return { outcome: failureOf(error), goto, cookies };
    }
  }

  /** Renews an ID token. @returns null if the person has to sign in again */
  async renew(tokens: Tokens): Promise<Tokens | null | 'unavailable'> {
    const { idToken, grant } = tokens;
    const refreshToken = this.refreshTokenIn(grant);
    if (refreshToken === null) return this.isValid(idToken) ? tokens : null;
    const renewal = await this.renewals.renewed(refreshToken, idToken);
    if (renewal.kind === 'renewed') {
      return { idToken: renewal.idToken, grant: this.grantOf(renewal.refreshToken) };
    }
    if (renewal.kind === 'unavailable') return this.isValid(idToken) ? tokens : 'unavailable';
    return this.isValid(idToken) ? { idToken, grant: this.grantOf(null) } : null;
  }

  /** Revokes the refresh token of a session. @returns the URL at which the provider ends its own session, or null */
  async end(grant: JsonObject): Promise<string | null> {
    const { registration, landing, log } = this.options;
    if (grant['client'] !== registration.identity) return null;
    const refreshToken = this.refreshTokenIn(grant);
    if (refreshToken !== null && (await this.canRevoke())) {
      await revokeTokens({ accessToken: null, refreshToken }, registration, null, log);
    }
    // The ID token is a credential of the cluster, which must not be in a URL.
    return landing === null ? null : endSessionUrl({ idToken: null }, registration, landing, log);
  }

  private async canRevoke(): Promise<boolean> {
    const metadata = await this.options.registration.issuer.metadata().catch(() => null);
    return metadata?.endpoints.revocation !== undefined;
  }

  private exchangeOf(request: IncomingMessage): Exchange {
    const exchange = adminExchange(request, 0, this.origin);
    exchange.sessionPlace = this.options.place;
    return exchange;
  }

  private tokensOf({ idToken, refreshToken }: SignedIn): Tokens {
    if (idToken === null) {
      throw new SignInFailed('sign-in-failed', 'server_error', "the scopes do not contain 'openid'");
    }
    return { idToken, grant: this.grantOf(refreshToken) };
  }

  private grantOf(refreshToken: string | null): JsonObject {
    return { client: this.options.registration.identity, refreshToken };
  }

  /** A refresh token of a former provider is sent to no other one. */
  private refreshTokenIn({ client, refreshToken }: JsonObject): string | null {
    return client === this.options.registration.identity && typeof refreshToken === 'string' ? refreshToken : null;
  }

  private isValid(idToken: string): boolean {
    const end = timeClaim(idTokenClaims(idToken) ?? {}, 'exp');
    return typeof end === 'number' && this.now() < end;
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof SignInFailed) return { problem: PROBLEMS[error.refusal], reason: error.message };
  if (error instanceof SessionFault) return { problem: 'unavailable', reason: error.message };
  throw error;
}
