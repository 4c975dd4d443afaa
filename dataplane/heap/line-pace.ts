/** How long the lines of one kind are counted together, in milliseconds. */
const SECOND = 1000;

/** Says which of many lines are written: so many in a second. The next one after others were left out tells how many. */
export class LinePace {
  private readonly most: number;
  private readonly now: () => number;
  private begun = Number.NEGATIVE_INFINITY;
  private lines = 0;
  private skipped = 0;

  constructor(most: number, now: () => number = () => performance.now()) {
    this.most = most;
    this.now = now;
  }

  /** What the line says of those before it, or null when it is left out itself. */
  take(): { readonly leftOut?: number } | null {
    const now = this.now();
    if (now - this.begun >= SECOND) {
      this.begun = now;
      this.lines = 0;
    }
    if (++this.lines > this.most) {
      this.skipped++;
      return null;
    }
    const leftOut = this.skipped;
    this.skipped = 0;
    return leftOut > 0 ? { leftOut } : {};
  }
}
