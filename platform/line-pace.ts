export interface LinePaceOptions {
  /** Lines that are written in each interval. */
  readonly most: number;
  /** In milliseconds; a second unless said otherwise. */
  readonly interval?: number;
  /** Milliseconds from any moment on, never going back. */
  readonly now?: () => number;
}

/** Decides which of many log lines are written. The first line after others were left out says how many those were. */
export class LinePace {
  private readonly most: number;
  private readonly interval: number;
  private readonly now: () => number;
  private begun = Number.NEGATIVE_INFINITY;
  private lines = 0;
  private skipped = 0;

  constructor({ most, interval = 1000, now = () => performance.now() }: LinePaceOptions) {
    this.most = most;
    this.interval = interval;
    this.now = now;
  }

  /** Returns the fields that the line needs besides its own, or null when the line is left out. */
  take(): { readonly leftOut?: number } | null {
    const now = this.now();
    if (now - this.begun >= this.interval) {
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
