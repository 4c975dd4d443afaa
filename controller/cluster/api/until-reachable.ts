import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ApiError } from './api-error.ts';

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/**
 * Asks until the API server can be asked: one that is away for a moment is no reason not to start.
 * @throws ApiError when it answers, and refuses
 */
export async function untilReachable<T>(ask: () => Promise<T>, log: Logger): Promise<T> {
  for (let wait = FIRST_PAUSE; ; wait = Math.min(LONGEST_PAUSE, wait * 2)) {
    try {
      return await ask();
    } catch (error) {
      const isAway = error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
      if (!isAway) throw error;
      log.warn({ error: error.message }, 'API server not reachable, retrying');
      await pause(wait / 2 + (Math.random() * wait) / 2);
    }
  }
}
