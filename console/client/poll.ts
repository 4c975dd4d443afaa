import { RestFailure } from './rest-failure.ts';

/** State of something that is loaded again and again. */
export interface Known<T> {
  /** The newest value; null before the first. */
  readonly value: T | null;
  /** When it was loaded, in milliseconds since 1970; 0 before the first. */
  readonly at: number;
  /** Why the last attempt failed; null if it did not. */
  readonly failure: RestFailure | null;
}

/** A machine that is busy with us is asked less often: at most this share of its time. */
const LARGEST_SHARE = 0.05;
/** Milliseconds after the first failure, the second, and so on. */
const PAUSES = [2000, 4000, 8000, 15_000, 30_000];

/** Loads a value while somebody looks at it: again after a pause, after longer ones if it fails, and not in a hidden tab. */
export class Poll<T> {
  known: Known<T> = { value: null, at: 0, failure: null };
  private readonly load: (signal: AbortSignal) => Promise<T>;
  /** Milliseconds between two attempts; 0 for a value that is loaded once. */
  private readonly every: number;
  private readonly listeners = new Set<() => void>();
  private timer = 0;
  private failures = 0;
  private under: AbortController | null = null;

  constructor(load: (signal: AbortSignal) => Promise<T>, every: number) {
    this.load = load;
    this.every = every;
  }

  /** Calls back after every attempt. @returns a function that ends it */
  follow(listener: () => void): () => void {
    if (this.listeners.size === 0) {
      document.addEventListener('visibilitychange', this.seen);
      window.addEventListener('online', this.seen);
      if (this.every > 0 || this.known.value === null) this.refresh();
    }
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      document.removeEventListener('visibilitychange', this.seen);
      window.removeEventListener('online', this.seen);
      this.stop();
    };
  }

  /** Loads now. */
  readonly refresh = (): void => {
    this.stop();
    const under = new AbortController();
    this.under = under;
    void this.attempt(under);
  };

  private readonly seen = (): void => {
    if (document.visibilityState === 'hidden') this.stop();
    else if (this.under === null && (this.every > 0 || this.known.failure !== null)) this.refresh();
  };

  private stop(): void {
    clearTimeout(this.timer);
    this.under?.abort();
    this.under = null;
  }

  private async attempt(under: AbortController): Promise<void> {
    const begun = performance.now();
    let known: Known<T>;
    try {
      known = { value: await this.load(under.signal), at: Date.now(), failure: null };
      this.failures = 0;
    } catch (error) {
      if (under.signal.aborted) return;
      const failure = error instanceof RestFailure ? error : new RestFailure('failed', 0, String(error));
      known = { ...this.known, failure };
      this.failures++;
    }
    if (under.signal.aborted) return;
    this.under = null;
    this.known = known;
    const pause = this.pauseAfter(performance.now() - begun);
    if (pause > 0 && document.visibilityState !== 'hidden') this.timer = window.setTimeout(this.refresh, pause);
    for (const listener of this.listeners) listener();
  }

  private pauseAfter(took: number): number {
    if (this.failures > 0) return PAUSES[Math.min(this.failures, PAUSES.length) - 1]!;
    return this.every === 0 ? 0 : Math.max(this.every, took / LARGEST_SHARE);
  }
}
