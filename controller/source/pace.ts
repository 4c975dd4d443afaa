/** Runs something at once when it is asked for, and then at most once in every gap, the last time after the last ask. */
export class Pace {
  private readonly run: () => void;
  private readonly gap: () => number;
  private timer: NodeJS.Timeout | null = null;
  private isWanted = false;

  /** @param gap in milliseconds; a function is asked before every run */
  constructor(gap: number | (() => number), run: () => void) {
    this.gap = typeof gap === 'number' ? () => gap : gap;
    this.run = run;
  }

  ask(): void {
    if (this.timer !== null) {
      this.isWanted = true;
      return;
    }
    this.timer = setTimeout(() => {
      this.timer = null;
      if (!this.isWanted) return;
      this.isWanted = false;
      this.ask();
    }, this.gap());
    this.run();
  }

  /** Forgets what was asked for. */
  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.isWanted = false;
  }
}
