import type { Pattern } from '../../../contract/pattern/pattern.ts';
import type { Answer, Exchange, Next } from '../../engine/message/exchange.ts';
import { emptyRefusal } from '../../engine/message/response.ts';
import type { Parts } from '../../heap/definition.ts';
import type { AmSession } from '../../heap/objects/am-service.ts';
import { redirection } from '../../openid/client/redirection.ts';
import { cookieRemovals } from './cookie-removals.ts';
import type { LoginPage } from './login-page.ts';
import { presentedCookie, presentedCookies } from './presented-cookie.ts';
import { SessionMemos } from './session-memo.ts';
import { MOST_LOGOUTS, UserGate, type UserGateOptions } from './user-gate.ts';

export interface SingleSignOnOptions extends UserGateOptions {
  readonly page: LoginPage;
  /** Found in URLs of requests that log the user out. */
  readonly logoutUrls: Pattern | null;
}

/** Finds the user of each request by the session cookie of an access manager. */
export class SingleSignOn {
  private readonly options: SingleSignOnOptions;
  private readonly gate: UserGate;
  private readonly memos: SessionMemos | null;

  constructor(options: SingleSignOnOptions, parts: Parts) {
    this.options = options;
    this.gate = new UserGate(options, parts);
    const { sessions } = options.service;
    this.memos = sessions.areCached ? new SessionMemos(sessions) : null;
  }

  handle(exchange: Exchange, next: Next): Answer {
    const name = this.options.service.cookieName(exchange);
    if (typeof name === 'string') return this.proceed(name, exchange, next);
    return name.then(
      (found) => (exchange.over ? emptyRefusal('cancelled') : this.proceed(found, exchange, next)),
      (error: unknown) => this.gate.unchecked(error, exchange),
    );
  }

  private proceed(name: string, exchange: Exchange, next: Next): Answer {
    const { gate, memos } = this;
    const { headers } = exchange.request;
    if (this.isLogout(exchange)) {
      const tokens = presentedCookies(headers, name, MOST_LOGOUTS + 1);
      return gate.logout(tokens, cookieRemovals(name, exchange.originalUri), exchange);
    }
    const line = memos === null ? -1 : headers.soleLine('cookie');
    const memo = line < 0 ? null : memos!.find(exchange, headers, line, name);
    if (memo !== null) return this.judge(memo.session, true, memo.token, name, exchange, next);
    const token = presentedCookie(headers, name);
    if (token === null) return this.demand(exchange);
    const session = this.options.service.sessions.info(token, exchange);
    if (!(session instanceof Promise)) {
      if (line >= 0 && session !== null) memos!.remember(exchange, line, session, token, name);
      return this.judge(session, true, token, name, exchange, next);
    }
    return session.then(
      (found) => (exchange.over ? emptyRefusal('cancelled') : this.judge(found, false, token, name, exchange, next)),
      (error: unknown) => gate.unchecked(error, exchange),
    );
  }

  private judge(
    session: AmSession | null,
    isCached: boolean,
    value: string,
    cookieName: string,
    exchange: Exchange,
    next: Next,
  ): Answer {
    if (session === null) return this.demand(exchange);
    const moved = this.gate.withoutMarker(exchange);
    if (moved !== null) return moved;
    const loginEndpoint = this.options.page.endpoint(exchange);
    exchange.identity = session.identity;
    this.gate.verdicts.allowed(exchange, session, isCached);
    exchange.setContext('ssoToken', { value, info: session.info, cookieName, loginEndpoint });
    return next(exchange);
  }

  private demand(exchange: Exchange): Answer {
    const { page, denied } = this.options;
    return this.gate.demand(exchange, (goto) => {
      const location = page.location(exchange, goto);
      if (location === null) {
        return denied.answer(exchange, 'no-uri', undefined, "'loginEndpoint' gives no http or https URL");
      }
      this.gate.verdicts.redirected(exchange);
      return redirection(location);
    });
  }

  private isLogout(exchange: Exchange): boolean {
    const { logoutUrls } = this.options;
    return this.gate.isLogout(exchange) || logoutUrls?.test(exchange.originalUri.toString()) === true;
  }
}
