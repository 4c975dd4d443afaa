import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { refreshedIdToken } from '../lifetime/refreshed-id-token.ts';
import { type TokenResponse, tokenResponse } from '../lifetime/token-response.ts';

/** Result of a renewal. */
export type Renewal =
  | { readonly kind: 'renewed'; readonly idToken: string; readonly refreshToken: string }
  /** The provider does not accept the refresh token, or returns no valid ID token for it. */
  | { readonly kind: 'refused' }
  /** The provider gave no usable answer. */
  | { readonly kind: 'unavailable' };

/** Milliseconds that a result is kept: a request with the former refresh token gets it, whose answer was lost. */
const KEPT = 180_000;
/** Milliseconds in which the provider is not asked again after it gave no usable answer. */
const PAUSE = 2000;
const MOST_KEPT = 1000;

export interface IdTokenRenewalsOptions {
  readonly registration: ClientRegistration;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Renews ID tokens with refresh tokens, each of which is sent once at a time. */
export class IdTokenRenewals {
  private readonly options: IdTokenRenewalsOptions;
  private readonly failures: PacedWarning;
  private readonly running = new Map<string, Promise<Renewal>>();
  /** By the digests of refresh tokens, the oldest first. */
  private readonly results = new Map<string, { readonly renewal: Renewal; readonly until: number }>();

  constructor(options: IdTokenRenewalsOptions) {
    this.options = options;
    this.failures = new PacedWarning(options.log, 'could not renew an ID token', { most: 1 });
  }

  /** @param former the ID token so far, which was verified */
  renewed(refreshToken: string, former: string): Promise<Renewal> {
    const id = hash('sha256', refreshToken, 'base64url');
    const running = this.running.get(id);
    if (running !== undefined) return running;
    const known = this.results.get(id);
    if (known !== undefined && this.options.now() < known.until) return Promise.resolve(known.renewal);
    const renewing = this.ask(refreshToken, former)
      .then((renewal) => this.kept(id, refreshToken, renewal))
      .finally(() => this.running.delete(id));
    this.running.set(id, renewing);
    return renewing;
  }

  /** A refresh token that stays the same gives another ID token the next time. */
  private kept(id: string, refreshToken: string, renewal: Renewal): Renewal {
    this.results.delete(id);
    if (renewal.kind === 'renewed' && renewal.refreshToken === refreshToken) return renewal;
    const until = this.options.now() + (renewal.kind === 'unavailable' ? PAUSE : KEPT);
    this.results.set(id, { renewal, until });
    for (const [oldest, { until: end }] of this.results) {
      if (this.results.size <= MOST_KEPT && this.options.now() < end) break;
      this.results.delete(oldest);
    }
    return renewal;
  }

  private async ask(refreshToken: string, former: string): Promise<Renewal> {
    const { registration, log, now } = this.options;
    const form = [
      ['grant_type', 'refresh_token'],
      ['refresh_token', refreshToken],
    ] as const;
    let answer: TokenResponse;
    try {
      answer = tokenResponse(await registration.post('token', form, null));
    } catch (error) {
      registration.issuer.invalidate();
      return this.unavailable(errorText(error));
    }
    if (answer.kind === 'failed') return this.unavailable(answer.reason);
    const refused = (reason: string): Renewal => {
      log.info({ reason }, 'ID token not renewed; the user of the console has to sign in again');
      return { kind: 'refused' };
    };
    if (answer.kind === 'refused') return refused(answer.reason);
    const { idToken } = answer;
    if (idToken === null) return refused('the provider returned no ID token for the refresh token');
    try {
      const checked = await refreshedIdToken(idToken, former, null, registration, now());
      if (typeof checked !== 'string') return refused(checked.fault);
    } catch (error) {
      return this.unavailable(`the ID token cannot be verified: ${errorText(error)}`);
    }
    return { kind: 'renewed', idToken, refreshToken: answer.refreshToken ?? refreshToken };
  }

  private unavailable(reason: string): Renewal {
    this.failures.give({ reason });
    return { kind: 'unavailable' };
  }
}
