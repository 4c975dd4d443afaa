import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { Answer, Exchange, Next } from '../../engine/message/exchange.ts';
import { isForm } from '../../engine/message/form-content.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import { emptyRefusal, type Response } from '../../engine/message/response.ts';
import type { Parts } from '../../heap/definition.ts';
import type { AmSession } from '../../heap/objects/am-service.ts';
import type { Denials } from '../../heap/objects/denials.ts';
import { originOf } from '../../openid/client/client-endpoint.ts';
import { hardened, pageRedirection, redirection, withCookies } from '../../openid/client/redirection.ts';
import { dropAttempts, type SignInAttempt, SignInAttempts } from '../../openid/client/sign-in-attempts.ts';
import { providerError, SignInFailed } from '../../openid/client/sign-in-failed.ts';
import { UsedStates } from '../../openid/client/used-states.ts';
import { gotoTarget } from '../../openid/goto-target.ts';
import { sessionUid } from '../sessions/session-answer.ts';
import type { AuthCookie } from './auth-cookie.ts';
import { type CrossDomainToken, type CrossDomainTokens, namedSession } from './cross-domain-tokens.ts';
import type { LoginPage } from './login-page.ts';
import { UserGate, type UserGateOptions } from './user-gate.ts';

export interface CrossDomainOptions extends UserGateOptions {
  readonly page: LoginPage;
  /** Path or absolute URL. */
  readonly redirectEndpoint: string;
  readonly authenticationService: string | null;
  /** Name of the agent. */
  readonly agent: string;
  readonly cookie: AuthCookie;
  readonly tokens: CrossDomainTokens;
  readonly failure: Denials<'cross-domain-sign-on'>;
}

/** Longest form that an access manager may post. */
const MOST_CONTENT = 128 << 10;
const NO_COOKIE: readonly string[] = [];
const PARAMETERS = ['state', 'id_token', 'error', 'error_description'] as const;

type Parameters = Readonly<Record<(typeof PARAMETERS)[number], string | null>>;

/** Finds the user of each request by a token that an access manager of another domain posted to the gateway. */
export class CrossDomainSignOn {
  private readonly options: CrossDomainOptions;
  private readonly gate: UserGate;
  private readonly attempts = new SignInAttempts(Date.now, true);
  private readonly states: UsedStates;
  private readonly path: string;
  private readonly purpose: { readonly name: string; readonly identity: string };
  private readonly failed: PacedWarning;

  constructor(options: CrossDomainOptions, parts: Parts) {
    this.options = options;
    const { redirectEndpoint, service, agent } = options;
    this.gate = new UserGate(options, parts);
    this.states = new UsedStates(parts);
    this.path = redirectEndpoint.startsWith('/') ? redirectEndpoint : new URL(redirectEndpoint).pathname;
    this.purpose = { name: 'cdsso', identity: `cdsso ${service.identity} ${agent}` };
    this.failed = new PacedWarning(parts.log, 'cross-domain sign-on failed', { most: 1 });
  }

  handle(exchange: Exchange, next: Next): Answer {
    const values = this.options.cookie.take(exchange) ?? NO_COOKIE;
    if (exchange.originalUri.rawPath === this.path) return this.callback(exchange);
    if (this.gate.isLogout(exchange)) return this.logout(values, exchange);
    const [text, other] = values;
    if (text === undefined || other !== undefined) return this.demand(exchange);
    const known = this.options.tokens.known(text);
    if (known !== null) return this.proceed(known, text, exchange, next);
    return this.options.tokens.verify(text, null).then(
      (token) => (exchange.over ? emptyRefusal('cancelled') : this.proceed(token, text, exchange, next)),
      (error: unknown) => this.unverified(error, exchange),
    );
  }

  private proceed(token: CrossDomainToken, text: string, exchange: Exchange, next: Next): Answer {
    const session = this.options.service.sessions.info(token.session, exchange);
    if (!(session instanceof Promise)) return this.judge(session, true, token, text, exchange, next);
    return session.then(
      (found) => (exchange.over ? emptyRefusal('cancelled') : this.judge(found, false, token, text, exchange, next)),
      (error: unknown) => this.gate.unchecked(error, exchange),
    );
  }

  private judge(
    session: AmSession | null,
    isCached: boolean,
    { claims, session: value }: CrossDomainToken,
    token: string,
    exchange: Exchange,
    next: Next,
  ): Answer {
    if (session === null) return this.demand(exchange);
    const moved = this.gate.withoutMarker(exchange);
    if (moved !== null) return moved;
    const { cookie, page, redirectEndpoint } = this.options;
    const { name, domain = null, path } = cookie.rule;
    exchange.identity = session.identity;
    this.gate.verdicts.allowed(exchange, session, isCached);
    if (exchange.sessionPlace !== null) dropAttempts(exchange.request.headers, exchange.sessionPlace);
    exchange.setContext('cdsso', {
      value,
      token,
      claims,
      claimsSet: claims,
      redirectEndpoint,
      sessionUid: sessionUid(claims) ?? session.uid,
      cookieInfo: { name, domain, path },
    });
    const loginEndpoint = page.endpoint(exchange);
    exchange.setContext('ssoToken', { value, info: session.info, cookieName: name, loginEndpoint });
    return next(exchange);
  }

  /** A token that is no longer sound ends the sign-on; one that nobody can verify ends the request. */
  private unverified(error: unknown, exchange: Exchange): Answer {
    if (exchange.over) return emptyRefusal('cancelled');
    if (!(error instanceof SignInFailed)) throw error;
    if (error.error === 'temporarily_unavailable') return this.gate.unchecked(error, exchange);
    return this.demand(exchange);
  }

