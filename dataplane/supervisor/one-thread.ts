import type { Logger } from 'pino';
import type { Serving } from '../unit/unit-messages.ts';

/**
 * Most routes of a unit in the thread of its supervisor. Metrics, updates and status of many routes take a thread for
 * hundreds of milliseconds, and requests would wait.
 */
export const MOST_ROUTES = 100;

/** Tells if the supervisor has time for requests beside what is served. */
export function fitsOneThread(serving: Serving): boolean {
  return serving.kind === 'backend' || serving.update.set.length <= MOST_ROUTES;
}

/** Warns, once, when there are more routes than one thread should serve. */
export class CrowdedThread {
  private readonly log: Logger;
  private isReported = false;

  constructor(log: Logger) {
    this.log = log;
  }

  /** @param routes how many are served by the thread of the supervisor */
  check(routes: number): void {
    if (this.isReported || routes <= MOST_ROUTES) return;
    this.isReported = true;
    this.log.warn(
      { routes, most: MOST_ROUTES },
      'too many routes for one thread: requests wait during updates and scrapes; restart to serve them from a thread of their own',
    );
  }
}
