import type { Clock } from '../../../platform/clock.ts';
import { RefillingBudget } from '../../../platform/refilling-budget.ts';

/** What a plane may say at once: a hello and reports of 50,000 routes, and the bodies of many. */
const MOST_BYTES = 64 * 1024 * 1024;
/** What it may say in a millisecond all the time: more than reports of 50,000 routes need. */
const BYTES_PER_MILLISECOND = 2 * 1024;
/** What a message costs beside its bytes. */
const MESSAGE_COST = 2 * 1024;

/** How much a plane may say, so that one that floods its controller does not keep it from others. */
export class MessageBudget {
  private readonly budget: RefillingBudget;

  constructor(clock: Clock) {
    this.budget = new RefillingBudget({ most: MOST_BYTES, perMillisecond: BYTES_PER_MILLISECOND }, clock);
  }

  /** Takes what a message costs. @returns whether there was enough left */
  take(bytes: number): boolean {
    return this.budget.take(bytes + MESSAGE_COST);
  }
}
