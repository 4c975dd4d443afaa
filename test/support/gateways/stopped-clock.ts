import { onTestFinished, vi } from 'vitest';
import { unwatch, watch } from '../../../dataplane/engine/wire/sweep.ts';
import { untilStill } from '../clients/event-loop.ts';

/** The clock of the engine, stopped for the rest of the test: no deadline passes before the test says so. */
export class StoppedClock {
  private now = performance.now();

  constructor() {
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => this.now);
    onTestFinished(() => clock.mockRestore());
  }

  /** Moves the clock only: the engine looks at its deadlines later. */
  move(milliseconds: number): void {
    this.now += milliseconds;
  }

  /** Lets time pass, until the engine has looked at its deadlines and the other side has read what was sent for them. */
  async pass(milliseconds: number): Promise<void> {
    this.move(milliseconds);
    await swept();
    await untilStill(() => 0);
  }

  /** Lets time pass again and again until a promise settles: what arrives meanwhile moves deadlines on. */
  async passUntil<T>(settled: Promise<T>, milliseconds: number): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    settled.then(settle, settle);
    while (!isSettled) await this.pass(milliseconds);
    return settled;
  }
}

/** Resolves when the engine has looked at all deadlines. */
function swept(): Promise<void> {
  return new Promise((resolve) => {
    const item = {
      deadline: 0,
      slot: -1,
      overdue(): void {
        unwatch(item);
        resolve();
      },
    };
    watch(item);
  });
}
