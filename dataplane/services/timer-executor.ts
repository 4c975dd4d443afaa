import { LONGEST_TIMER } from '../../platform/clock.ts';
import type { Executor } from '../heap/objects/executor.ts';

type Task = () => void | Promise<void>;

/** An executor on the timers of one event loop. Its timers keep no process alive. */
export class TimerExecutor implements Executor {
  private readonly failed: (error: unknown) => void;
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly running = new Set<Promise<void>>();
  private closed = false;

  /** `failed` hears of tasks that threw; a repeated one goes on. */
  constructor(failed: (error: unknown) => void) {
    this.failed = failed;
  }

  schedule(task: Task, delay: number): () => void {
    return this.after(delay, () => void this.run(task));
  }

  repeat(task: Task, interval: number): () => void {
    let over = false;
    let cancel = (): void => {};
    const again = (): void => {
      if (!over) cancel = this.after(interval, () => void this.run(task).then(again));
    };
    again();
    return () => {
      over = true;
      cancel();
    };
  }

  /** Begins nothing more and waits for what runs, at most this long. @returns how many tasks still run. */
  async close(grace: number): Promise<number> {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    if (this.running.size > 0 && grace > 0) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        if (Number.isFinite(grace)) timer = setTimeout(resolve, Math.min(grace, LONGEST_TIMER));
      });
      await Promise.race([Promise.all(this.running), late]);
      clearTimeout(timer);
    }
    return this.running.size;
  }

  /** @returns what cancels it. */
  private after(delay: number, begin: () => void): () => void {
    let timer: NodeJS.Timeout | null = null;
    const wait = (left: number): void => {
      if (this.closed) return;
      const now = Math.min(left, LONGEST_TIMER);
      const fired = setTimeout(() => {
        this.timers.delete(fired);
        if (left > now) wait(left - now);
        else begin();
      }, now);
      fired.unref();
      this.timers.add(fired);
      timer = fired;
    };
    wait(delay);
    return () => {
      if (timer === null) return;
      clearTimeout(timer);
      this.timers.delete(timer);
    };
  }

  /** Runs a task whose failure ends nothing else. */
  private run(task: Task): Promise<void> {
    const done = Promise.try(task)
      .catch(this.failed)
      .finally(() => this.running.delete(done));
    this.running.add(done);
    return done;
  }
}
