import type { Target } from '../../../contract/expression/target.ts';
import type { RuntimeExpression } from '../../../contract/vocabulary/runtime.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { Answer, Exchange, Next } from '../../engine/message/exchange.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import { emptyRefusal, Response, textResponse } from '../../engine/message/response.ts';
import type { Session } from '../../engine/message/session.ts';
import type { Uri } from '../../engine/message/uri.ts';
import type { Parts } from '../../heap/definition.ts';
import type { Denials } from '../../heap/objects/denials.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { userIn } from '../../heap/objects/user-name.ts';
import { Verdicts } from '../../heap/objects/verdicts.ts';
import type { UserIssuers } from '../discovery/user-issuers.ts';
import { gotoTarget } from '../goto-target.ts';
import { BackChannelLogout } from '../lifetime/back-channel-logout.ts';
import { ProviderUnavailable } from '../lifetime/refreshes.ts';
import type { SessionLifetime } from '../lifetime/session-lifetime.ts';
import { type ClientEndpoint, type ClientPlace, originOf, type Service, serviceAt } from './client-endpoint.ts';
import { type CurrentUser, CurrentUsers } from './current-users.ts';
import { IdTokenClaims } from './id-token-claims.ts';
import { explained, hardened, pageRedirection, redirection, withCookies } from './redirection.ts';
import type { RegistrationChoice } from './registration-choice.ts';
import { serviceParameters } from './service-parameters.ts';
import { SignIn, type SignInTerms } from './sign-in.ts';
import { dropAttempts } from './sign-in-attempts.ts';
import { SignInFailed, signInRefusals } from './sign-in-failed.ts';
import { canBeRedirected, signInNeeded } from './sign-in-needed.ts';
import type { SignedIn } from './signed-in.ts';
import { SignedInUser } from './signed-in-user.ts';
import { UsedStates } from './used-states.ts';

/** Codes of requests that a client refuses. */
export const clientRefusals = [
  ...signInRefusals,
  'sign-in-needed',
  'refresh-failed',
  'no-https',
  'no-answer',
  'method-not-served',
] as const;

type ClientRefusal = (typeof clientRefusals)[number];

export interface OpenidClientOptions {
  readonly endpoint: ClientEndpoint;
  readonly registrations: RegistrationChoice;
  readonly userIssuers: UserIssuers;
  readonly terms: SignInTerms;
  readonly target: Target;
  readonly requireHttps: boolean;
  readonly requireLogin: boolean;
  readonly redirectsScripts: boolean;
  readonly loginHandler: Next | null;
  readonly defaultLoginGoto: RuntimeExpression<string> | null;
  readonly defaultLogoutGoto: RuntimeExpression<string> | null;
  readonly denied: Denials<ClientRefusal>;
  readonly lifetime: SessionLifetime;
}

/** Longest URL that the gateway remembers during a sign-in: a cookie has 4096 bytes. */
const LONGEST_GOTO = 2048;
const LOGIN_PARAMETERS = ['registration', 'issuer', 'discovery', 'goto'] as const;
/** Methods of services that have others than GET. */
const METHODS: Readonly<Partial<Record<Service, string>>> = { logout: 'GET, POST', backchannel_logout: 'POST' };

/** Signs users in and out, and hands their tokens on with every request. */
export class OpenidClient {
  private readonly options: OpenidClientOptions;
  private readonly signIn: SignIn;
  private readonly claims = new IdTokenClaims();
  private readonly users: CurrentUsers;
  private readonly backChannel: BackChannelLogout;
  private readonly verdicts: Verdicts;
  private readonly failed: PacedWarning;

  constructor(options: OpenidClientOptions, parts: Parts) {
    this.options = options;
    const { lifetime, registrations } = options;
    this.signIn = new SignIn(options.terms, new UsedStates(parts), lifetime.post);
    this.users = new CurrentUsers(lifetime, registrations, this.claims);
    this.backChannel = new BackChannelLogout(lifetime, () => registrations.all, parts);
    this.verdicts = new Verdicts(parts);
    this.failed = new PacedWarning(parts.log, 'sign-in failed', { most: 1 });
  }

