import { z } from 'zod';
import { duration, flag, text, url } from '../../contract/vocabulary/configured.ts';
import { refused } from '../../contract/vocabulary/field-notes.ts';
import type { Reference } from '../../contract/vocabulary/reference.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import type { Filter } from '../engine/message/exchange.ts';
import { defineFilter, type Parts } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import { cacheFields, longestTime } from './cache/cache-fields.ts';
import { cacheMeter } from './cache/cache-meter.ts';
import { TokenCache } from './cache/token-cache.ts';
import { Challenge } from './challenge.ts';
import { ProtectedResource, resourceMetadataFields } from './protected-resource.ts';
import { hasSpace, requiredScopes, scopeEntry } from './required-scopes.ts';
import { ResourceServer, type ResourceServerOptions, tokenDenials } from './resource-server.ts';
import { StepUp } from './step-up.ts';

const DEFAULT_REALM = 'gatewarden';

const isPrintable = (name: string): boolean => /^[\x20-\x7e]+$/.test(name);
const isScope = (name: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name);

/** Lets requests pass that carry an access token which is good for them. */
export const oauth2ResourceServerFilter = defineFilter({
  type: 'OAuth2ResourceServerFilter',
  aliases: ['OAuth2RSFilter'],
  summary:
    'Lets a request pass if it carries `Authorization: Bearer` and an access token that the resolver vouches for, that ' +
    'has not expired and that has all required scopes. What is known of the token is then ' +
    '`contexts.oauth2.accessToken`, with `info`, `token`, `scopes` and `expiresAt`. Everything else is answered with ' +
    'an empty body and a challenge in `WWW-Authenticate`: 401 without a token or with one that is not valid, 400 where ' +
    'several tokens are sent or the authorization server takes the request for an invalid one, 403 where a scope is ' +
    'missing. A request that came without HTTPS gets 403 and no challenge, and 503 says that the token cannot be judged ' +
    'at the time. The header goes on to the application as it came. Requests that do not pass are counted by `reason` ' +
    'in `gw_denied_total`. The metrics of the cache are ' +
    '`gw_cache_gets_total`, `gw_cache_evictions` and `gw_cache_loads_seconds` with `content="access_token"`.',
  config: z.strictObject({
    accessTokenResolver: ref('accessTokenResolver').describe('Says what a token is worth.'),
    scopes: z
      .union([z.array(scopeEntry()), ref('resourceAccess')])
      .describe(
        'Scopes that a token must have, all of them: each a scope, a list of scopes, or an expression that gives one or ' +
          'the other. An expression that gives anything else is answered with 500. An empty array asks for none, and ' +
          'every good token passes.',
      ),
    requireHttps: flag()
      .default(true)
      .describe('Whether the client must have used HTTPS, also where a trusted proxy says what it used.'),
    realm: text()
      .refine(isPrintable, 'must be made of printable ASCII characters')
      .default(DEFAULT_REALM)
      .describe('Realm in challenges.'),
    cache: z
      .strictObject({
        enabled: flag().default(false).describe('Whether tokens are kept at all.'),
        maxTimeout: longestTime(),
        ...cacheFields,
      })
      .optional()
      .describe('Keeps what the resolver says of good tokens. Without it every request is a question.'),
    executor: ref('executor').prefault('ScheduledExecutorService').describe('Takes expired tokens out of the cache.'),
    resourceMetadata: z
      .union([url(), resourceMetadataFields])
      .optional()
      .describe(
        'Tells clients which authorization server to ask (RFC 9728), by `resource_metadata` in challenges: the URL of ' +
          'a document elsewhere, or the metadata themselves, which the gateway then serves without a token at ' +
          '`/.well-known/oauth-protected-resource` and the path of `resource`. The route of the filter gets these ' +
          'requests whatever its condition says; a filter in the heap of `config.json` gets those that reach it.',
      ),
    acrValues: z
      .array(text().refine(isScope, 'must be made of printable ASCII characters without spaces and quotation marks'))
      .min(1)
      .optional()
      .describe(
        'Authentication context classes, one of which the token must have as `acr`. Otherwise 401 asks for a step up ' +
          '(RFC 9470).',
      ),
    maxAge: duration({ max: '10000 days' })
      .optional()
      .describe('How long ago the user may have authenticated, by `auth_time` of the token. Otherwise 401, as before.'),
    tokenInfoEndpoint: refused(
      "an 'accessTokenResolver' judges tokens, such as a TokenIntrospectionAccessTokenResolver with its 'endpoint'",
    ).describe('A field of earlier versions of OpenIG.'),
    providerHandler: refused('it is a field of the TokenIntrospectionAccessTokenResolver').describe(
      'A field of earlier versions of OpenIG.',
    ),
    cacheExpiration: refused('write \'cache\': { "enabled": true, "maxTimeout": … }').describe(
      'A field of earlier versions of OpenIG.',
    ),
  }),
  examples: [
    {
      title: 'Ask an authorization server, and remember what it says for five minutes at most',
      config: {
        accessTokenResolver: {
          type: 'TokenIntrospectionAccessTokenResolver',
          config: { endpoint: 'https://login.example.com/introspect', providerHandler: 'ForgeRockClientHandler' },
        },
        scopes: ['orders:read'],
        cache: { enabled: true, maxTimeout: '5 minutes' },
      },
    },
    {
      title: 'Tell clients where to get a token',
      config: {
        accessTokenResolver: {
          type: 'TokenIntrospectionAccessTokenResolver',
          config: { endpoint: 'https://login.example.com/introspect', providerHandler: 'ForgeRockClientHandler' },
        },
        scopes: ['orders:read'],
        resourceMetadata: {
          resource: 'https://api.example.com/orders',
          authorizationServers: ['https://login.example.com'],
          scopesSupported: ['orders:read', 'orders:write'],
        },
      },
    },
  ],
  remarks({ scopes, cache }) {
    const message = 'holds a space, which separates scopes: write each of them by itself';
    const withSpace = Array.isArray(scopes)
      ? scopes.flatMap((entry, index) => (hasSpace(entry) ? [{ at: ['scopes', index], message }] : []))
      : [];
    if (cache === undefined || cache.enabled || cache.maxTimeout === undefined) return withSpace;
    const inVain = "has no effect: 'cache.enabled' is false, and no token is kept";
    return [...withSpace, { at: ['cache', 'maxTimeout'], code: 'no-effect' as const, message: inVain }];
  },
  create(config, parts) {
    const resolver = parts.resolve(config.accessTokenResolver);
    const { cache: kept, realm, resourceMetadata, acrValues, maxAge, requireHttps } = config;
    const resource =
      resourceMetadata === undefined || resourceMetadata instanceof URL
        ? null
        : new ProtectedResource(resourceMetadata, resolver.schemes ?? []);
    if (resource !== null) parts.plane.claim?.(resource.place);
    const server = new ResourceServer({
      resolver,
      cache: kept?.enabled === true ? filterCache() : null,
      challenge: new Challenge({
        realm,
        resourceMetadata: resourceMetadata instanceof URL ? resourceMetadata.href : (resource?.url ?? null),
        others: resolver.challenges ?? [],
      }),
      scopes: scopesOf(config.scopes, parts),
      stepUp: StepUp.of({ acrValues, maxAge: maxAge?.milliseconds }),
      denials: denials(parts, tokenDenials),
      log: parts.log,
    });
    const judge: Filter = requireHttps ? requiringHttps() : (exchange, next) => server.judge(exchange, next);
    return resource === null ? judge : (exchange, next) => resource.answer(exchange) ?? judge(exchange, next);

    function requiringHttps(): Filter {
      const insecure = denials(parts, ['no-https']);
      return (exchange, next) => {
        const { scheme } = exchange.router.originalUri;
        if (scheme === 'https') return server.judge(exchange, next);
        return insecure.answer(exchange, 'no-https', () => ({ scheme }));
      };
    }

    function filterCache(): TokenCache {
      const made = new TokenCache(resolver, {
        defaultTimeout: kept!.defaultTimeout.milliseconds,
        maxTimeout: kept!.maxTimeout?.milliseconds ?? Number.POSITIVE_INFINITY,
        maximumSize: kept!.maximumSize,
        executor: parts.resolve(config.executor),
        meter: cacheMeter(parts, 'access_token'),
      });
      parts.onClose(() => made.close());
      return made;
    }
  },
});

type Scopes = Parameters<typeof requiredScopes>[0] | Reference<'resourceAccess'>;

function scopesOf(scopes: Scopes, parts: Parts): ResourceServerOptions['scopes'] {
  if (!('kind' in scopes)) return requiredScopes(scopes);
  const access = parts.resolve(scopes);
  return (exchange) => {
    const needed = access.scopes(exchange);
    return needed instanceof Promise ? needed.then((known) => [...known]) : [...needed];
  };
}
