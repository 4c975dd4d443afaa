import type { z } from 'zod';
import { choice, duration, integer } from '../../../contract/vocabulary/configured.ts';
import { type Reference, ref } from '../../../contract/vocabulary/reference.ts';
import type { Parts, Remark } from '../../heap/definition.ts';
import { type DisconnectionStrategy, disconnectionStrategies } from './disconnection.ts';
import type { TokenCacheOptions } from './token-cache.ts';

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
  amService: ref('amService')
    .optional()
    .describe(
      'Access manager whose notifications remove revoked tokens from the cache: those with the `authGrantId` or ' +
        '`grantId` of the event, which the resolver must provide, and the token with its `tokenId` or `jti`. When a ' +
        'refresh token is revoked, all its access tokens are removed.',
    ),
  onNotificationDisconnection: choice(disconnectionStrategies)
    .optional()
    .describe(
      'Handling of cached tokens while no notifications arrive, also before the first connection. ' +
        '`CLEAR_ON_DISCONNECT`, the default: the cache is cleared and all requests get 401. `NEVER_CLEAR` and ' +
        '`CLEAR_ON_RECONNECT`: cached tokens are accepted and others get 401; the latter clears the cache when ' +
        'notifications arrive again. It has no effect if the AmService has notifications disabled.',
    ),
};

interface GivenSource {
  readonly amService?: Reference<'amService'> | undefined;
  readonly onNotificationDisconnection?: DisconnectionStrategy | undefined;
}

/** Remarks on a strategy without a source of notifications. */
export function strategyRemarks(
  { amService, onNotificationDisconnection }: GivenSource,
  at: readonly string[] = [],
): readonly Remark[] {
  if (amService !== undefined || onNotificationDisconnection === undefined) return [];
  const message = "has no effect: nothing tells of revoked tokens without an 'amService'";
  return [{ at: [...at, 'onNotificationDisconnection'], code: 'no-effect', message }];
}

/** Options of a cache about revocations. */
export function revocationOptions(
  { amService, onNotificationDisconnection: strategy }: GivenSource,
  { resolve, log }: Pick<Parts, 'resolve' | 'log'>,
): Pick<TokenCacheOptions, 'revocations' | 'onDisconnection'> {
  if (amService === undefined) return {};
  const { notifications } = resolve(amService);
  if (notifications === null) {
    log.warn('notifications of the AmService are disabled; revoked tokens stay cached until they expire');
    return {};
  }
  return { revocations: notifications, ...(strategy !== undefined && { onDisconnection: strategy }) };
}

/** The longest time to keep a token. */
export function longestTime(): z.ZodType<z.output<ReturnType<typeof duration>> | undefined, unknown> {
  return duration()
    .optional()
    .describe('Maximum time that a token is cached, even if it expires later. By default until it expires.');
}
