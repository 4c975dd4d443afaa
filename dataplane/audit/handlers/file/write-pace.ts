/** Keeps writes apart, so that each takes many lines; a stop does not wait. */
export class WritePace {
  private readonly interval: number;
  private next = 0;
  private isHurried = false;
  private wake: (() => void) | null = null;

  /** @param interval between writes, in milliseconds */
  constructor(interval: number) {
    this.interval = interval;
  }

  /** Resolves when the next write may begin. */
  async turn(): Promise<void> {
    const pause = this.next - performance.now();
    if (pause > 0 && !this.isHurried) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        timer = setTimeout(resolve, pause);
      });
      clearTimeout(timer);
      this.wake = null;
    }
    this.next = performance.now() + this.interval;
  }

  /** Ends the pause, and those that would follow. */
  hurry(): void {
    this.isHurried = true;
    this.wake?.();
  }
}
