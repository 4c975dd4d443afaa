import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { flag, text } from '../../../contract/vocabulary/configured.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { changeableHeader } from '../../engine/head/changeable-header.ts';
import { parseCookies } from '../../engine/head/cookies.ts';
import type { Answer, Exchange } from '../../engine/message/exchange.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import type { Response } from '../../engine/message/response.ts';
import type { Session } from '../../engine/message/session.ts';
import { defineFilter } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import { addVary } from '../origin/vary.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Lets requests that change something pass only if they carry a token that other sites cannot know. */
export const csrfFilter = defineFilter({
  type: 'CsrfFilter',
  summary:
    'Rejects cross-site request forgery (CSRF): requests that another site makes the browser of a user send. ' +
    'Every response has a token in a header, which only pages of the same site can read. Requests that may ' +
    'change something must send it back in a header of that name. The token is a keyed hash; the key is the ' +
    'value of the session cookie. It needs no memory and no configured secret, is the same in all units and ' +
    'replicas of the gateway, and expires with the session. It is only as hard to guess as the cookie, so the ' +
    'cookie must have a random value. If the cookie is that of a session of the gateway, the key is a random ' +
    'value in that session instead, which does not change when the cookie is written again. A request that needs a token but has no session cookie, or several ' +
    'different ones, is rejected.',
  config: z.strictObject({
    cookieName: text().describe('Name of the session cookie.'),
    headerName: changeableHeader(text())
      .default('X-CSRF-Token')
      .describe('Header that carries the token, in responses and in requests.'),
    excludeSafeMethods: flag().default(true).describe('Whether `GET`, `HEAD` and `OPTIONS` pass without a token.'),
    failureHandler: ref('handler')
      .optional()
      .describe('Handler of requests whose token is missing or wrong; by default an empty 403.'),
  }),
  examples: [{ title: 'Protect a session of the application', config: { cookieName: 'JSESSIONID' } }],
  create({ cookieName, headerName, excludeSafeMethods, failureHandler }, parts) {
    const denied = denials(parts, ['forged-request'], failureHandler);

    /** The session that cookie lines name; null when there is none, or more than one. */
    function sessionIn(lines: readonly string[]): string | null {
      const values = new Set(parseCookies(lines).get(cookieName));
      const [value] = values;
      return values.size === 1 && value !== undefined && value !== '' ? value : null;
    }

    /** The session that a response begins, null when it ends it, undefined when it leaves it alone. */
    function sessionSetBy(response: Response): string | null | undefined {
      const pairs = response.headers.all('set-cookie').map((line) => line.split(';', 1)[0]!);
      const ours = pairs.filter((pair) => pair.slice(0, Math.max(0, pair.indexOf('='))).trim() === cookieName);
      const last = ours.at(-1);
      return last === undefined ? undefined : sessionIn([last]);
    }

    function addToken(response: Response, session: string | null, own: Session | null): Response {
      response.headers.delete(headerName);
      const set = own === null ? sessionSetBy(response) : idOf(own);
      const current = set === undefined ? session : set;
      if (current !== null) response.headers.append(headerName, tokenOf(current));
      addVary(response.headers, 'Cookie');
      return response;
    }

    function refuse(exchange: Exchange, hasSession: boolean): Answer {
      const hasToken = exchange.request.headers.has(headerName);
      const reason = !hasSession
        ? 'the request has no session cookie, or several that differ'
        : hasToken
          ? 'the CSRF token does not belong to the session'
          : 'the request has no CSRF token';
      const { method } = exchange.request;
      return denied.refuse(exchange, 'forged-request', () => ({ method, cookieName, headerName }), reason);
    }

    return function refuseForgery(exchange, next) {
      const { method, headers } = exchange.request;
      const own = exchange.sessionPlace?.configuredName === cookieName ? exchange.session : null;
      const session = own === null ? sessionIn(headers.all('cookie')) : idOf(own);
      const isSafe = excludeSafeMethods && SAFE_METHODS.has(method);
      const passes = isSafe || (session !== null && isTokenOf(session, headers.get(headerName)));
      const answer = passes ? next(exchange) : refuse(exchange, session !== null);
      return mapResponse(answer, exchange, (response) => addToken(response, session, own));
    };
  },
});

/** What the token of a session of the gateway is derived from; null for one that nothing is kept in. */
function idOf(session: Session): string | null {
  return session.isEmpty ? null : session.id;
}

function tokenOf(session: string): string {
  return createHmac('sha256', session).update('gatewarden csrf token').digest('base64url');
}

function isTokenOf(session: string, presented: string | null): boolean {
  const expected = Buffer.from(tokenOf(session), 'latin1');
  const given = Buffer.from(presented ?? '', 'latin1');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
