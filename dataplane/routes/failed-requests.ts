import type { Logger } from 'pino';

/** Lines in one second; clients can cause as many failures as they like. */
const MOST_LINES = 10;
const SECOND = 1000;

/** Logs requests that failed inside of the gateway: the first ones of a second, and then how many were left out. */
export class FailedRequests {
  private readonly log: Pick<Logger, 'error'>;
  private readonly now: () => number;
  private begun = Number.NEGATIVE_INFINITY;
  private lines = 0;
  private leftOut = 0;

  constructor(log: Pick<Logger, 'error'>, now: () => number = () => performance.now()) {
    this.log = log;
    this.now = now;
  }

  add(route: string, error: unknown): void {
    const now = this.now();
    if (now - this.begun >= SECOND) {
      this.begun = now;
      this.lines = 0;
    }
    if (++this.lines > MOST_LINES) {
      this.leftOut++;
      return;
    }
    const { leftOut } = this;
    this.leftOut = 0;
    this.log.error({ route, err: error, ...(leftOut > 0 && { leftOut }) }, 'a request failed');
  }
}
