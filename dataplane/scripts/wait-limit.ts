import { timeNow } from '../engine/wire/clock.ts';
import { Bag, type Held } from './bag.ts';
import { BudgetExceeded } from './script-budget.ts';
import type { RunningScript } from './script-language.ts';

/** Milliseconds that a run may still wait once nobody waits for its result. */
const MOST_UNWANTED = 2000;

/** Ends a run that waits too long. */
export class WaitLimit {
  /** Called when the time is over. */
  reached: (error: BudgetExceeded) => void = () => {};
  readonly #isWanted: () => boolean;
  #wasWanted = true;
  #run: RunningScript | null = null;
  #left: number;
  #held: Held<WaitLimit> | null = null;
  /** Null while it is paused. */
  #since: number | null = null;
  /** Parts of the run that are paused: it may wait for several things at a time. */
  #pauses = 0;

  /** @param isWanted false as soon as nobody waits for the result of the run */
  constructor(milliseconds: number, isWanted: () => boolean = () => true) {
    this.#left = milliseconds;
    this.#isWanted = isWanted;
  }

  begin(run: RunningScript): void {
    this.#run = run;
    if (this.#pauses === 0) this.#count();
  }

  /** The rest of the chain has the request, and its own limits. */
  pause(): void {
    this.#pauses++;
    if (this.#pauses === 1) this.#stop();
  }

  /** Ends one pause. */
  resume(): void {
    this.#pauses--;
    if (this.#pauses === 0 && this.#run !== null) this.#count();
  }

  #count(): void {
    this.#since = timeNow();
    this.#held = waiting.add(this);
    watch();
  }

  #stop(): void {
    if (this.#since === null) return;
    this.#left -= timeNow() - this.#since;
    this.#since = null;
    waiting.delete(this.#held!);
  }

  end(): void {
    this.#stop();
    this.#run = null;
  }

  /** Ends the run if its time is over. */
  look(now: number): void {
    if (this.#since === null) return;
    if (this.#wasWanted && !this.#isWanted()) {
      this.#wasWanted = false;
      this.#left = Math.min(this.#left, now - this.#since + MOST_UNWANTED);
    }
    if (now - this.#since < this.#left) return;
    const run = this.#run;
    this.end();
    run?.expire('timeout');
    this.reached(new BudgetExceeded('timeout'));
  }
}

/** Milliseconds between two looks at all runs: a timer for each run would cost more than many scripts. */
const LOOK_INTERVAL = 50;

const waiting = new Bag<WaitLimit>();
let timer: NodeJS.Timeout | null = null;

function watch(): void {
  timer ??= setInterval(lookAtAll, LOOK_INTERVAL);
}

function lookAtAll(): void {
  const now = performance.now();
  for (const limit of waiting.items()) limit.look(now);
  if (waiting.size > 0 || timer === null) return;
  clearInterval(timer);
  timer = null;
}
