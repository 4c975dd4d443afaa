import { z } from 'zod';
import { choice, text } from '../../../contract/vocabulary/configured.ts';
import type { Headers } from '../../engine/head/headers.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import type { Response } from '../../engine/message/response.ts';
import { defineFilter } from '../../heap/definition.ts';

const UNAVAILABLE = { code: 'unavailable-field' };
const names = (what: string) =>
  z.array(text()).default([]).describe(`Names of cookies, case-insensitive, that are ${what}.`);

/** Keeps cookies from crossing the gateway. */
export const cookieFilter = defineFilter({
  type: 'CookieFilter',
  summary:
    'Relays cookies between client and application or suppresses them, in both directions. Managing cookies ' +
    '(storing them in the session of the gateway) is not available in this version. It is the default action, so ' +
    'another action must be set.',
  config: z
    .strictObject({
      managed: names('kept in the session: not available in this version').refine((list) => list.length === 0, {
        error: 'to manage cookies is known, but not available in this version',
        params: UNAVAILABLE,
      }),
      suppressed: names('taken out of requests and responses'),
      relayed: names('passed on as they are'),
      defaultAction: choice(['MANAGE', 'RELAY', 'SUPPRESS'])
        .prefault('MANAGE')
        .refine((action) => action !== 'MANAGE', {
          error:
            'MANAGE, which is also the default, is known, but not available in this version: set RELAY or SUPPRESS',
          params: UNAVAILABLE,
        })
        .describe('Action for cookies that no list names.'),
    })
    .check(({ value, issues }) => {
      const suppressed = new Set(value.suppressed.map(lower));
      value.relayed.forEach((name, index) => {
        if (!suppressed.has(lower(name))) return;
        const message = `'${name}' cannot be both suppressed and relayed`;
        issues.push({ code: 'custom', message, input: name, path: ['relayed', index], params: { code: 'exclusive' } });
      });
    }),
  examples: [
    {
      title: 'Suppress two cookies in both directions',
      config: { suppressed: ['tracking', 'debug'], defaultAction: 'RELAY' },
    },
    { title: 'Relay one cookie and no other', config: { relayed: ['JSESSIONID'], defaultAction: 'SUPPRESS' } },
  ],
  create({ suppressed, relayed, defaultAction }) {
    const relays = new Map<string, boolean>([
      ...suppressed.map((name) => [lower(name), false] as const),
      ...relayed.map((name) => [lower(name), true] as const),
    ]);
    const otherwise = defaultAction === 'RELAY';

    function isRelayed(cookie: string): boolean {
      const equals = cookie.indexOf('=');
      const name = equals < 0 ? cookie : cookie.slice(0, equals);
      return relays.get(lower(name.trim())) ?? otherwise;
    }

    function filterRequest(headers: Headers): void {
      if (!headers.has('cookie')) return;
      const cookies = headers.all('cookie').flatMap((line) => line.split(';'));
      const kept = cookies.filter(isRelayed);
      if (kept.length === cookies.length) return;
      headers.delete('cookie');
      const line = kept.map((cookie) => cookie.trim()).filter((cookie) => cookie !== '');
      if (line.length > 0) headers.append('Cookie', line.join('; '));
    }

    function filterLines(headers: Headers, name: string): void {
      const lines = headers.all(name);
      const kept = lines.filter(isSet);
      if (kept.length === lines.length) return;
      headers.delete(name);
      for (const line of kept) headers.append(name, line);
    }

    function isSet(line: string): boolean {
      return isRelayed(line.split(';', 1)[0]!);
    }

    function filterResponse(response: Response, _exchange: Exchange): Response {
      if (response.headers.has('set-cookie')) filterLines(response.headers, 'Set-Cookie');
      if (response.headers.has('set-cookie2')) filterLines(response.headers, 'Set-Cookie2');
      return response;
    }

    return function filterCookies(exchange, next) {
      filterRequest(exchange.request.headers);
      return mapResponse(next(exchange), exchange, filterResponse);
    };
  },
});

function lower(name: string): string {
  return name.toLowerCase();
}
