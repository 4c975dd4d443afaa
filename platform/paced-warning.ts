import { LinePace, type LinePaceOptions } from './line-pace.ts';

/** The part of a logger that a paced warning needs. */
export interface WarningLog {
  warn(facts: object, message: string): void;
}

/** Warning that clients can cause as often as they like: only so many lines of it are written in a second. */
export class PacedWarning {
  private readonly log: WarningLog;
  private readonly message: string;
  private readonly pace: LinePace;

  constructor(log: WarningLog, message: string, pace: LinePaceOptions) {
    this.log = log;
    this.message = message;
    this.pace = new LinePace(pace);
  }

  give(facts: object): void {
    const pace = this.pace.take();
    if (pace !== null) this.log.warn({ ...facts, ...pace }, this.message);
  }
}
