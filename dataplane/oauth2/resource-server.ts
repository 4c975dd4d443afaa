import type { Logger } from 'pino';
import { errorText } from '../../platform/error-text.ts';
import { PacedWarning } from '../../platform/paced-warning.ts';
import { ParentGone } from '../engine/backend/own-call.ts';
import type { KnownCredentials } from '../engine/head/known-credentials.ts';
import type { Answer, Exchange, Next } from '../engine/message/exchange.ts';
import type { Refusal } from '../engine/message/refusal.ts';
import { emptyRefusal, type Response } from '../engine/message/response.ts';
import {
  type AccessToken,
  type AccessTokenResolver,
  type Resolution,
  type TokenRefusal,
  withoutToken,
} from '../heap/objects/access-tokens.ts';
import type { Denials, Facts, Inputs } from '../heap/objects/denials.ts';
import type { Verdicts } from '../heap/objects/verdicts.ts';
import { VerificationBusy } from '../jose/verification.ts';
import { areSeveral, BEARER, credentialsIn, isToken } from './bearer-token.ts';
import type { TokenCache } from './cache/token-cache.ts';
import { TokenMemos } from './cache/token-memo.ts';
import { VouchedToken } from './cache/vouched-token.ts';
import type { Challenge, ChallengeError, FailureDetails } from './challenge.ts';
import type { StepUp } from './step-up.ts';
import { TokenVerdicts, tokenFacts } from './token-verdicts.ts';

/** Why a resource server does not let a request pass. */
export const tokenDenials = [
  'no-token',
  'invalid-request',
  'invalid-token',
  'insufficient-scope',
  'insufficient-authentication',
  'not-judged',
  'not-judged-now',
  'invalid-proof',
] as const satisfies readonly Refusal[];
type TokenDenial = (typeof tokenDenials)[number];

/** What clients are told of an error, and what it is counted as. */
const DENIALS: Readonly<Record<ChallengeError, TokenDenial>> = {
  invalid_request: 'invalid-request',
  invalid_token: 'invalid-token',
  invalid_dpop_proof: 'invalid-proof',
  use_dpop_nonce: 'invalid-proof',
  insufficient_scope: 'insufficient-scope',
  insufficient_user_authentication: 'insufficient-authentication',
};

/** Parts of a resource server. */
export interface ResourceServerOptions {
  readonly resolver: AccessTokenResolver;
  /** Keeps what the resolver says, or null. */
  readonly cache: TokenCache | null;
  readonly challenge: Challenge;
  scopes(exchange: Exchange): readonly string[] | Promise<readonly string[]>;
  readonly stepUp: StepUp | null;
  readonly denials: Denials<TokenDenial>;
  readonly verdicts: Verdicts;
  readonly log: Logger;
}

/**
 * Lets requests pass that carry a good access token. What is at hand is judged without a promise; whatever cannot be
 * judged is refused.
 */
export class ResourceServer {
  private readonly options: ResourceServerOptions;
  private readonly schemes: readonly string[];
  private readonly memos: TokenMemos | null;
  private readonly verdicts: TokenVerdicts;
  private readonly unjudged: PacedWarning;

  constructor(options: ResourceServerOptions) {
    this.options = options;
    this.schemes = [BEARER, ...(options.resolver.schemes ?? [])];
    this.memos = options.cache === null ? null : new TokenMemos(options.cache);
    this.verdicts = new TokenVerdicts(options.verdicts);
    this.unjudged = new PacedWarning(options.log, 'could not validate an access token', { most: 1 });
  }

  judge(exchange: Exchange, next: Next): Answer {
    const { headers } = exchange.request;
    const { credentials } = headers;
    const now = Date.now();
    const remembered = credentials === null || this.memos === null ? null : this.memos.find(credentials, now);
    if (remembered !== null) return this.confirm(remembered, true, exchange, next, now);
    const values = headers.all('authorization');
    if (values.length === 0) return this.missing(exchange);
    if (values.length > 1) {
      return this.challenged(exchange, 'invalid_request', { reason: 'several Authorization headers' });
    }
    return this.judgeValue(values[0]!.trim(), credentials, exchange, next, now);
  }

  /** `known`: what the connection knows the value by, or null. */
  private judgeValue(
    value: string,
    known: KnownCredentials | null,
    exchange: Exchange,
    next: Next,
    now: number,
  ): Answer {
    const { cache, resolver } = this.options;
    const credentials = credentialsIn(value, this.schemes);
    if (credentials === null) return this.missing(exchange);
    const kept = cache?.find(credentials, now) ?? null;
    if (kept !== null) {
      if (known !== null) this.memos?.remember(known, kept);
      return this.confirm(kept, true, exchange, next, now);
    }
    if (!isToken(credentials)) {
      const scheme = schemeOf(exchange);
      return areSeveral(credentials)
        ? this.challenged(exchange, 'invalid_request', { reason: 'several access tokens', scheme })
        : this.challenged(exchange, 'invalid_token', { reason: 'the access token is malformed', scheme });
    }
    const isCached = exchange.access !== null && resolver.isCached?.(credentials) === true;
    return this.settle(
      credentials,
      () => (cache === null ? resolver.resolve(credentials, exchange) : cache.load(credentials, exchange)),
      (resolution: Resolution) =>
        resolution.kind === 'token'
          ? this.confirm(resolution, isCached, exchange, next, Date.now())
          : this.refuse(resolution, credentials, exchange),
      exchange,
    );
  }

