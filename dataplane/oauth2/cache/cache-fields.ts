import type { z } from 'zod';
import { choice, duration, integer } from '../../../contract/vocabulary/configured.ts';
import { noEffect, unavailable } from '../../../contract/vocabulary/field-notes.ts';

/** Tokens that a cache holds where nobody says how many. */
export const DEFAULT_SIZE = 100_000;
/** More entries than a table of the runtime can have. */
const LARGEST_SIZE = 16_000_000;

/** Fields that all caches of access tokens share. */
export const cacheFields = {
  defaultTimeout: duration({ zero: true, unlimited: true })
    .prefault('1 minute')
    .describe('How long a token without an expiry is cached; zero disables caching of such tokens.'),
  maximumSize: integer({ min: 1, max: LARGEST_SIZE })
    .default(DEFAULT_SIZE)
    .describe(
      'Maximum number of cached tokens in each unit of the gateway. Beyond it, or above 4 KiB per token on ' +
        'average, the oldest tokens are removed.',
    ),
  amService: unavailable('AmService reference').describe('Source of notifications about revoked tokens.'),
  onNotificationDisconnection: noEffect(
    choice(['NEVER_CLEAR', 'CLEAR_ON_DISCONNECT', 'CLEAR_ON_RECONNECT']),
    'nothing tells of revoked tokens without an `amService`',
  ).describe('Handling of cached tokens while no notifications about revocations arrive.'),
};

/** The longest time to keep a token. */
export function longestTime(): z.ZodType<z.output<ReturnType<typeof duration>> | undefined, unknown> {
  return duration()
    .optional()
    .describe('Maximum time that a token is cached, even if it expires later. By default until it expires.');
}
