import type { Clock } from '../../../platform/clock.ts';
import { type BudgetTerms, RefillingBudget } from '../../../platform/refilling-budget.ts';

export interface FairTurnsOptions {
  readonly clock: Clock;
  /** Runs at a time, of all and of one party. */
  readonly atOnce: number;
  readonly ofOne: number;
  /** Runs of one party that wait or run, and all that wait. */
  readonly mostOfOne: number;
  readonly mostWaiting: number;
  /** Milliseconds that a run waits for its turn. */
  readonly patience: number;
  /** Runs that may begin in a time; without it as many as there are places for. */
  readonly pace?: BudgetTerms;
}

interface Party {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Milliseconds until another look at the pace. */
const PACE_INTERVAL = 10;

/** Runs so many at a time. Parties take turns, so that one with many runs does not delay the others. */
export class FairTurns {
  private readonly options: FairTurnsOptions;
  private readonly pace: RefillingBudget | null;
  /** The party that had no turn for the longest time is the first. */
  private readonly parties = new Map<string, Party>();
  private running = 0;
  private waiting = 0;
  private isPaused = false;

  constructor(options: FairTurnsOptions) {
    this.options = options;
    this.pace = options.pace === undefined ? null : new RefillingBudget(options.pace, options.clock);
  }

  /** Runs something when it is the turn of its party. @returns null if too many wait, or if it waits too long */
  async run<T>(name: string, run: () => Promise<T>): Promise<{ readonly result: T } | null> {
    if (!(await this.enter(name))) return null;
    try {
      return { result: await run() };
    } finally {
      this.leave(name);
    }
  }

  private enter(name: string): Promise<boolean> {
    const { clock, mostOfOne, mostWaiting, patience } = this.options;
    const party = this.parties.get(name) ?? { running: 0, waiting: new Set() };
    if (party.waiting.size + party.running >= mostOfOne || this.waiting >= mostWaiting) return Promise.resolve(false);
    this.parties.set(name, party);
    return new Promise((resolve) => {
      const begin = (): void => {
        callOff();
        resolve(true);
      };
      const callOff = clock.after(patience, () => {
        if (!party.waiting.delete(begin)) return;
        this.waiting--;
        this.forget(name, party);
        resolve(false);
      });
      party.waiting.add(begin);
      this.waiting++;
      this.next();
    });
  }

  private leave(name: string): void {
    const party = this.parties.get(name)!;
    party.running--;
    this.running--;
    this.forget(name, party);
    this.next();
  }

  private next(): void {
    const { atOnce, ofOne } = this.options;
    while (this.running < atOnce && !this.isPaused) {
      const turn = this.parties.entries().find(([, one]) => one.waiting.size > 0 && one.running < ofOne);
      if (turn === undefined) return;
      if (this.pace?.take(1) === false) {
        this.pause();
        return;
      }
      const [name, party] = turn;
      this.parties.delete(name);
      this.parties.set(name, party);
      const [begin] = party.waiting;
      party.waiting.delete(begin!);
      party.running++;
      this.running++;
      this.waiting--;
      begin!();
    }
  }

  private pause(): void {
    this.isPaused = true;
    this.options.clock.after(PACE_INTERVAL, () => {
      this.isPaused = false;
      this.next();
    });
  }

  private forget(name: string, { running, waiting }: Party): void {
    if (running === 0 && waiting.size === 0) this.parties.delete(name);
  }
}