  handle(exchange: Exchange, next: Next): Answer {
    const { endpoint, requireHttps, requireLogin, denied } = this.options;
    const { originalUri } = exchange;
    if (requireHttps && originalUri.scheme !== 'https') {
      return explained(denied.answer(exchange, 'no-https'), "This page needs https ('requireHttps').");
    }
    const place = endpoint.at(exchange);
    if (place === null) throw new TypeError("'clientEndpoint' gives no path for this request");
    const service = serviceAt(originalUri, place);
    if (service !== null) return this.serve(service, exchange, place);
    const pass = (user: CurrentUser | null): Answer => {
      if (user !== null) return this.pass(user, originalUri, place, exchange, next);
      if (requireLogin) return this.demandSignIn(exchange, place);
      if (exchange.sessionPlace !== null) dropAttempts(exchange.request.headers, exchange.sessionPlace);
      return next(exchange);
    };
    const current = this.users.current(exchange, place.sessionKey);
    if (!(current instanceof Promise)) return pass(current);
    return current.then(
      (user) => (exchange.over ? emptyRefusal('cancelled') : pass(user)),
      (error: unknown) => this.unrefreshed(error, exchange),
    );
  }

  private pass(current: CurrentUser, originalUri: Uri, { path }: ClientPlace, exchange: Exchange, next: Next): Answer {
    const user = new SignedInUser(current.signedIn, current.info, originalUri, path, this.claims);
    const { claims } = user;
    if (claims !== null) exchange.identity = { user: userIn(claims) };
    const { issuer, registration } = current.signedIn;
    exchange.access?.note(this.verdicts.of('allowed', { issuer, registration }));
    dropAttempts(exchange.request.headers, exchange.sessionPlace!);
    this.options.target.assign(exchange, null, user);
    return next(exchange);
  }

  private unrefreshed(error: unknown, exchange: Exchange): Response {
    if (!(error instanceof ProviderUnavailable)) throw error;
    const answer = this.options.denied.answer(exchange, 'refresh-failed', undefined, error.message);
    answer.headers.append('Retry-After', '5');
    return hardened(explained(answer, 'The sign-in service does not answer. Try again in a moment.'));
  }

  private demandSignIn(exchange: Exchange, place: ClientPlace): Answer {
    const { denied, redirectsScripts, loginHandler, registrations } = this.options;
    if (!canBeRedirected(exchange.request, redirectsScripts)) return signInNeeded(denied, exchange);
    if (loginHandler !== null) return mapResponse(loginHandler(exchange), exchange, hardened);
    return this.guarded(exchange, () => this.begin(registrations.only, ownUrl(exchange), exchange, place));
  }

  private serve(service: Service, exchange: Exchange, place: ClientPlace): Answer {
    const { denied } = this.options;
    if (service === 'unknown') return hardened(denied.answer(exchange, 'no-answer'));
    const { method } = exchange.request;
    const methods = METHODS[service] ?? 'GET';
    if (!methods.split(', ').includes(method)) {
      const answer = denied.answer(exchange, 'method-not-served');
      answer.headers.append('Allow', methods);
      return hardened(explained(answer, `Use ${methods}: a ${method} request is not served here.`));
    }
    if (service === 'backchannel_logout') return this.backChannel.handle(exchange);
    if (service === 'frontchannel_logout') return this.guarded(exchange, () => this.frontChannel(exchange, place));
    if (service === 'logout') return this.guarded(exchange, () => this.logout(exchange, place));
    return this.guarded(exchange, () =>
      service === 'login' ? this.login(exchange, place) : this.callback(exchange, place),
    );
  }

  private login(exchange: Exchange, place: ClientPlace): Answer {
    const { registrations, loginHandler, userIssuers } = this.options;
    const { registration, issuer, discovery, goto } = serviceParameters(exchange.originalUri, LOGIN_PARAMETERS);
    const wanted = goto === null ? null : allowedGoto(goto, exchange);
    if (discovery !== null) {
      return userIssuers.find(discovery, exchange).then((found) => this.begin(found, wanted, exchange, place));
    }
    if (registration === null && issuer === null && loginHandler !== null) {
      return mapResponse(loginHandler(exchange), exchange, hardened);
    }
    return this.begin(registrations.chosen(registration, issuer), wanted, exchange, place);
  }

  private async begin(
    registration: ClientRegistration,
    goto: string | null,
    exchange: Exchange,
    place: ClientPlace,
  ): Promise<Response> {
    const { location, setCookies } = await this.signIn.begin(registration, goto, exchange, place);
    this.verdicts.redirected(exchange, { registration: registration.name });
    return redirection(location, setCookies);
  }