  /** Also with a token that has expired or cannot be verified: its session may go on, and whoever has it may end it. */
  private logout(values: readonly string[], exchange: Exchange): Promise<Response> {
    const sessions = values === NO_COOKIE ? [] : values.length === 0 ? [null] : values.map(namedSession);
    return this.gate.logout([...new Set(sessions)], this.options.cookie.removals(exchange), exchange);
  }

  private demand(exchange: Exchange): Answer {
    return this.gate.demand(exchange, (goto) => this.leave(goto, exchange));
  }

  /** Sends the browser to the access manager, for a token that it posts to the redirect endpoint. */
  private leave(goto: string, exchange: Exchange): Response {
    const { service, agent, authenticationService: chosen } = this.options;
    const attempt = this.attempts.create(this.sessionKey, this.purpose, goto);
    this.gate.verdicts.redirected(exchange);
    const query = new URLSearchParams([
      ['response_type', 'id_token'],
      ['response_mode', 'form_post'],
      ['scope', 'openid'],
      ['client_id', agent],
      ['redirect_uri', this.redirectUri(exchange)],
      ['state', attempt.state],
      ['nonce', attempt.nonce],
      ['agent_provider', 'true'],
      ['agent_realm', service.realm],
      ...(chosen === null
        ? []
        : [
            ['service', chosen],
            ['acr_values', chosen],
          ]),
    ]);
    const location = `${service.oauth2Endpoint('authorize')}?${query}`;
    return redirection(location, this.attempts.lines(attempt, exchange, isSecure(exchange)));
  }

  private async callback(exchange: Exchange): Promise<Awaited<Answer>> {
    let ended: readonly string[] = [];
    try {
      const parameters = await readParameters(exchange);
      const attempt = this.take(parameters.state, exchange);
      ended = [this.attempts.removal(attempt.state, exchange, isSecure(exchange))];
      const cookies = await this.accept(parameters, attempt, exchange);
      if (exchange.over) return emptyRefusal('cancelled');
      const { originalUri } = exchange;
      const home = `${originOf(originalUri)}/`;
      const target = attempt.goto === null ? home : (gotoTarget(attempt.goto, originalUri.toString()) ?? home);
      const isStrict = this.options.cookie.rule.sameSite === 'STRICT';
      return (isStrict ? pageRedirection : redirection)(target, [...cookies, ...ended]);
    } catch (error) {
      const answer = this.fail(error, exchange);
      return mapResponse(answer, exchange, (response) => withCookies(response, ended));
    }
  }

  /** The sign-on that a callback ends, which is used up now. @throws SignInFailed */
  private take(state: string | null, exchange: Exchange): SignInAttempt {
    const attempt = state === null ? null : this.attempts.open(state, exchange, isSecure(exchange));
    const isOurs = attempt?.sessionKey === this.sessionKey && attempt.client === this.purpose.identity;
    const sighting = attempt === null || !isOurs ? 'seen' : this.states.use(attempt, Date.now());
    if (sighting === 'full') {
      throw new SignInFailed('sign-in-failed', 'temporarily_unavailable', 'too many users sign on at the same time');
    }
    if (sighting === 'new') return attempt!;
    const message = 'this browser has begun no such sign-on, or it was finished before or took too long';
    throw new SignInFailed('sign-in-state', 'invalid_request', message);
  }

  /** `Set-Cookie` lines for the token of a callback. @throws SignInFailed */
  private async accept(
    { id_token: token, error, error_description: description }: Parameters,
    { nonce }: SignInAttempt,
    exchange: Exchange,
  ): Promise<string[]> {
    if (error !== null) throw providerError('the access manager', error, description);
    if (token === null || exchange.request.method !== 'POST') {
      throw new SignInFailed(
        'sign-in-failed',
        'server_error',
        'the access manager posted neither a token nor an error',
      );
    }
    await this.options.tokens.verify(token, nonce);
    const lines = this.options.cookie.lines(token, exchange);
    if (lines !== null) return lines;
    throw new SignInFailed('sign-in-failed', 'server_error', 'the token is too long for cookies');
  }

  private fail(error: unknown, exchange: Exchange): Answer {
    if (!(error instanceof SignInFailed)) throw error;
    const { refusal, error: code, message, description } = error;
    if (refusal === 'sign-in-failed') this.failed.give({ reason: message, route: exchange.route });
    exchange.setContext('cdssoFailure', { error: code, description: description ?? message, throwable: message });
    const answer = this.options.failure.refuse(exchange, 'cross-domain-sign-on', undefined, message);
    return mapResponse(answer, exchange, hardened);
  }

  private get sessionKey(): string {
    return `cdsso:${this.path}`;
  }

  private redirectUri({ originalUri }: Exchange): string {
    const { redirectEndpoint } = this.options;
    return redirectEndpoint.startsWith('/') ? `${originOf(originalUri)}${redirectEndpoint}` : redirectEndpoint;
  }
}

function isSecure({ originalUri }: Exchange): boolean {
  return originalUri.scheme === 'https';
}

/** The fields that the access manager posted; errors may come in the query. @throws SignInFailed */
async function readParameters({ request, originalUri }: Exchange): Promise<Parameters> {
  const given =
    request.method === 'POST' && isForm(request)
      ? await request.entity.form(MOST_CONTENT)
      : new URLSearchParams(originalUri.rawQuery ?? '');
  const read = PARAMETERS.map((name) => {
    const [value = null, ...others] = given.getAll(name);
    if (others.length === 0) return [name, value] as const;
    throw new SignInFailed('sign-in-request', 'invalid_request', `the field '${name}' is given more than once`);
  });
  return Object.fromEntries(read) as Parameters;
}
