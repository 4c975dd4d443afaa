import { z } from 'zod';
import { duration, flag, integer } from '../../../contract/vocabulary/configured.ts';
import { printable } from '../../../contract/vocabulary/printable.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import type { Parts } from '../../heap/definition.ts';
import { cacheMeter } from '../../oauth2/cache/cache-meter.ts';
import type { AnswerCacheOptions } from '../cache/answer-cache.ts';
import { realm } from '../service/realm.ts';

const profileCache = z.strictObject({
  enabled: flag().default(false).describe('Whether profiles are cached.'),
  executor: ref('executor').prefault('ScheduledExecutorService').describe('Runs the removal of expired profiles.'),
  maximumSize: integer({ min: 1, max: 16_000_000 })
    .default(10_000)
    .describe('Maximum number of cached profiles in each unit of the gateway.'),
  maximumTimeToCache: duration()
    .prefault('1 minute')
    .describe('Time that a profile is cached. No notification tells of changed profiles.'),
});

/** Fields of a UserProfileService. */
export const profileFields = z.strictObject({
  amService: ref('amService').describe('Access manager of the users.'),
  realm: realm().optional().describe('Realm of the users; by default that of the AmService.'),
  profileAttributes: z
    .array(printable())
    .optional()
    .describe('Names of the attributes to read; by default all that the agent may read.'),
  cache: profileCache
    .optional()
    .describe(
      'Cache of profiles. The metrics are `gw_cache_gets_total`, `gw_cache_evictions` and `gw_cache_loads_seconds` ' +
        'with `content="user_profile"`.',
    ),
});

/** The cache that a configuration asks for, or null. */
export function profileCacheOptions(
  config: z.output<typeof profileCache> | undefined,
  parts: Parts,
): AnswerCacheOptions | null {
  if (config?.enabled !== true) return null;
  return {
    maximumSize: config.maximumSize,
    maximumTimeToCache: config.maximumTimeToCache.milliseconds,
    executor: parts.resolve(config.executor),
    meter: cacheMeter(parts, 'user_profile'),
    notifications: null,
    onDisconnection: 'NEVER_CLEAR',
  };
}
