import type { RuntimeExpression } from '../../../contract/vocabulary/runtime.ts';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import { filterCookies } from '../../engine/head/filter-cookies.ts';
import type { Headers } from '../../engine/head/headers.ts';
import type { Answer, Exchange, Next } from '../../engine/message/exchange.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import { emptyRefusal, type Response } from '../../engine/message/response.ts';
import type { Parts } from '../../heap/definition.ts';
import type { AmService, AmSession } from '../../heap/objects/am-service.ts';
import type { Denials } from '../../heap/objects/denials.ts';
import { hardened, redirection, withCookies } from '../../openid/client/redirection.ts';
import { canBeRedirected, signInNeeded } from '../../openid/client/sign-in-needed.ts';
import { keepFromSharedCaches } from '../../sessions/unshared-response.ts';
import { type Activity, type ActivityTokens, sessionHash } from './activity-tokens.ts';
import { presentedCookie } from './presented-cookie.ts';
import { SessionVerdicts } from './session-verdicts.ts';

export type IdleTimeoutUpdate = 'ALWAYS' | 'NEVER' | 'INCREASE_ONLY' | 'DECREASE_ONLY';

export interface IdleSessionsOptions {
  readonly service: AmService;
  readonly tokens: ActivityTokens;
  /** In milliseconds. */
  readonly idleTimeout: number;
  readonly update: IdleTimeoutUpdate;
  /** Null for the session cookie of the access manager. */
  readonly sessionToken: RuntimeExpression<string> | null;
  readonly denied: Denials<'sign-in-needed' | 'session-unchecked'>;
}

/** Milliseconds that clocks of gateways may differ. */
const SKEW = 60_000;
/** A cookie is written again after this part of the time-out, and at the latest after a minute. */
const WRITTEN_PART = 1 / 60;
const LONGEST_UNWRITTEN = 60_000;
const UNKNOWN_USE =
  'the access manager does not tell when the session was last used: it must give latestAccessTime, or authInstant among ' +
  'the session properties';

/** Ends sessions of an access manager that were not used for a time. */
export class IdleSessions {
  private readonly options: IdleSessionsOptions;
  private readonly verdicts: SessionVerdicts;
  private readonly failed: PacedWarning;

  constructor(options: IdleSessionsOptions, parts: Parts) {
    this.options = options;
    this.verdicts = new SessionVerdicts(options.service.url, parts);
    this.failed = new PacedWarning(parts.log, 'idle time of a session could not be checked; the request is refused', {
      most: 1,
    });
  }

  handle(exchange: Exchange, next: Next): Answer {
    const { service, tokens, sessionToken } = this.options;
    const name = sessionToken === null ? service.cookieName(exchange) : '';
    const pending = tokens.ready();
    if (typeof name === 'string' && pending === null) return this.judge(name, exchange, next);
    return Promise.all([name, pending]).then(
      ([found]) => (exchange.over ? emptyRefusal('cancelled') : this.judge(found, exchange, next)),
      (error: unknown) => this.unchecked(error, exchange),
    );
  }

  /** @param cookieName of the access manager; empty where an expression gives the session token */
  private judge(cookieName: string, exchange: Exchange, next: Next): Answer {
    const { service, tokens } = this.options;
    const token = this.tokenOf(cookieName, exchange);
    if (token === null || token === '') {
      // filters behind must not take one of two cookies that nobody has looked at
      if (cookieName !== '') filterCookies(exchange.request.headers, (name) => name !== cookieName);
      return next(exchange);
    }
    const now = Date.now();
    const activity = tokens.read(exchange, sessionHash(token), now + SKEW);
    if (activity !== null) {
      if (now - activity.seenAt >= activity.idleTimeout) return this.end(token, cookieName, exchange, next);
      return this.goOn(activity, now, exchange, next);
    }
    return service.sessions.fresh(token, exchange).then(
      (found) => (exchange.over ? emptyRefusal('cancelled') : this.begin(found, token, cookieName, exchange, next)),
      (error: unknown) => this.unchecked(error, exchange),
    );
  }

