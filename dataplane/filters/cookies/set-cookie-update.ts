import { z } from 'zod';
import { ValueProblem } from '../../../contract/problem.ts';
import { runtimeValue } from '../../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import type { Response } from '../../engine/message/response.ts';
import { defineFilter } from '../../heap/definition.ts';
import { type CookieChange, changePart, cookiePart, cookiePattern, judgeExpression } from './cookie-attributes.ts';
import { readSetCookie, type SetCookie, writeSetCookie } from './set-cookie.ts';

/** Changes the cookies that responses set. */
export const setCookieUpdateFilter = defineFilter({
  type: 'SetCookieUpdateFilter',
  readsLate: true,
  summary:
    'Changes the value and the attributes of cookies that responses set, for instance to make them `Secure`. ' +
    'Rules are applied in the given order. A rule applies to every cookie whose whole name matches its pattern, ' +
    'case-sensitive. `null` removes an attribute. An expression that evaluates to null leaves the attribute ' +
    'unchanged; a value that is not valid for the attribute gives 500.',
  config: z.strictObject({
    cookies: z
      .record(z.string().min(1), z.record(z.string().min(1), runtimeValue()))
      .transform((map, context): CookieChange[] =>
        Object.entries(map).flatMap(([source, attributes]) => {
          const judged = <T>(path: string[], read: () => T): T | null => {
            try {
              return read();
            } catch (error) {
              if (!(error instanceof ValueProblem)) throw error;
              const { code, hint } = error;
              context.issues.push({ code: 'custom', message: error.message, input: map, path, params: { code, hint } });
              return null;
            }
          };
          const pattern = judged([source], () => cookiePattern(source));
          const parts = Object.entries(attributes).flatMap(([attribute, expression]) => {
            const name = judged([source, attribute], () => cookiePart(attribute));
            if (name === null) return [];
            judged([source, attribute], () => judgeExpression(name, expression));
            return [{ name, expression }];
          });
          return pattern === null ? [] : [{ pattern, parts }];
        }),
      )
      .describe(
        'Rules by the pattern of the cookie name: new values for `value`, `domain`, `expires`, `httpOnly`, `maxAge`, ' +
          '`path`, `sameSite` and `secure`, each an expression. `httpOnly` and `secure` are true or false.',
      ),
  }),
  examples: [
    {
      title: 'Make every cookie of a backend Secure',
      config: { cookies: { '.*': { secure: true, httpOnly: true, sameSite: 'Lax' } } },
    },
  ],
  create({ cookies }) {
    function change(cookie: SetCookie, exchange: Exchange, response: Response): boolean {
      let changed = false;
      for (const { pattern, parts } of cookies) {
        if (!pattern.matches(cookie.name)) continue;
        for (const { name, expression } of parts) {
          const value = expression.read(exchange, response);
          if (value === null && expression.compiled !== null) continue;
          changePart(cookie, name, value);
          changed = true;
        }
      }
      return changed;
    }

    const changeCookies = (response: Response, exchange: Exchange): Response => {
      let changed = false;
      const lines = response.headers.all('set-cookie').map((line) => {
        const cookie = readSetCookie(line);
        if (cookie === null || !change(cookie, exchange, response)) return line;
        changed = true;
        return writeSetCookie(cookie);
      });
      if (!changed) return response;
      response.headers.delete('set-cookie');
      for (const line of lines) response.headers.append('Set-Cookie', line);
      return response;
    };
    return (exchange, next) => mapResponse(next(exchange), exchange, changeCookies);
  },
});
