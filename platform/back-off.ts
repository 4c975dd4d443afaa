/** The longest pause that a server may ask for, in milliseconds: more is likely a mistake. */
const MOST_ASKED = 120_000;

/** Doublings after which a pause only grows beyond what numbers hold. */
const MOST_DOUBLINGS = 40;

export interface BackOffOptions {
  /** Longest first pause, in milliseconds. */
  readonly first: number;
  /** Longest pause that no server asked for, in milliseconds. */
  readonly longest: number;
  /** Part of each pause that chance decides, from 0 (none) to 1 (all of it). */
  readonly jitter: number;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

/** Returns how long to wait after so many failures before the last one: twice as long each time, and never all alike. */
export function pauseAfter(failures: number, { first, longest, jitter, random = Math.random }: BackOffOptions): number {
  const bound = Math.min(longest, first * 2 ** Math.min(failures, MOST_DOUBLINGS));
  return jitter === 0 ? bound : bound * (1 - jitter + jitter * random());
}

/**
 * Pauses between attempts. Each is up to twice as long as the one before, and chance spreads them, so that clients that
 * failed together do not come back together.
 */
export class BackOff {
  private readonly options: BackOffOptions;
  private failures = 0;

  constructor(options: BackOffOptions) {
    this.options = options;
  }

  /** An attempt went well: the next pause is a first one. */
  reset(): void {
    this.failures = 0;
  }

  /**
   * Returns the pause after another failure.
   * @param asked how long the server asks to be left alone, in milliseconds: the pause comes on top of it
   * @param longest the limit of this pause, if lower than usual
   */
  next(asked: number | null = null, longest = this.options.longest): number {
    const pause = pauseAfter(this.failures, { ...this.options, longest });
    // A lower limit must not let the pauses grow unseen, up to the usual one.
    if (this.options.first * 2 ** this.failures < longest) this.failures++;
    return asked === null ? pause : Math.min(asked, MOST_ASKED) + pause;
  }
}
