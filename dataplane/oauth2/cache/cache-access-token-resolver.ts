import { z } from 'zod';
import { flag } from '../../../contract/vocabulary/configured.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { defineService } from '../../heap/definition.ts';
import { resolvingBy } from '../../heap/objects/access-tokens.ts';
import { cacheFields, longestTime, revocationOptions, strategyRemarks } from './cache-fields.ts';
import { cacheMeter } from './cache-meter.ts';
import { peekingResolver, showTokens } from './peeked-tokens.ts';
import { TokenCache } from './token-cache.ts';

/** Keeps what another resolver says of good tokens. */
export const cacheAccessTokenResolver = defineService({
  type: 'CacheAccessTokenResolver',
  kind: 'accessTokenResolver',
  summary:
    'Caches the valid access tokens of another resolver, at most until they expire, for all objects that use it. ' +
    'Rejected tokens are not cached. Concurrent requests with the same token share one validation. Whether the ' +
    'client may use the token, for instance by its certificate, is checked for every request. The metrics are ' +
    '`gw_cache_gets_total`, `gw_cache_evictions` and `gw_cache_loads_seconds` with `content="access_token"`.',
  config: z.strictObject({
    delegate: ref('accessTokenResolver').describe('Resolver that validates the tokens.'),
    enabled: flag().default(true).describe('Whether tokens are cached.'),
    maximumTimeToCache: longestTime(),
    ...cacheFields,
    executor: ref('executor').prefault('ScheduledExecutorService').describe('Runs the removal of expired tokens.'),
  }),
  examples: [
    {
      title: 'Cache introspection results for at most five minutes',
      config: {
        delegate: {
          type: 'TokenIntrospectionAccessTokenResolver',
          config: { endpoint: 'https://login.example.com/introspect', providerHandler: 'ForgeRockClientHandler' },
        },
        maximumTimeToCache: '5 minutes',
      },
    },
  ],
  remarks: (config) => strategyRemarks(config),
  create(config, parts) {
    const { delegate, enabled, defaultTimeout, maximumTimeToCache, maximumSize, executor } = config;
    const resolver = parts.resolve(delegate);
    if (!enabled) return resolver;
    if (parts.plane.isDryRun === true) return peekingResolver(resolver, parts);
    const cache = new TokenCache(resolver, {
      defaultTimeout: defaultTimeout.milliseconds,
      maxTimeout: maximumTimeToCache?.milliseconds ?? Number.POSITIVE_INFINITY,
      maximumSize,
      executor: parts.resolve(executor),
      meter: cacheMeter(parts, 'access_token'),
      ...revocationOptions(config, parts),
    });
    parts.onClose(() => cache.close());
    showTokens(cache, parts);
    return {
      ...resolvingBy(resolver, (token, exchange) => cache.resolve(token, exchange)),
      isCached: (token) => cache.has(token, Date.now()),
    };
  },
});
