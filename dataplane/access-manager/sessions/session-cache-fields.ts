import { z } from 'zod';
import { choice, duration, flag, integer } from '../../../contract/vocabulary/configured.ts';
import { printable } from '../../../contract/vocabulary/printable.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { disconnectionStrategies } from '../../oauth2/cache/disconnection.ts';

/** Cached sessions where a configuration does not say how many, and at most. */
const DEFAULT_SIZE = 100_000;
const LARGEST_SIZE = 16_000_000;

/** Fields of an AmService about the sessions of users. */
export const sessionFields = {
  sessionCache: z
    .strictObject({
      enabled: flag()
        .default(false)
        .describe('Caches valid sessions. Without it each request asks the access manager.'),
      executor: ref('executor').prefault('ScheduledExecutorService').describe('Runs the removal of expired sessions.'),
      maximumSize: integer({ min: 1, max: LARGEST_SIZE })
        .default(DEFAULT_SIZE)
        .describe(
          'Maximum number of cached sessions in each unit of the gateway. Beyond it, or above 4 KiB per session on ' +
            'average, the oldest are removed.',
        ),
      maximumTimeToCache: duration()
        .optional()
        .describe(
          'Maximum time that a session is cached. By default until `maxIdleExpirationTime` or ' +
            '`maxSessionExpirationTime`, whichever is first, and one minute where the access manager names neither.',
        ),
      onNotificationDisconnection: choice(disconnectionStrategies)
        .default('CLEAR_ON_DISCONNECT')
        .describe(
          'Handling of cached sessions while no notifications arrive. With each, requests with a session that is not ' +
            'cached are refused meanwhile. Without notifications it has no effect.',
        ),
    })
    .optional()
    .describe(
      'Cache of sessions. Notifications about a session evict it. The metrics are `gw_cache_gets_total`, ' +
        '`gw_cache_evictions` and `gw_cache_loads_seconds` with `content="session"`.',
    ),
  sessionIdleRefresh: z
    .strictObject({
      enabled: flag().default(false).describe('Refreshes the idle time of sessions that are in use.'),
      interval: duration({ max: '2 hours' })
        .prefault('5 minutes')
        .describe('Time between two refreshes of one session by this data plane.'),
    })
    .optional()
    .describe(
      'Keeps sessions from timing out at the access manager while their users use applications behind the gateway. The ' +
        'agent must be allowed to refresh sessions; OpenAM lets only administrators.',
    ),
  sessionProperties: z
    .array(printable())
    .optional()
    .describe(
      'Names of session properties for the contexts of filters; by default all that the access manager returns. ' +
        'The access manager returns only properties of its allow-list.',
    ),
};

/** The fields as they are read. */
export type SessionSettings = z.output<z.ZodObject<typeof sessionFields>>;
