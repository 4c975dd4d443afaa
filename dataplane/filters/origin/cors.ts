import { z } from 'zod';
import { duration, flag, text } from '../../../contract/vocabulary/configured.ts';
import { deprecated } from '../../../contract/vocabulary/field-notes.ts';
import { exclusive, oneRequired } from '../../../contract/vocabulary/groups.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import type { Answer, Exchange } from '../../engine/message/exchange.ts';
import { mapResponseAlone } from '../../engine/message/reply.ts';
import type { Response } from '../../engine/message/response.ts';
import { isToken } from '../../engine/wire/bytes.ts';
import { defineFilter, type Remark } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import { type CorsGrant, type CorsPolicy, corsGrants } from './cors-grant.ts';
import { varyByOrigin } from './vary.ts';
import { canonicalOrigin, originIsAt, webOrigin } from './web-origin.ts';

const origins = z.union([z.literal('*'), z.array(webOrigin()).min(1)]);
const method = word('a method');
const header = word('the name of a header');
const methods = z.union([z.literal('*'), z.array(method)]);
const headers = z.union([z.literal('*'), z.array(header)]);

/** A text that can stand in a list of a response header. */
function word(what: string) {
  return text().refine(isToken, { error: ({ input }) => `'${input}' is not ${what}` });
}

const policy = z
  .strictObject({
    acceptedOrigins: origins.optional().describe('Origins whose pages may send requests, or `*` for all. Required.'),
    origins: deprecated(origins, "'acceptedOrigins'").describe('The former name of `acceptedOrigins`.'),
    acceptedMethods: methods
      .default([])
      .describe('Methods, case-sensitive, or `*`. `GET`, `HEAD` and `POST` need not be named.'),
    acceptedHeaders: headers.default([]).describe('Names of request headers, or `*`.'),
    exposedHeaders: z.array(header).default([]).describe('Names of response headers that scripts may read.'),
    maxAge: duration({ zero: true })
      .optional()
      .describe('How long a browser may cache the response to a preflight request.'),
    allowCredentials: flag().default(false).describe('Whether requests may include cookies and other credentials.'),
  })
  .check(oneRequired('acceptedOrigins', 'origins'), exclusive('acceptedOrigins', 'origins'))
  .check(
    rulesAbout(['acceptedOrigins', 'origins', 'allowCredentials'], (value, add) => {
      if (!value.allowCredentials || (value.acceptedOrigins ?? value.origins) !== '*') return;
      const message =
        'cannot be true where every origin is accepted: any page could act as its visitor; name the origins';
      add(['allowCredentials'], message, 'exclusive');
    }),
  );

/** Methods that browsers send in upper case, however a page spells them (Fetch Standard, 'normalize'). */
const UPPER_CASE: readonly string[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'];

function unsentMethod(name: string, policy: number, index: number): readonly Remark[] {
  const sent = name.toUpperCase();
  if (name === sent || !UPPER_CASE.includes(sent)) return [];
  const message = `has no effect: methods are case-sensitive, and browsers send '${sent}'`;
  return [{ at: ['policies', policy, 'acceptedMethods', index], code: 'no-effect', message }];
}

/** Lets pages of other origins use what is behind it. */
export const corsFilter = defineFilter({
  type: 'CorsFilter',
  summary:
    'Applies cross-origin resource sharing (CORS) policies. The first policy that accepts the origin of a ' +
    'request applies. The filter answers preflight requests. Other requests are passed on, and the CORS headers ' +
    'of their responses replace those of the backend. A request goes to the failure handler if no policy accepts ' +
    'its origin, or if the policy does not accept its method or a header. Requests without `Origin`, or with the ' +
    'origin of the gateway itself, are passed on unchanged.',
  config: z.strictObject({
    policies: z.array(policy).min(1).describe('Policies in the order in which they are tried.'),
    failureHandler: ref('handler')
      .optional()
      .describe('Handler of requests that no policy accepts; by default an empty 403.'),
  }),
  examples: [
    {
      title: 'One application, with its cookies',
      config: {
        policies: [
          {
            acceptedOrigins: ['https://app.example.com'],
            acceptedMethods: ['GET', 'POST', 'PUT', 'DELETE'],
            acceptedHeaders: ['Content-Type', 'X-CSRF-Token'],
            exposedHeaders: ['X-CSRF-Token'],
            maxAge: '10 minutes',
            allowCredentials: true,
          },
        ],
      },
    },
  ],
  remarks({ policies }) {
    return policies.flatMap(({ acceptedMethods }, index) =>
      acceptedMethods === '*' ? [] : acceptedMethods.flatMap((name, at) => unsentMethod(name, index, at)),
    );
  },
  create({ policies, failureHandler }, parts) {
    const denied = denials(parts, ['origin'], failureHandler);
    const grants = corsGrants(
      policies.map(
        ({ acceptedOrigins, origins, ...rest }): CorsPolicy => ({
          ...rest,
          origins: acceptedOrigins ?? origins ?? [],
        }),
      ),
    );

    let lastOrigin: string | null = null;
    let lastGrant: CorsGrant | null = null;

    function grantFor(origin: string): CorsGrant | null {
      if (origin === lastOrigin) return lastGrant; // most requests come from the pages of one application
      const canonical = canonicalOrigin(origin);
      lastGrant = (canonical === null ? undefined : grants.byOrigin.get(canonical)) ?? grants.forAny;
      lastOrigin = origin;
      return lastGrant;
    }

    function refuse(exchange: Exchange, origin: string, reason: string): Answer {
      const { method, headers } = exchange.request;
      const asked = (name: string) => headers.get(`access-control-request-${name}`);
      const inputs = () => ({ origin, method, requestMethod: asked('method'), requestHeaders: asked('headers') });
      return denied.refuse(exchange, 'origin', inputs, reason);
    }

    function isOwn(origin: string, exchange: Exchange): boolean {
      const canonical = canonicalOrigin(origin);
      return canonical !== null && originIsAt(canonical, exchange.router.originalUri.authority);
    }

    return function shareAcrossOrigins(exchange, next) {
      const { headers, method } = exchange.request;
      const origin = headers.get('origin');
      if (origin === null) return mapResponseAlone(next(exchange), exchange, varies);
      const grant = grantFor(origin);
      const asked = method === 'OPTIONS' ? headers.get('access-control-request-method') : null;
      if (grant === null) {
        const own = asked === null && isOwn(origin, exchange);
        return mapResponseAlone(own ? next(exchange) : refuse(exchange, origin, UNKNOWN_ORIGIN), exchange, varies);
      }
      if (asked !== null) {
        const answer = grant.preflight(asked, headers.get('access-control-request-headers'));
        return answer ?? mapResponseAlone(refuse(exchange, origin, REFUSED_PREFLIGHT), exchange, varies);
      }
      if (method !== 'OPTIONS' && !grant.acceptsMethod(method)) {
        return mapResponseAlone(refuse(exchange, origin, REFUSED_METHOD), exchange, varies);
      }
      return mapResponseAlone(next(exchange), exchange, grant.share);
    };
  },
});

const UNKNOWN_ORIGIN = 'no policy accepts the origin';
const REFUSED_PREFLIGHT = 'the policy of the origin does not accept the method or a header of the preflight request';
const REFUSED_METHOD = 'the policy of the origin does not accept the method';

function varies(response: Response): Response {
  varyByOrigin(response.headers);
  return response;
}