  /** Begins to track a session. One that was not used for a time is idle: its cookie may have been deleted. */
  private begin(session: AmSession | null, token: string, cookieName: string, exchange: Exchange, next: Next): Answer {
    if (session === null) return next(exchange);
    const usedAt = lastUse(session);
    if (usedAt === null) return this.unchecked(new Error(UNKNOWN_USE), exchange);
    const { idleTimeout } = this.options;
    const now = Date.now();
    if (now - usedAt >= idleTimeout) return this.end(token, cookieName, exchange, next);
    return this.passOn({ seenAt: now, idleTimeout, session: sessionHash(token) }, exchange, next);
  }

  private goOn(before: Activity, now: number, exchange: Exchange, next: Next): Answer {
    const idleTimeout = this.updated(before.idleTimeout);
    const unwritten = now - before.seenAt;
    const isFresh = unwritten < Math.min(LONGEST_UNWRITTEN, idleTimeout * WRITTEN_PART);
    if (isFresh && idleTimeout === before.idleTimeout) return next(exchange);
    return this.passOn({ ...before, seenAt: Math.max(now, before.seenAt), idleTimeout }, exchange, next);
  }

  private updated(before: number): number {
    const { update, idleTimeout } = this.options;
    if (update === 'ALWAYS') return idleTimeout;
    if (update === 'NEVER') return before;
    return update === 'INCREASE_ONLY' ? Math.max(before, idleTimeout) : Math.min(before, idleTimeout);
  }

  private passOn(activity: Activity, exchange: Exchange, next: Next): Answer {
    const lines = this.options.tokens.lines(activity, exchange);
    return mapResponse(next(exchange), exchange, (response) => answered(response, lines, exchange));
  }

  private async end(token: string, cookieName: string, exchange: Exchange, next: Next): Promise<Response> {
    const { service, tokens, denied } = this.options;
    try {
      await service.sessions.logout(token, exchange);
    } catch (error) {
      return this.unchecked(error, exchange);
    }
    if (exchange.over) return emptyRefusal('cancelled');
    const removals = tokens.removals(exchange);
    const { request, originalUri } = exchange;
    filterCookies(request.headers, (name, value) => name !== cookieName && value !== token);
    dropHeaders(request.headers, token);
    const left = this.tokenOf(cookieName, exchange);
    if (exchange.context('ssoToken') === null && (left === null || left === '')) {
      return mapResponse(next(exchange), exchange, (response) => answered(response, removals, exchange));
    }
    // the filter for sign-on is before this one: it finds the session ended when the page is asked for again
    if (canBeRedirected(request)) {
      this.verdicts.redirected(exchange);
      return redirection(originalUri.toString(), removals);
    }
    return withCookies(signInNeeded(denied, exchange), removals);
  }

  private tokenOf(cookieName: string, exchange: Exchange): string | null {
    const { sessionToken } = this.options;
    if (sessionToken !== null) return sessionToken.read(exchange, null);
    return presentedCookie(exchange.request.headers, cookieName);
  }

  private unchecked(error: unknown, exchange: Exchange): Response {
    if (exchange.over) return emptyRefusal('cancelled');
    const reason = errorText(error);
    this.failed.give({ reason, route: exchange.route });
    return hardened(this.options.denied.answer(exchange, 'session-unchecked', undefined, reason));
  }
}

/**
 * When a session was last used, in milliseconds since 1970; null where that is not known. The time of the sign-in comes
 * first: an access manager that does not track the use of client-side sessions may give the present as their last use.
 */
function lastUse({ latestAccessTime, properties }: AmSession): number | null {
  const times = [properties['authInstant'], latestAccessTime].map((text) => Date.parse(text ?? ''));
  return times.find((time) => !Number.isNaN(time)) ?? null;
}

function answered(response: Response, lines: readonly string[], { over }: Exchange): Response {
  if (over || !response.headers.readable) return response;
  withCookies(response, lines);
  keepFromSharedCaches(response.headers);
  return response;
}

/** Removes headers that hold a token. */
function dropHeaders(headers: Headers, token: string): void {
  const names = headers.entries().flatMap(([name, value]) => (value.trim().endsWith(token) ? [name] : []));
  for (const name of new Set(names)) if (name !== 'cookie') headers.delete(name);
}
