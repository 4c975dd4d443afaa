import { type Clock, systemClock } from '../clock.ts';
import { type BudgetTerms, RefillingBudget } from '../refilling-budget.ts';
import type { AdminGuard } from './admin-guard.ts';

/** Budgets that are remembered; the one that was used least recently is forgotten. */
const MOST_CALLERS = 1000;

export interface CallRateOptions {
  /** Calls of one caller. */
  readonly each: BudgetTerms;
  /** Calls of all callers together. */
  readonly all: BudgetTerms;
  readonly clock?: Clock;
}

/** Limits the calls of each caller, and those of all together. */
export class CallRate {
  private readonly options: CallRateOptions;
  private readonly clock: Clock;
  private readonly all: RefillingBudget;
  private readonly callers = new Map<string, RefillingBudget>();

  constructor(options: CallRateOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.all = new RefillingBudget(options.all, this.clock);
  }

  /** Counts a call. @returns false if the caller must wait */
  take(caller: string): boolean {
    const budget = this.callers.get(caller) ?? new RefillingBudget(this.options.each, this.clock);
    this.callers.delete(caller);
    this.callers.set(caller, budget);
    if (this.callers.size > MOST_CALLERS) this.callers.delete(this.callers.keys().next().value!);
    return budget.take(1) && this.all.take(1);
  }

  /** Counts the milliseconds of a call that took long as calls. */
  charge(milliseconds: number): void {
    this.all.charge(milliseconds);
  }
}

/** Calls of Common REST on an admin port: they may use a fifth of the time of its thread, which answers probes too. */
export const CREST_RATE: Omit<CallRateOptions, 'clock'> = {
  each: { most: 500, perMillisecond: 0.1 },
  all: { most: 1000, perMillisecond: 0.2 },
};

/** Admits the callers of a guard as long as their addresses do not ask too often. */
export function rateGuard(guard: AdminGuard, rate: CallRate): AdminGuard {
  return {
    async admit(request, path) {
      const refusal = await guard.admit(request, path);
      if (refusal !== null || rate.take(request.socket.remoteAddress ?? '')) return refusal;
      return { status: 429, message: 'too many requests', headers: { 'retry-after': '1' } };
    },
  };
}
