/** Time, as what waits sees it. Tests hand in one of their own. */
export interface Clock {
  /** Milliseconds since 1970, for what others read. */
  wall(): number;
  /** Milliseconds that never go back, for how long something took. */
  steady(): number;
  /** Runs something later. @returns what calls it off */
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
