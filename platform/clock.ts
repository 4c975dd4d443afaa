/** The longest delay that a timer of Node.js takes, in milliseconds: a later moment is waited for in steps. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Time for code that waits. Tests hand in a clock of their own. */
export interface Clock {
  /** Milliseconds since 1970, for times that other programs read. */
  wall(): number;
  /** Milliseconds that never go back, for durations. */
  steady(): number;
  /** Runs something later. @returns a function that cancels it */
  after(milliseconds: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  wall: () => Date.now(),
  steady: () => performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
