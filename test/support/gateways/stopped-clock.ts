import { onTestFinished, vi } from 'vitest';

/** The clock of the engine, stopped for the rest of the test: no deadline passes before the test says so. */
export class StoppedClock {
  private now = performance.now();

  constructor() {
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => this.now);
    onTestFinished(() => clock.mockRestore());
  }

  /** Lets time pass again and again until a promise settles: what arrives meanwhile moves deadlines on. */
  async passUntil<T>(settled: Promise<T>, milliseconds: number): Promise<T> {
    const pass = setInterval(() => {
      this.now += milliseconds;
    }, 100);
    try {
      return await settled;
    } finally {
      clearInterval(pass);
    }
  }
}
