/** How fast something moves, looked at now and then. */
export class Progress {
  private moved = 0;
  private since = 0;

  /** Starts over: what comes is something else. */
  restart(): void {
    this.since = 0;
  }

  /** @returns bytes per second since the last look, or infinity when that was less than `grace` milliseconds ago. */
  rate(now: number, moved: number, grace: number): number {
    const elapsed = now - this.since;
    if (this.since !== 0 && elapsed < grace) return Number.POSITIVE_INFINITY;
    const rate = this.since === 0 ? Number.POSITIVE_INFINITY : ((moved - this.moved) * 1000) / elapsed;
    this.since = now;
    this.moved = moved;
    return rate;
  }
}
