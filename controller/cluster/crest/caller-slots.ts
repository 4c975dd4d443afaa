import { unavailable } from './caller-review.ts';

/** Work that one caller, and all callers together, may have under way. */
export interface SlotLimits {
  readonly each: number;
  readonly all: number;
}

/** Limits expensive work at a time, so that no caller keeps a controller busy. */
export class CallerSlots {
  private readonly limits: SlotLimits;
  private readonly taken = new Map<string, number>();
  private all = 0;

  constructor(limits: SlotLimits) {
    this.limits = limits;
  }

  /** @throws CrestError 503 while too much is under way */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const own = this.taken.get(caller) ?? 0;
    if (own >= this.limits.each) throw unavailable('too many of your requests of this kind are under way');
    if (this.all >= this.limits.all) throw unavailable('too many requests of this kind are under way');
    this.taken.set(caller, own + 1);
    this.all++;
    try {
      return await work();
    } finally {
      this.all--;
      const left = this.taken.get(caller)! - 1;
      if (left > 0) this.taken.set(caller, left);
      else this.taken.delete(caller);
    }
  }
}