  private async callback(exchange: Exchange, place: ClientPlace): Promise<Awaited<Answer>> {
    const state = this.signIn.stateOf(exchange);
    const attempt = state === null ? null : this.signIn.take(state, exchange, place);
    if (state === null || attempt === null) {
      // after the back button the provider sends a new code with a used state: that code must not be sent
      if (this.users.signedIn(exchange, place.sessionKey) !== null) return redirection(this.afterLogin(null, exchange));
      const message = 'this browser has begun no such sign-in, or it was finished before or took too long';
      throw new SignInFailed('sign-in-state', 'invalid_request', message);
    }
    const ended = this.signIn.attempts.removal(state, exchange, exchange.originalUri.scheme === 'https');
    const registration = this.options.registrations.of(attempt);
    try {
      if (registration === null) {
        const message =
          `the filter of this callback has no registration '${attempt.registration}': it was removed meanwhile, or ` +
          "another filter with the same 'clientEndpoint' began the sign-in";
        throw new SignInFailed('sign-in-request', 'invalid_request', message);
      }
      const { signedIn, goto } = await this.signIn.finish(attempt, registration, exchange, place);
      if (exchange.over) return emptyRefusal('cancelled');
      this.keep(signedIn, exchange.session!, place);
      const isStrict = exchange.sessionPlace?.cookieScope.sameSite === 'STRICT';
      return (isStrict ? pageRedirection : redirection)(this.afterLogin(goto, exchange), [ended]);
    } catch (error) {
      const answer = this.fail(error, exchange, registration?.scopes);
      return mapResponse(answer, exchange, (response) => withCookies(response, [ended]));
    }
  }

  /** Under another session id: whoever knew the one before does not become this user. */
  private keep(signedIn: SignedIn, session: Session, { sessionKey }: ClientPlace): void {
    session.renew();
    session.set(sessionKey, { ...signedIn });
  }

  private async logout(exchange: Exchange, { sessionKey }: ClientPlace): Promise<Response> {
    const { goto } = serviceParameters(exchange.originalUri, ['goto']);
    const wanted = goto === null ? null : allowedGoto(goto, exchange);
    const landing = wanted ?? configuredGoto(this.options.defaultLogoutGoto, exchange);
    const location = (await this.users.signOut(exchange, sessionKey, landing)) ?? landing;
    return location === null ? hardened(textResponse(200, 'You are signed out.\n')) : redirection(location);
  }

  /** The answer is the same for every session: it is in a frame of a page of the provider. */
  private frontChannel(exchange: Exchange, { sessionKey }: ClientPlace): Answer {
    const { iss, sid } = serviceParameters(exchange.originalUri, ['iss', 'sid']);
    if (iss === null || sid === null) {
      throw new SignInFailed('sign-in-request', 'invalid_request', "the request names no 'iss' or no 'sid'");
    }
    this.users.endNamed(exchange, sessionKey, iss, sid);
    return hardened(new Response(200));
  }

  /** The URL after a sign-in. It was allowed when the sign-in began, perhaps by a former configuration. */
  private afterLogin(goto: string | null, exchange: Exchange): string {
    const { originalUri } = exchange;
    const wanted = goto === null ? null : gotoTarget(goto, originalUri.toString());
    return wanted ?? configuredGoto(this.options.defaultLoginGoto, exchange) ?? `${originOf(originalUri)}/`;
  }

  private guarded(exchange: Exchange, serve: () => Answer): Answer {
    try {
      const answer = serve();
      if (answer instanceof Response) return answer;
      return answer.then(null, (error: unknown) => this.fail(error, exchange));
    } catch (error) {
      return this.fail(error, exchange);
    }
  }

  /** @param scopes that the sign-in asked for */
  private fail(error: unknown, exchange: Exchange, scopes: readonly string[] | null = null): Answer {
    if (!(error instanceof SignInFailed)) throw error;
    const { refusal, error: code, message, description } = error;
    if (refusal === 'sign-in-failed') this.failed.give({ reason: message, route: exchange.route });
    exchange.setContext('oauth2Failure', {
      error: code,
      description: description ?? message,
      exception: message,
      scope: scopes,
    });
    return mapResponse(this.options.denied.refuse(exchange, refusal, undefined, message), exchange, hardened);
  }
}

/** The URL that a sign-in leads back to; without its query, or none, where it is too long to be remembered. */
function ownUrl({ originalUri }: Exchange): string | null {
  const whole = originalUri.toString();
  if (whole.length <= LONGEST_GOTO) return whole;
  const short = `${originOf(originalUri)}${originalUri.rawPath}`;
  return short.length <= LONGEST_GOTO ? short : null;
}

function allowedGoto(goto: string, { originalUri }: Exchange): string {
  const allowed = goto.length > LONGEST_GOTO ? null : gotoTarget(goto, originalUri.toString());
  if (allowed !== null) return allowed;
  const message = "'goto' is not a URL of the same origin, or is too long";
  throw new SignInFailed('sign-in-request', 'invalid_request', message);
}

function configuredGoto(expression: RuntimeExpression<string> | null, exchange: Exchange): string | null {
  const given = expression?.read(exchange, null) ?? null;
  const url = given === null ? null : URL.parse(given, exchange.originalUri.toString());
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : null;
}
