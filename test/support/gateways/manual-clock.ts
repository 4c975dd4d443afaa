import type { Clock } from '../../../platform/clock.ts';

interface Waiting {
  readonly at: number;
  readonly run: () => void;
}

/** Time that passes when it is told to. */
export class ManualClock implements Clock {
  private time = 0;
  private readonly waiting = new Set<Waiting>();
  private readonly epoch: number;

  /** @param epoch what the wall clock shows at the beginning */
  constructor(epoch = Date.UTC(2026, 0, 1)) {
    this.epoch = epoch;
  }

  wall(): number {
    return this.epoch + this.time;
  }

  steady(): number {
    return this.time;
  }

  after(milliseconds: number, run: () => void): () => void {
    const waiting = { at: this.time + milliseconds, run };
    this.waiting.add(waiting);
    return () => this.waiting.delete(waiting);
  }

  /** How many things wait for their time. */
  get pending(): number {
    return this.waiting.size;
  }

  /** Lets time pass, and what is due happen in its order; what promises bring about happens in between. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    await settled();
    for (;;) {
      const next = [...this.waiting].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.waiting.delete(next);
      this.time = Math.max(this.time, next.at);
      next.run();
      await settled();
    }
    this.time = end;
    await settled();
  }
}

/** Everything that follows from what has happened, without time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
