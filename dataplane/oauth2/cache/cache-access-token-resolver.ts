import { z } from 'zod';
import { flag } from '../../../contract/vocabulary/configured.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { defineService } from '../../heap/definition.ts';
import { resolvingBy } from '../../heap/objects/access-tokens.ts';
import { cacheFields, longestTime } from './cache-fields.ts';
import { cacheMeter } from './cache-meter.ts';
import { TokenCache } from './token-cache.ts';

/** Keeps what another resolver says of good tokens. */
export const cacheAccessTokenResolver = defineService({
  type: 'CacheAccessTokenResolver',
  kind: 'accessTokenResolver',
  summary:
    'Keeps what another resolver says of good access tokens, until they expire at the latest, for all objects that use ' +
    'it. What is refused is not kept, and requests that need the same token at a time wait for one answer. Whether a ' +
    'client may use a token, such as by its certificate, is asked for every request. Its metrics are ' +
    '`gw_cache_gets_total`, `gw_cache_evictions` and `gw_cache_loads_seconds` with `content="access_token"`.',
  config: z.strictObject({
    delegate: ref('accessTokenResolver').describe('The resolver that is asked.'),
    enabled: flag().default(true).describe('Whether tokens are kept at all.'),
    maximumTimeToCache: longestTime(),
    ...cacheFields,
    executor: ref('executor').prefault('ScheduledExecutorService').describe('Takes expired tokens out.'),
  }),
  examples: [
    {
      title: 'Remember what an authorization server says for five minutes at most',
      config: {
        delegate: {
          type: 'TokenIntrospectionAccessTokenResolver',
          config: { endpoint: 'https://login.example.com/introspect', providerHandler: 'ForgeRockClientHandler' },
        },
        maximumTimeToCache: '5 minutes',
      },
    },
  ],
  create({ delegate, enabled, defaultTimeout, maximumTimeToCache, maximumSize, executor }, parts) {
    const resolver = parts.resolve(delegate);
    if (!enabled) return resolver;
    const cache = new TokenCache(resolver, {
      defaultTimeout: defaultTimeout.milliseconds,
      maxTimeout: maximumTimeToCache?.milliseconds ?? Number.POSITIVE_INFINITY,
      maximumSize,
      executor: parts.resolve(executor),
      meter: cacheMeter(parts, 'access_token'),
    });
    parts.onClose(() => cache.close());
    return resolvingBy(resolver, (token, exchange) => cache.resolve(token, exchange));
  },
});
