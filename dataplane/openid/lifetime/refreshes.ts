import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { OwnAnswer } from '../../engine/backend/own-call.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { expiryMargin, usableTime } from '../../oauth2/client/usable-time.ts';
import type { SessionTable } from '../../sessions/session-table.ts';
import type { SignedIn } from '../client/signed-in.ts';
import { type GroupRefreshes, openedRenewal, sealedRenewal } from './group-refreshes.ts';
import { refreshedIdToken } from './refreshed-id-token.ts';
import { type FinalState, type FlightResult, SharedFlight } from './shared-flight.ts';
import type { RenewedState } from './shared-refreshes.ts';
import { type TokenResponse, tokenResponse } from './token-response.ts';

/** Milliseconds that a request with a valid access token waits for the next one. */
const PATIENCE = 2000;
/** Milliseconds in which nobody asks again after the provider gave no usable answer. */
const FAILURE_PAUSE = 2000;
/** Refreshes that a request with an old refresh token follows. */
const MOST_STEPS = 16;
/** From this lifetime on, the margin is the same for all tokens. */
const LONG_LIFETIME = 100_000;
/** Lifetime of a token that the provider named none for. */
const ENDLESS = 1e12;

/** The provider cannot renew an access token that has expired. Its message is safe for a log. */
export class ProviderUnavailable extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ProviderUnavailable';
  }
}

/** Sends a form to an endpoint of a provider, authenticated as the client. */
export type PostToProvider = (
  registration: ClientRegistration,
  endpoint: 'token' | 'revocation',
  fields: readonly (readonly [name: string, value: string])[],
  parent: Exchange | null,
) => Promise<OwnAnswer>;

export interface RefreshesOptions {
  /** The table that all units share, asked for with the first refresh. */
  readonly table: () => SessionTable;
  readonly log: Logger;
  readonly post?: PostToProvider;
  /** Other planes that may refresh the same tokens; missing where there are none. */
  readonly group?: GroupRefreshes;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Renews access tokens before they expire. One unit of the plane, and one plane of its group, asks for each refresh token;
 * all others wait for its answer, which is kept for some minutes, so that a rotated refresh token is not lost with a client that went away.
 */
export class Refreshes {
  private readonly options: RefreshesOptions;
  private readonly post: PostToProvider;
  private readonly now: () => number;
  private readonly failures: PacedWarning;
  private readonly unshared: PacedWarning;
  private readonly unchecked: PacedWarning;
  private readonly running = new Map<string, Promise<FlightResult>>();

  constructor(options: RefreshesOptions) {
    this.options = options;
    this.post = options.post ?? ((registration, ...rest) => registration.post(...rest));
    this.now = options.now ?? (() => Date.now());
    this.failures = new PacedWarning(options.log, 'could not refresh an access token', { most: 1 });
    const message = 'no room to share refreshed tokens; units refresh them separately';
    this.unshared = new PacedWarning(options.log, message, { most: 1 });
    const kept = 'could not verify the ID token of a refresh; the former one stays';
    this.unchecked = new PacedWarning(options.log, kept, { most: 1 });
  }

  /**
   * Returns the same user while the access token is fresh, and otherwise with renewed tokens; null when the user has to
   * sign in again. Rejects with ProviderUnavailable when the token has expired and the provider gives no answer.
   */
  refreshed(
    signedIn: SignedIn,
    registration: ClientRegistration,
    exchange: Exchange | null,
  ): SignedIn | null | Promise<SignedIn | null> {
    const { expiresAt, since, refreshToken } = signedIn;
    const now = this.now();
    if (expiresAt === null || now < expiresAt - expiryMargin(Math.max(0, expiresAt - since))) return signedIn;
    const isValid = now < expiresAt;
    if (refreshToken === null) return isValid ? signedIn : null;
    const renewing = this.followed(signedIn, registration, exchange);
    return isValid ? within(PATIENCE, renewing, signedIn) : renewing;
  }

  private async followed(
    signedIn: SignedIn,
    registration: ClientRegistration,
    exchange: Exchange | null,
  ): Promise<SignedIn | null> {
    let current = signedIn;
    for (let step = 0; step < MOST_STEPS; step++) {
      const { state, isNew } = await this.renewed(current, current.refreshToken!, registration, exchange);
      const renewed = state.kind === 'told' ? openedRenewal(state, exchange?.sessionPlace ?? null) : state;
      if (renewed === null || !('signedIn' in renewed)) return this.instead(current, state);
      current = renewed.signedIn;
      if (isNew || this.now() < renewed.usableUntil || current.refreshToken === null) break;
    }
    return current;
  }

  /** Another replica may have used the refresh token: an access token that is still valid is used on. */
  private instead(signedIn: SignedIn, { kind }: FinalState): SignedIn | null {
    if (signedIn.expiresAt === null || this.now() < signedIn.expiresAt) return signedIn;
    if (kind !== 'failed') return null;
    throw new ProviderUnavailable('the provider did not renew the access token');
  }

