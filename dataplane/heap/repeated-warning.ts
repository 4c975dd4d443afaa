import type { Logger } from 'pino';
import { LinePace } from './line-pace.ts';

/** A warning that many requests can bring about: at most one a second, which counts those that were left out. */
export class RepeatedWarning {
  private readonly log: Logger;
  private readonly message: string;
  private readonly pace = new LinePace(1);

  constructor(log: Logger, message: string) {
    this.log = log;
    this.message = message;
  }

  give(reason: string): void {
    const pace = this.pace.take();
    if (pace !== null) this.log.warn({ reason, ...pace }, this.message);
  }
}
