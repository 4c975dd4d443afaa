/** Runs tasks later; what it has not begun when it is closed never runs. A task that fails is logged. */
export interface Executor {
  /** Runs the task after this many milliseconds; the result cancels it. */
  schedule(task: () => void | Promise<void>, delay: number): () => void;
  /** Runs the task again and again, with this many milliseconds between its end and its next beginning. */
  repeat(task: () => void | Promise<void>, interval: number): () => void;
}
