import type { RuntimeExpression } from '../../../contract/vocabulary/runtime.ts';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { Answer, Exchange } from '../../engine/message/exchange.ts';
import { emptyRefusal, type Response, textResponse } from '../../engine/message/response.ts';
import type { Parts } from '../../heap/definition.ts';
import type { AmService } from '../../heap/objects/am-service.ts';
import type { Denials } from '../../heap/objects/denials.ts';
import { explained, hardened, redirection, withCookies } from '../../openid/client/redirection.ts';
import { canBeRedirected, signInNeeded } from '../../openid/client/sign-in-needed.ts';
import { RedirectionMarker } from './redirection-marker.ts';
import { SessionVerdicts } from './session-verdicts.ts';
import type { SignOnRefusal } from './sign-on-refusals.ts';

export interface UserGateOptions {
  readonly service: AmService;
  /** Null where redirects without end are not looked for. */
  readonly marker: string | null;
  readonly landing: string | null;
  readonly logout: RuntimeExpression<boolean> | null;
  readonly denied: Denials<SignOnRefusal>;
}

/** Sessions that one request can end; other hosts of the domain may have added cookies. */
export const MOST_LOGOUTS = 4;

/** What filters for sign-on do with requests without a session, with one, and with those that end it. */
export class UserGate {
  private readonly options: UserGateOptions;
  private readonly marker: RedirectionMarker | null;
  readonly verdicts: SessionVerdicts;
  private readonly failed: PacedWarning;
  private readonly failedLogout: PacedWarning;

  constructor(options: UserGateOptions, parts: Parts) {
    const { log } = parts;
    this.options = options;
    this.verdicts = new SessionVerdicts(options.service.url, parts);
    this.marker = options.marker === null ? null : new RedirectionMarker(options.marker);
    this.failed = new PacedWarning(log, 'session of a user could not be checked; the request is refused', { most: 1 });
    this.failedLogout = new PacedWarning(log, 'session of a user could not be ended; it may go on', { most: 1 });
  }

  /** Whether a request ends the session of its user. */
  isLogout(exchange: Exchange): boolean {
    const { logout } = this.options;
    return logout !== null && logout.read(exchange, null) === true;
  }

  /**
   * Sends the browser to a login page.
   * @param leave answers with a redirect to it, and gets the URL to come back to
   */
  demand(exchange: Exchange, leave: (goto: string) => Answer): Answer {
    const { denied } = this.options;
    const { request, originalUri } = exchange;
    if (!canBeRedirected(request)) return signInNeeded(denied, exchange);
    const { marker } = this;
    if (marker === null) return leave(originalUri.toString());
    if (!marker.isIn(originalUri.rawQuery)) return leave(marker.addTo(originalUri.toString()));
    const message =
      'You came back from the login page, but your browser sent no session cookie that this page can use. Delete the ' +
      'cookies of this site and open the page again. If that does not help, the cookie is not set for this host.';
    return hardened(explained(denied.answer(exchange, 'sign-on-loop'), message));
  }

  /**
   * The answer that takes the marker out of the address of a page; null where there is none. Otherwise the page would
   * take a session that ends later for a redirect without end.
   */
  withoutMarker(exchange: Exchange): Response | null {
    const { marker } = this;
    const { request } = exchange;
    const { rawQuery } = request.uri;
    if (marker === null || rawQuery === null || !marker.isIn(rawQuery)) return null;
    const { originalUri } = exchange;
    if (canBeRedirected(request) && marker.isIn(originalUri.rawQuery)) {
      const [whole = ''] = originalUri.toString().split('?', 1);
      const rest = marker.removeFrom(originalUri.rawQuery!);
      return redirection(rest === null ? whole : `${whole}?${rest}`);
    }
    request.uri.rawQuery = marker.removeFrom(rawQuery);
    return null;
  }

  /**
   * Ends the sessions of a user. A user is told to be signed out only where the access manager has ended all of them.
   * @param tokens that the request shows; null stands for one that cannot be read
   * @param removals `Set-Cookie` lines that take its cookie from the browser
   */
  async logout(tokens: readonly (string | null)[], removals: readonly string[], exchange: Exchange): Promise<Response> {
    const { landing } = this.options;
    const failures: unknown[] = [];
    for (const token of tokens.slice(0, MOST_LOGOUTS)) {
      await this.end(token, exchange).catch((error: unknown) => failures.push(error));
    }
    if (tokens.length > MOST_LOGOUTS) failures.push(new Error('the request shows too many sessions'));
    if (failures.length > 0) return withCookies(this.unended(failures[0], exchange), removals);
    const text = tokens.length === 0 ? 'You have no session here.\n' : 'You are signed out.\n';
    return withCookies(landing === null ? hardened(textResponse(200, text)) : redirection(landing), removals);
  }

  private async end(token: string | null, exchange: Exchange): Promise<void> {
    if (token === null) throw new Error('the cookie names no session');
    await this.options.service.sessions.logout(token, exchange);
  }

  private unended(error: unknown, exchange: Exchange): Response {
    if (exchange.over) return emptyRefusal('cancelled');
    const reason = errorText(error);
    this.failedLogout.give({ reason, route: exchange.route });
    const answer = this.options.denied.answer(exchange, 'session-unchecked', undefined, reason);
    const message =
      'You could not be signed out: your session may go on. Sign in and out again, or close all windows of the browser.';
    return hardened(explained(answer, message));
  }

  /** Refuses a request because nobody can tell whether its session is valid. */
  unchecked(error: unknown, exchange: Exchange): Response {
    if (exchange.over) return emptyRefusal('cancelled');
    const reason = errorText(error);
    this.failed.give({ reason, route: exchange.route });
    return hardened(this.options.denied.answer(exchange, 'session-unchecked', undefined, reason));
  }
}
