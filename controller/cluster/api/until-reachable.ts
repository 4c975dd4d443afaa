import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { BackOff } from '../../../platform/back-off.ts';
import { ApiError } from './api-error.ts';

/**
 * Asks until the API server can be asked: one that is away for a moment is no reason not to start.
 * @throws ApiError when it answers, and refuses
 */
export async function untilReachable<T>(ask: () => Promise<T>, log: Logger): Promise<T> {
  const backOff = new BackOff({ first: 500, longest: 10_000, jitter: 0.5 });
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isAway = error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
      if (!isAway) throw error;
      log.warn({ error: error.message }, 'API server not reachable, retrying');
      await pause(backOff.next());
    }
  }
}
