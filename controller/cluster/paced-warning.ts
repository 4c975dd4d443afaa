import type { Logger } from 'pino';
import { type Clock, systemClock } from '../clock.ts';

/** How many lines of one kind are written in a second. */
const MOST_LINES = 5;
const SECOND = 1000;

/** A warning that strangers can bring about: so many in a second, the next of which counts those that were left out. */
export class PacedWarning {
  private readonly log: Logger;
  private readonly message: string;
  private readonly clock: Clock;
  private begun = Number.NEGATIVE_INFINITY;
  private lines = 0;
  private leftOut = 0;

  constructor(log: Logger, message: string, clock: Clock = systemClock) {
    this.log = log;
    this.message = message;
    this.clock = clock;
  }

  give(facts: object): void {
    const now = this.clock.steady();
    if (now - this.begun >= SECOND) {
      this.begun = now;
      this.lines = 0;
    }
    if (++this.lines > MOST_LINES) {
      this.leftOut++;
      return;
    }
    this.log.warn(this.leftOut === 0 ? facts : { ...facts, leftOut: this.leftOut }, this.message);
    this.leftOut = 0;
  }
}
