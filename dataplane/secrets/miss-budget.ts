/** Fetches that misses may cause in a row. */
const BUDGET = 4;
/** How many parts of the pause pass until one more fetch is allowed. */
const PARTS_OF_PAUSE = 12;
/** Longest time until one more fetch is allowed, so that even an endless pause cannot hold up a key rotation. */
const LONGEST_REFILL = 10_000;
/** Unknown names to remember. A flood of made-up names pushes older ones out, and the budget still holds. */
const MOST_NAMES = 64;

/**
 * Decides whether an unknown key name may cause a fetch. One name causes one fetch per pause; all names together share
 * a budget that refills, so that made-up names neither flood the key server nor delay a real rotation for long.
 */
export class MissBudget {
  private readonly pause: number;
  private readonly refill: number;
  /** When each unknown name may cause a fetch again, the oldest first. */
  private readonly names = new Map<string, number>();
  private left = BUDGET;
  private refilledAt = 0;

  /** @param pause Milliseconds between two fetches that the same name causes. */
  constructor(pause: number) {
    this.pause = pause;
    this.refill = Math.min(pause / PARTS_OF_PAUSE, LONGEST_REFILL);
  }

  /** Spends one fetch. @returns false when `name` must not cause a fetch now. */
  spend(name: string, now: number): boolean {
    if (now < (this.names.get(name) ?? 0)) return false;
    this.addEarned(now);
    if (this.left === 0) return false;
    if (this.left === BUDGET) this.refilledAt = now;
    this.left--;
    this.names.delete(name);
    this.names.set(name, now + this.pause);
    if (this.names.size > MOST_NAMES) this.names.delete(this.names.keys().next().value!);
    return true;
  }

  private addEarned(now: number): void {
    const earned = Math.min(Math.floor((now - this.refilledAt) / this.refill), BUDGET - this.left);
    if (earned <= 0) return;
    this.left += earned;
    this.refilledAt += earned * this.refill;
  }
}
