import type { Executor } from '../../../dataplane/heap/objects/executor.ts';

interface HeldTask {
  readonly delay: number;
  run(): void | Promise<void>;
  cancelled: boolean;
}

/** Runs a task when the test says that its time has come. */
export class HeldExecutor implements Executor {
  /** Everything that was ever scheduled, in order. */
  readonly tasks: HeldTask[] = [];
  private waiting: (() => void)[] = [];

  schedule(run: () => void | Promise<void>, delay: number): () => void {
    const task: HeldTask = { delay, run, cancelled: false };
    this.tasks.push(task);
    for (const wake of this.waiting.splice(0)) wake();
    return () => {
      task.cancelled = true;
    };
  }

  repeat(): () => void {
    throw new Error('nothing here is repeated');
  }

  /** Waits until this many tasks have been scheduled. */
  async until(count: number): Promise<void> {
    while (this.tasks.length < count) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** The time of the last task has come. */
  run(): void {
    const task = this.tasks.at(-1)!;
    if (!task.cancelled) void task.run();
  }
}