  private renewed(
    signedIn: SignedIn,
    refreshToken: string,
    registration: ClientRegistration,
    exchange: Exchange | null,
  ): Promise<FlightResult> {
    const id = entryId(registration, refreshToken);
    const running = this.running.get(id);
    if (running !== undefined) return running;
    const ask = (): Promise<FinalState> => this.ask(signedIn, refreshToken, registration, exchange);
    const flight = new SharedFlight(this.options.table(), id, this.now, this.options.group);
    const renewing = flight
      .run(
        ask,
        (state) => this.isOver(state, refreshToken),
        () => this.unshared.give({ registration: registration.name }),
      )
      .then((result) => {
        if (result.isNew) this.rememberShort(result.state, refreshToken, registration);
        return result;
      })
      .finally(() => this.running.delete(id));
    this.running.set(id, renewing);
    return renewing;
  }

  /** Whether a result of the same refresh token, which was not replaced, has to be renewed once more. */
  private isOver(state: FinalState, refreshToken: string): boolean {
    if (state.kind === 'failed') return this.now() >= state.until;
    if (state.kind === 'told') return state.until !== undefined && this.now() >= state.until;
    if (state.kind !== 'renewed') return false;
    return state.signedIn.refreshToken === refreshToken && this.now() >= state.usableUntil;
  }

  /** A session does not tell how long its token lasted: for short-lived ones the table does. */
  private rememberShort(state: FinalState, former: string, registration: ClientRegistration): void {
    if (state.kind !== 'renewed') return;
    const { expiresAt, refreshToken } = state.signedIn;
    if (expiresAt === null || refreshToken === null || refreshToken === former) return;
    if (expiresAt - this.now() >= LONG_LIFETIME) return;
    const { kind, signedIn, usableUntil } = state;
    const marker: RenewedState = { kind, signedIn, usableUntil }; // no result of this refresh token, so nothing for others
    this.options.table().add(entryId(registration, refreshToken), JSON.stringify(marker));
  }

  private async ask(
    signedIn: SignedIn,
    refreshToken: string,
    registration: ClientRegistration,
    exchange: Exchange | null,
  ): Promise<FinalState> {
    const asked = this.now();
    const form = [
      ['grant_type', 'refresh_token'],
      ['refresh_token', refreshToken],
    ] as const;
    let answer: TokenResponse;
    try {
      answer = tokenResponse(await this.post(registration, 'token', form, exchange));
    } catch (error) {
      registration.issuer.invalidate();
      return this.failed(registration, errorText(error));
    }
    if (answer.kind === 'failed') return this.failed(registration, answer.reason);
    if (answer.kind === 'refused') return this.refused(registration, answer.reason);
    const idToken = await this.checkedIdToken(answer.idToken, signedIn, registration);
    if (typeof idToken === 'object' && idToken !== null) return this.refused(registration, idToken.fault);
    const { accessToken, tokenType, lifetime, scope } = answer;
    const renewed: SignedIn = {
      ...signedIn,
      accessToken,
      tokenType,
      scope: scope ?? signedIn.scope,
      expiresAt: lifetime === null ? null : asked + lifetime,
      refreshToken: answer.refreshToken ?? refreshToken,
      idToken,
    };
    const usableUntil = asked + usableTime(lifetime ?? ENDLESS);
    const isRotated = renewed.refreshToken !== refreshToken && { isRotated: true as const };
    const state: RenewedState = { kind: 'renewed', signedIn: renewed, usableUntil, ...isRotated };
    return this.options.group === undefined ? state : sealedRenewal(state, exchange?.sessionPlace ?? null);
  }

  /** Returns the ID token to use from now on: the former one where the new one cannot be checked, so that no token is lost. */
  private async checkedIdToken(
    fresh: string | null,
    { idToken: former, issuer }: SignedIn,
    registration: ClientRegistration,
  ): Promise<string | null | { readonly fault: string }> {
    if (fresh === null || former === null) return former;
    try {
      return await refreshedIdToken(fresh, former, issuer, registration, this.now());
    } catch (error) {
      this.unchecked.give({ registration: registration.name, reason: errorText(error) });
      return former;
    }
  }

  private failed({ name }: ClientRegistration, reason: string): FinalState {
    this.failures.give({ registration: name, reason });
    return { kind: 'failed', until: this.now() + FAILURE_PAUSE };
  }

  private refused({ name }: ClientRegistration, reason: string): FinalState {
    this.options.log.info({ registration: name, reason }, 'refresh token rejected; the user has to sign in again');
    return { kind: 'refused' };
  }
}

/** The table digests it once more, under a secret. */
function entryId({ identity }: ClientRegistration, refreshToken: string): string {
  return hash('sha256', JSON.stringify([identity, refreshToken]), 'base64url');
}

/** Resolves with the value of a promise, or with another one after so many milliseconds. */
function within<T>(milliseconds: number, promise: Promise<T>, instead: T): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(instead), milliseconds);
    promise.then(resolve, () => resolve(instead)).finally(() => clearTimeout(timer));
  });
}
