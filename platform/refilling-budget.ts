import type { Clock } from './clock.ts';

export interface BudgetTerms {
  /** How much there is at first and at most. */
  readonly most: number;
  /** How much comes back in a millisecond. */
  readonly perMillisecond: number;
}

/** An amount that is used up and comes back with time: much at once, and less all the time. */
export class RefillingBudget {
  private readonly terms: BudgetTerms;
  private readonly clock: Clock;
  private left: number;
  private at: number;

  constructor(terms: BudgetTerms, clock: Clock) {
    this.terms = terms;
    this.clock = clock;
    this.left = terms.most;
    this.at = clock.steady();
  }

  /** Takes an amount if it is there. @returns whether it was */
  take(amount: number): boolean {
    this.refill();
    if (this.left < amount) return false;
    this.left -= amount;
    return true;
  }

  /** Takes a whole number, or as many as are there. @returns how many */
  takeUpTo(most: number): number {
    this.refill();
    const taken = Math.min(most, Math.floor(this.left));
    this.left -= taken;
    return taken;
  }

  /** Takes an amount that was used already, even if it is not there. */
  charge(amount: number): void {
    this.refill();
    this.left = Math.max(-this.terms.most, this.left - amount);
  }

  private refill(): void {
    const { most, perMillisecond } = this.terms;
    const now = this.clock.steady();
    this.left = Math.min(most, this.left + (now - this.at) * perMillisecond);
    this.at = now;
  }
}
