export interface PacedWorkOptions {
  /** Milliseconds that one turn of the event loop may take for it; what begins before they are over is finished. */
  readonly perTurn: number;
  readonly mostWaiting: number;
  /** Milliseconds from any moment on, never going back. */
  readonly now?: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn?: (callback: () => void) => unknown;
}

interface Waiting {
  readonly work: () => boolean;
  readonly resolve: (result: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does work that takes the processor for long, a little in each turn of the event loop, so that everybody else gets a
 * turn too. It is done in the order in which it came.
 */
export class PacedWork {
  private readonly perTurn: number;
  private readonly mostWaiting: number;
  private readonly now: () => number;
  private readonly nextTurn: (callback: () => void) => unknown;
  private waiting: Waiting[] = [];
  /** How many of those that wait are done. */
  private done = 0;
  /** Milliseconds used in this turn. */
  private used = 0;
  private isTurnAwaited = false;
  private readonly turn = (): void => this.takeTurn();

  constructor({ perTurn, mostWaiting, now = () => performance.now(), nextTurn = setImmediate }: PacedWorkOptions) {
    this.perTurn = perTurn;
    this.mostWaiting = mostWaiting;
    this.now = now;
    this.nextTurn = nextTurn;
  }

  /** Whether no more can wait. */
  get isFull(): boolean {
    return this.waiting.length - this.done >= this.mostWaiting;
  }

  /** Does it at once while this turn has time for it, and later otherwise; whoever sees it full must not ask. */
  run(work: () => boolean): boolean | Promise<boolean> {
    this.awaitTurn();
    if (this.waiting.length === 0 && this.used < this.perTurn) return this.timed(work);
    return new Promise((resolve, reject) => this.waiting.push({ work, resolve, reject }));
  }

  private takeTurn(): void {
    this.isTurnAwaited = false;
    this.used = 0;
    while (this.done < this.waiting.length && this.used < this.perTurn) this.finish(this.waiting[this.done++]!);
    if (this.done === this.waiting.length || this.done >= this.mostWaiting) {
      this.waiting = this.waiting.slice(this.done);
      this.done = 0;
    }
    if (this.used > 0 || this.waiting.length > 0) this.awaitTurn();
  }

  private finish({ work, resolve, reject }: Waiting): void {
    try {
      resolve(this.timed(work));
    } catch (error) {
      reject(error);
    }
  }

  private timed(work: () => boolean): boolean {
    const begun = this.now();
    try {
      return work();
    } finally {
      this.used += this.now() - begun;
    }
  }

  private awaitTurn(): void {
    if (this.isTurnAwaited) return;
    this.isTurnAwaited = true;
    this.nextTurn(this.turn);
  }
}
