import type { Logger } from 'pino';
import { LinePace } from '../../platform/line-pace.ts';

/** Lines in one second; clients can cause as many failures as they like. */
const MOST_LINES = 10;

/** Logs requests that failed inside of the gateway: the first ones of a second, and then how many were left out. */
export class FailedRequests {
  private readonly log: Pick<Logger, 'error'>;
  private readonly pace: LinePace;

  constructor(log: Pick<Logger, 'error'>, now?: () => number) {
    this.log = log;
    this.pace = new LinePace({ most: MOST_LINES, ...(now && { now }) });
  }

  add(route: string, error: unknown): void {
    const pace = this.pace.take();
    if (pace !== null) this.log.error({ route, err: error, ...pace }, 'request failed');
  }
}