  private confirm(token: AccessToken, isCached: boolean, exchange: Exchange, next: Next, now: number): Answer {
    const { resolver } = this.options;
    if (resolver.confirm === undefined) return this.admit(token, isCached, exchange, next, now);
    return this.settle(
      token.token,
      () => resolver.confirm!(token, exchange),
      (refusal: TokenRefusal | null) =>
        refusal === null
          ? this.admit(token, isCached, exchange, next, Date.now())
          : this.refuse(refusal, token.token, exchange, () => tokenFacts(token, null, isCached)),
      exchange,
    );
  }

  private admit(token: AccessToken, isCached: boolean, exchange: Exchange, next: Next, now: number): Answer {
    if (!(now < token.expiresAt)) return this.expired(token, isCached, exchange, now);
    const needed = this.options.scopes(exchange);
    if (needed instanceof Promise) return needed.then((known) => this.enter(token, known, isCached, exchange, next));
    return this.enter(token, needed, isCached, exchange, next);
  }

  private enter(
    token: AccessToken,
    needed: readonly string[],
    isCached: boolean,
    exchange: Exchange,
    next: Next,
  ): Answer {
    const { stepUp } = this.options;
    const accessToken = VouchedToken.of(token);
    exchange.identity = accessToken;
    this.verdicts.track(exchange, token);
    for (const scope of needed) {
      if (!token.scopes.has(scope)) return this.lacks(scope, accessToken, needed, isCached, exchange);
    }
    if (stepUp !== null && !stepUp.suffices(token)) {
      const inputs = () => Object.fromEntries(stepUp.parameters);
      const facts = () => ({ ...tokenFacts(token, needed, isCached), ...stepUp.facts(token) });
      const details = { inputs, facts, scheme: schemeOf(exchange), more: stepUp.parameters };
      return this.challenged(exchange, 'insufficient_user_authentication', details);
    }
    if (exchange.over) return emptyRefusal('cancelled'); // the client has gone, and nobody behind needs to hear of it
    this.verdicts.allowed(exchange, accessToken, needed, isCached);
    exchange.setContext('oauth2', { accessToken });
    return next(exchange);
  }

  /** Asks, now or with a promise; what fails is a refusal, and what the rest of the chain throws is not. */
  private settle<T>(token: string, ask: () => T | Promise<T>, then: (judged: T) => Answer, exchange: Exchange): Answer {
    let judged: T | Promise<T>;
    try {
      judged = ask();
    } catch (error) {
      return this.failed(error, token, exchange);
    }
    if (!(judged instanceof Promise)) return then(judged);
    return judged.then(then, (error: unknown) => this.failed(error, token, exchange));
  }

  private refuse(refused: TokenRefusal, token: string, exchange: Exchange, facts?: Facts): Response {
    const { error, description, cause, undecided, nonce } = refused;
    const { denials, challenge } = this.options;
    const refusal = undecided === true ? 'not-judged' : DENIALS[error];
    const inputs = () => (cause === null ? {} : { cause: reasonOf(cause, token) });
    const response = denials.answer(exchange, refusal, inputs, withoutToken(description, token), facts);
    return challenge.failed(response, error, { scheme: schemeOf(exchange), ...(nonce !== undefined && { nonce }) });
  }

  private failed(error: unknown, token: string, exchange: Exchange): Response {
    if (error instanceof ParentGone) return emptyRefusal('cancelled'); // nobody is left to read it
    const { denials, challenge } = this.options;
    const isBusy = error instanceof VerificationBusy;
    const reason = reasonOf(error, token);
    this.unjudged.give({ reason });
    if (!isBusy) {
      const refused = denials.answer(exchange, 'not-judged', undefined, reason);
      return challenge.failed(refused, 'invalid_token', { scheme: schemeOf(exchange) });
    }
    const response = denials.answer(exchange, 'not-judged-now', undefined, reason);
    response.headers.append('Retry-After', '1');
    return response;
  }

  private missing(exchange: Exchange): Response {
    return this.options.challenge.missing(this.options.denials.answer(exchange, 'no-token'));
  }

  private expired(token: AccessToken, isCached: boolean, exchange: Exchange, now: number): Response {
    const inputs = () => ({ expiresAt: dateText(token.expiresAt), now: dateText(now) });
    const facts = () => tokenFacts(token, null, isCached);
    const details = { reason: 'the access token has expired', inputs, facts, scheme: schemeOf(exchange) };
    return this.challenged(exchange, 'invalid_token', details);
  }

  private lacks(
    missing: string,
    token: VouchedToken,
    scope: readonly string[],
    isCached: boolean,
    exchange: Exchange,
  ): Response {
    const inputs = () => ({ scopes: [...token.scopes], required: scope });
    const facts = () => tokenFacts(token, scope, isCached);
    const details = { reason: `the scope '${missing}' is missing`, inputs, facts, scheme: schemeOf(exchange), scope };
    return this.challenged(exchange, 'insufficient_scope', details);
  }

  private challenged(exchange: Exchange, error: ChallengeError, { reason, inputs, facts, ...rest }: Denial): Response {
    const { denials, challenge } = this.options;
    return challenge.failed(denials.answer(exchange, DENIALS[error], inputs, reason, facts), error, rest);
  }
}

/** What the log is told of a refusal, beside what the client is told. */
interface Denial extends FailureDetails {
  readonly reason?: string;
  readonly inputs?: Inputs;
  readonly facts?: Facts;
}

/** A time that an authorization server named may be no date at all. */
function dateText(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString();
}

/** The scheme that the client used, which the challenge answers. */
function schemeOf({ request }: Exchange): string {
  return /^\S*/.exec(request.headers.get('authorization') ?? '')![0];
}

function reasonOf(error: unknown, token: string): string {
  return withoutToken(errorText(error), token);
}
