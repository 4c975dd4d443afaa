import { z } from 'zod';
import { duration, flag, text, url } from '../../contract/vocabulary/configured.ts';
import { refused } from '../../contract/vocabulary/field-notes.ts';
import type { Reference } from '../../contract/vocabulary/reference.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import type { Filter } from '../engine/message/exchange.ts';
import { defineFilter, type Parts } from '../heap/definition.ts';
import { isNqText } from '../heap/objects/access-tokens.ts';
import { denials } from '../heap/objects/denials.ts';
import { Verdicts } from '../heap/objects/verdicts.ts';
import { cacheFields, longestTime, revocationOptions, strategyRemarks } from './cache/cache-fields.ts';
import { cacheMeter } from './cache/cache-meter.ts';
import { peekingResolver, showTokens } from './cache/peeked-tokens.ts';
import { TokenCache } from './cache/token-cache.ts';
import { Challenge } from './challenge.ts';
import { ProtectedResource, resourceMetadataFields } from './protected-resource.ts';
import { hasSpace, requiredScopes, scopeEntry } from './required-scopes.ts';
import { ResourceServer, type ResourceServerOptions, tokenDenials } from './resource-server.ts';
import { StepUp } from './step-up.ts';

const DEFAULT_REALM = 'gatewarden';

const isPrintable = (name: string): boolean => /^[\x20-\x7e]+$/.test(name);

/** Lets requests pass that carry an access token which is good for them. */
export const oauth2ResourceServerFilter = defineFilter({
  type: 'OAuth2ResourceServerFilter',
  aliases: ['OAuth2RSFilter'],
  summary:
    'Passes a request on if it has `Authorization: Bearer` with an access token that the resolver accepts, that ' +
    'has not expired and that has all required scopes. The token is then in `contexts.oauth2.accessToken`, with ' +
    '`info`, `token`, `scopes` and `expiresAt`. All other requests get an empty response with a challenge in ' +
    '`WWW-Authenticate`: 401 without a token or with an invalid one, 400 for several tokens or if the ' +
    'authorization server finds the request invalid, 403 if a scope is missing. A request without HTTPS gets 403 ' +
    'without a challenge; 503 means that the token cannot be validated at the moment. The header is passed on to ' +
    'the application unchanged. Rejected requests are counted by `reason` in `gw_denied_total`. The metrics of ' +
    'the cache are `gw_cache_gets_total`, `gw_cache_evictions` and `gw_cache_loads_seconds` with ' +
    '`content="access_token"`.',
  config: z.strictObject({
    accessTokenResolver: ref('accessTokenResolver').describe(
      'Resolver that validates the token and returns its claims.',
    ),
    scopes: z
      .union([z.array(scopeEntry()), ref('resourceAccess')])
      .describe(
        'Required scopes; a token must have all of them. Each item is a scope, a list of scopes, or an expression ' +
          'that evaluates to one of these; any other result gives 500. With an empty array every valid token passes.',
      ),
    requireHttps: flag()
      .default(true)
      .describe(
        'Whether the client must use HTTPS. Behind a trusted proxy, the protocol that the proxy reports counts.',
      ),
    realm: text()
      .refine(isPrintable, 'must be made of printable ASCII characters')
      .default(DEFAULT_REALM)
      .describe('Realm in challenges.'),
    cache: z
      .strictObject({
        enabled: flag().default(false).describe('Whether tokens are cached.'),
        maxTimeout: longestTime(),
        ...cacheFields,
      })
      .optional()
      .describe('Cache of valid tokens. Without a cache every request validates the token again.'),
    executor: ref('executor')
      .prefault('ScheduledExecutorService')
      .describe('Runs the removal of expired tokens from the cache.'),
    resourceMetadata: z
      .union([url(), resourceMetadataFields])
      .optional()
      .describe(
        'Tells clients which authorization server to use (RFC 9728), by `resource_metadata` in challenges. The value ' +
          'is the URL of a metadata document, or the metadata itself, which the gateway then serves without a token at ' +
          '`/.well-known/oauth-protected-resource` and the path of `resource`. The route of the filter gets these ' +
          'requests regardless of its condition; a filter in the heap of `config.json` gets those that reach it.',
      ),
    acrValues: z
      .array(text().refine(isNqText, 'must be made of printable ASCII characters without spaces and quotation marks'))
      .min(1)
      .optional()
      .describe(
        'Authentication context classes; the `acr` of the token must be one of them. Otherwise 401 requests a ' +
          'step-up (RFC 9470).',
      ),
    maxAge: duration({ max: '10000 days' })
      .optional()
      .describe(
        'Maximum time since the user authenticated (`auth_time` of the token). Otherwise 401 requests a new ' +
          'authentication.',
      ),
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
      title: 'Token introspection with a cache of five minutes',
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
    if (cache === undefined) return withSpace;
    const remarks = [...withSpace, ...strategyRemarks(cache, ['cache'])];
    if (cache.enabled || cache.maxTimeout === undefined) return remarks;
    const inVain = "has no effect: 'cache.enabled' is false, and no token is kept";
    return [...remarks, { at: ['cache', 'maxTimeout'], code: 'no-effect' as const, message: inVain }];
  },
  create(config, parts) {
    const given = parts.resolve(config.accessTokenResolver);
    const isKept = config.cache?.enabled === true;
    const isPeeked = isKept && parts.plane.isDryRun === true;
    const resolver = isPeeked ? peekingResolver(given, parts) : given;
    const { cache: kept, realm, resourceMetadata, acrValues, maxAge, requireHttps } = config;
    const resource =
      resourceMetadata === undefined || resourceMetadata instanceof URL
        ? null
        : new ProtectedResource(resourceMetadata, resolver.schemes ?? []);
    if (resource !== null) parts.plane.claim?.(resource.place);
    const server = new ResourceServer({
      resolver,
      cache: isKept && !isPeeked ? filterCache() : null,
      challenge: new Challenge({
        realm,
        resourceMetadata: resourceMetadata instanceof URL ? resourceMetadata.href : (resource?.url ?? null),
        others: resolver.challenges ?? [],
      }),
      scopes: scopesOf(config.scopes, parts),
      stepUp: StepUp.of({ acrValues, maxAge: maxAge?.milliseconds }),
      denials: denials(parts, tokenDenials),
      verdicts: new Verdicts(parts),
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
        ...revocationOptions(kept!, parts),
      });
      parts.onClose(() => made.close());
      showTokens(made, parts);
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
