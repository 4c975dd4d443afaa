/** The longest that a server may ask for, in milliseconds: more is likely a mistake. */
const MOST_ASKED = 120_000;

export interface BackOffOptions {
  /** In milliseconds: the most that the first pause can be. */
  readonly base: number;
  /** In milliseconds: the most that any pause can be that no server asked for. */
  readonly cap: number;
  /** From 0 up to 1. */
  random(): number;
}

/**
 * How long to wait before trying again: anything up to a bound that doubles with each failure, so that many who failed
 * together do not come back together.
 */
export class BackOff {
  private readonly options: BackOffOptions;
  private failures = 0;

  constructor(options: BackOffOptions) {
    this.options = options;
  }

  /** Something went well. */
  reset(): void {
    this.failures = 0;
  }

  /**
   * @param asked how long the server asks to be left alone, in milliseconds: never less than that, within reason
   * @param cap the most that this pause can be, if less than usual
   */
  next(asked: number | null = null, cap = this.options.cap): number {
    const { base, random } = this.options;
    const bound = Math.min(cap, base * 2 ** this.failures);
    if (bound < cap) this.failures++;
    const pause = random() * bound;
    return asked === null ? pause : Math.min(asked, MOST_ASKED) + pause;
  }
}
