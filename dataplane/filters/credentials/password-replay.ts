import { z } from 'zod';
import { pattern, text } from '../../../contract/vocabulary/configured.ts';
import { refused } from '../../../contract/vocabulary/field-notes.ts';
import { oneRequired } from '../../../contract/vocabulary/groups.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../../contract/vocabulary/runtime.ts';
import { beginWork, endWork } from '../../../contract/work-budget.ts';
import type { Answer, Exchange, Next } from '../../engine/message/exchange.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import type { Response } from '../../engine/message/response.ts';
import { defineFilter } from '../../heap/definition.ts';
import { replacementFields, replacingRequest } from '../replaced-request.ts';

/** Longest page that is searched, in bytes. */
const MOST_BYTES = 1 << 20;
const PAGE = /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;

/** Signs users in at the login page of an application. */
export const passwordReplayFilter = defineFilter({
  type: 'PasswordReplayFilter',
  summary:
    'Signs users in to an application with a login page: where the application would show that page, the filter sends ' +
    'the login request in place of the request of the user, and the user gets its response. With `loginPage` alone, the ' +
    'login request replaces every request for which it is true. With `loginPageContentMarker`, the application gets the ' +
    'request first, and the login request follows if the marker is found in its response; with both, only requests ' +
    'for which `loginPage` is true are looked at. With `loginPageExtractions`, the filter also gets the page first, and ' +
    'puts what it finds there into `${attributes.extracted}`, such as the hidden field against request forgery. ' +
    'HTML and XHTML pages with at most 1 MiB are searched; other responses pass unchanged.',
  lendsCredentials: true,
  config: z
    .strictObject({
      request: replacementFields.describe('The login request, with the fields of a StaticRequestFilter.'),
      loginPage: runtimeFlag()
        .optional()
        .describe("True for requests of the login page, such as `${request.uri.path == '/login'}`."),
      loginPageContentMarker: pattern()
        .optional()
        .describe('What the content of the login page contains, and of no other page.'),
      credentials: ref('filter')
        .optional()
        .describe('Runs before the login request and finds the credentials, such as a FileAttributesFilter.'),
      loginPageExtractions: z
        .array(
          z.strictObject({
            name: text().describe('Key in `${attributes.extracted}`.'),
            pattern: pattern().describe(
              'What is searched; its first group is the value, or all of it without a group.',
            ),
          }),
        )
        .default([])
        .describe('Values to take from the login page.'),
      headerDecryption: refused(
        'encrypted headers came from CryptoHeaderFilter, which is not available: let a credentials filter find the password',
      ).describe('How OpenIG decrypted credentials in headers.'),
    })
    .check(oneRequired('loginPage', 'loginPageContentMarker')),
  examples: [
    {
      title: 'A form with a hidden token',
      config: {
        loginPage: "${request.uri.path == '/login'}",
        credentials: {
          type: 'FileAttributesFilter',
          config: {
            file: '/etc/gatewarden/users.csv',
            key: 'user',
            value: '${contexts.oauth2.accessToken.info.sub}',
            target: '${attributes.credentials}',
          },
        },
        loginPageExtractions: [{ name: 'csrf', pattern: 'name="csrf" value="([^"]*)"' }],
        request: {
          method: 'POST',
          uri: 'https://app.example.com/login',
          form: {
            username: ['${attributes.credentials.user}'],
            password: ['${attributes.credentials.password}'],
            csrf: ['${attributes.extracted.csrf}'],
          },
        },
      },
    },
  ],
  create(config, parts) {
    const { loginPage, loginPageContentMarker: marker, loginPageExtractions: extractions } = config;
    const replace = replacingRequest(config.request, parts);
    const credentials = config.credentials === undefined ? null : parts.resolve(config.credentials);
    const needsPage = marker !== undefined || extractions.length > 0;

    function logIn(exchange: Exchange, next: Next): Answer {
      const send: Next = (one) => replace(one, next);
      return credentials === null ? send(exchange) : credentials(exchange, send);
    }

    /** All searches of a page together may take the work of one. */
    function found(page: string): Map<string, string> | null {
      const outer = beginWork();
      try {
        if (marker !== undefined && marker.exec(page) === null) return null;
        const values = new Map<string, string>();
        for (const { name, pattern: wanted } of extractions) {
          const groups = wanted.exec(page)?.groups;
          const value = groups?.[groups.length > 1 ? 1 : 0] ?? null;
          if (value !== null) values.set(name, value);
        }
        return values;
      } finally {
        endWork(outer);
      }
    }

    async function look(response: Response, exchange: Exchange, next: Next): Promise<Response> {
      const page = await pageOf(response);
      const values = page === null ? null : found(page);
      if (values === null || exchange.over) return response;
      exchange.attributes.set('extracted', values);
      response.abandon();
      exchange.call?.cancel();
      exchange.goesOn();
      return logIn(exchange, next);
    }

    return function replayPassword(exchange, next) {
      if (loginPage !== undefined && loginPage.read(exchange, null) !== true) return next(exchange);
      if (!needsPage) return logIn(exchange, next);
      return mapResponse(next(exchange), exchange, (response) =>
        PAGE.test(response.headers.get('content-type') ?? '') ? look(response, exchange, next) : response,
      );
    };
  },
});

/** The text of a page; null for one that is too long or cannot be decoded, which the client gets as it is. */
async function pageOf({ entity }: Response): Promise<string | null> {
  const { bytes, whole } = await entity.prefix(MOST_BYTES);
  if (!whole || bytes.length === 0) return null;
  try {
    return await entity.text(MOST_BYTES);
  } catch {
    return null;
  }
}
