import type { Logger } from 'pino';

/** How long warnings of one kind wait for each other, in milliseconds. */
const INTERVAL = 1000;

/** A warning that many requests can bring about: at most one a second, which counts those that were left out. */
export class RepeatedWarning {
  private readonly log: Logger;
  private readonly message: string;
  private last = Number.NEGATIVE_INFINITY;
  private leftOut = 0;

  constructor(log: Logger, message: string) {
    this.log = log;
    this.message = message;
  }

  give(reason: string): void {
    const now = performance.now();
    if (now - this.last < INTERVAL) {
      this.leftOut++;
      return;
    }
    const { leftOut } = this;
    this.last = now;
    this.leftOut = 0;
    this.log.warn({ reason, ...(leftOut > 0 && { leftOut }) }, this.message);
  }
}
