import { z } from 'zod';
import { choice, text } from '../../../contract/vocabulary/configured.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import { cookieName, filterCookies } from '../../engine/head/filter-cookies.ts';
import type { Headers } from '../../engine/head/headers.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import { defineFilter } from '../../heap/definition.ts';
import { cookiePlace, cookiesFor, keepCookie } from './managed-cookies.ts';

type Action = 'MANAGE' | 'RELAY' | 'SUPPRESS';

const names = (what: string) =>
  z.array(text()).default([]).describe(`Names of cookies, case-insensitive, that are ${what}.`);

const LISTS = ['managed', 'suppressed', 'relayed'] as const;

/** Keeps cookies from crossing the gateway. */
export const cookieFilter = defineFilter({
  type: 'CookieFilter',
  summary:
    'Manages, relays or suppresses cookies between client and application. A managed cookie that the application sets is ' +
    'kept in the session and hidden from the client, and later requests of the session carry it to the application. ' +
    'Cookies of that name that the client sends are removed. Domain, path and lifetime of managed cookies hold as in a ' +
    'browser; `Secure` is not looked at, because the configuration decides how the application is reached.',
  config: z
    .strictObject({
      managed: names('kept in the session'),
      suppressed: names('taken out of requests and responses'),
      relayed: names('passed on as they are'),
      defaultAction: choice(['MANAGE', 'RELAY', 'SUPPRESS'])
        .default('MANAGE')
        .describe('Action for cookies that no list names.'),
    })
    .check(
      rulesAbout([...LISTS], (value, add) => {
        const seen = new Map<string, string>();
        for (const list of LISTS) {
          for (const [index, name] of value[list].entries()) {
            const other = seen.get(lower(name)) ?? list;
            seen.set(lower(name), other);
            if (other !== list) add([list, index], `'${name}' cannot be both ${other} and ${list}`, 'exclusive');
          }
        }
      }),
    ),
  examples: [
    { title: 'Keep every cookie of the application in the session', config: {} },
    {
      title: 'Suppress two cookies in both directions',
      config: { suppressed: ['tracking', 'debug'], defaultAction: 'RELAY' },
    },
    { title: 'Relay one cookie and no other', config: { relayed: ['JSESSIONID'], defaultAction: 'SUPPRESS' } },
  ],
  create({ managed, suppressed, relayed, defaultAction }) {
    const actions = new Map<string, Action>([
      ...managed.map((name) => [lower(name), 'MANAGE'] as const),
      ...suppressed.map((name) => [lower(name), 'SUPPRESS'] as const),
      ...relayed.map((name) => [lower(name), 'RELAY'] as const),
    ]);
    const manages = defaultAction === 'MANAGE' || managed.length > 0;

    function actionOf(name: string): Action {
      return actions.get(lower(name)) ?? defaultAction;
    }

    function filterRequest({ request, session }: Exchange): void {
      // a cookie that was managed before another configuration said otherwise stays where it is
      const added =
        manages && session !== null
          ? cookiesFor(session, cookiePlace(request.uri), Date.now()).filter(
              (cookie) => actionOf(cookieName(cookie)) === 'MANAGE',
            )
          : [];
      filterCookies(request.headers, (name) => actionOf(name) === 'RELAY', added);
    }

    function filterLines(headers: Headers, name: string, manage: (line: string) => void): void {
      const lines = headers.all(name);
      const kept = lines.filter((line) => {
        const action = actionOf(cookieName(line));
        if (action === 'MANAGE') manage(line);
        return action === 'RELAY';
      });
      if (kept.length === lines.length) return;
      headers.delete(name);
      for (const line of kept) headers.append(name, line);
    }

    return function filterBoth(exchange, next) {
      if (manages && exchange.session === null) throw new Error('there is no session to keep cookies in');
      const place = manages ? cookiePlace(exchange.request.uri) : null;
      filterRequest(exchange);
      return mapResponse(next(exchange), exchange, (response) => {
        const manage = (line: string): void => {
          if (exchange.session !== null && place !== null) keepCookie(exchange.session, line, place, Date.now());
        };
        if (response.headers.has('set-cookie')) filterLines(response.headers, 'Set-Cookie', manage);
        if (response.headers.has('set-cookie2')) filterLines(response.headers, 'Set-Cookie2', () => {});
        return response;
      });
    };
  },
});

function lower(name: string): string {
  return name.toLowerCase();
}
