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
    .describe('How long a token is kept that says nothing of its end; zero: not at all.'),
  maximumSize: integer({ min: 1, max: LARGEST_SIZE })
    .default(DEFAULT_SIZE)
    .describe(
      'Most tokens to keep, in each unit of the gateway. When there are more, or they take more than 4 KiB each on ' +
        'average, those go that came first.',
    ),
  amService: unavailable('AmService reference').describe('Tells of tokens that were revoked.'),
  onNotificationDisconnection: noEffect(
    choice(['NEVER_CLEAR', 'CLEAR_ON_DISCONNECT', 'CLEAR_ON_RECONNECT']),
    'nothing tells of revoked tokens without an `amService`',
  ).describe('What becomes of kept tokens when revocations cannot be heard.'),
};

/** The longest time to keep a token. */
export function longestTime(): z.ZodType<z.output<ReturnType<typeof duration>> | undefined, unknown> {
  return duration()
    .optional()
    .describe('How long a token is kept at most, also one that lasts longer. By default until its end.');
}
