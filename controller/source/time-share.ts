/** Keeps work within a share of the time, with some time in reserve: one slow run, as by a collection, delays nothing. */
export class TimeShare {
  private readonly share: number;
  private readonly reserve: number;
  private readonly now: () => number;
  private used = 0;
  private at: number;

  /** @param reserve milliseconds of work that may be done at once */
  constructor(share: number, reserve: number, now: () => number = () => performance.now()) {
    this.share = share;
    this.reserve = reserve;
    this.now = now;
    this.at = now();
  }

  /** Milliseconds until work may be done again. */
  get wait(): number {
    this.settle();
    return Math.max(0, (this.used - this.reserve) / this.share);
  }

  /** Does the work, and counts the time that it takes. */
  spend(work: () => void): void {
    this.settle();
    const began = this.at;
    try {
      work();
    } finally {
      this.used += this.now() - began;
    }
  }

  private settle(): void {
    const now = this.now();
    this.used = Math.max(0, this.used - (now - this.at) * this.share);
    this.at = now;
  }
}
