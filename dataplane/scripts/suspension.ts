import { BackOff } from '../../platform/back-off.ts';
import { Bag, type Held } from './bag.ts';
import type { RunningScript } from './script-language.ts';

/** Runs in a row that exceed their budget before the script is suspended. */
const PATIENCE = 3;

/** Suspends a script that exceeds its budget again and again: each time longer, until a run ends within its budget. */
export class Suspension {
  readonly #backOff = new BackOff({ first: 1000, longest: 60_000, jitter: 0 });
  readonly #running = new Bag<RunningScript>();
  readonly #now: () => number;
  #excesses = 0;
  #until = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get isOn(): boolean {
    return this.#until !== 0 && this.#now() < this.#until;
  }

  /** True from the first suspension until a run ends within its budget. */
  get isStruck(): boolean {
    return this.#until > 0;
  }

  began(run: RunningScript): Held<RunningScript> {
    return this.#running.add(run);
  }

  ended(run: Held<RunningScript>): void {
    this.#running.delete(run);
  }

  /** A run ended within its budget. */
  passed(): void {
    if (this.isOn) return;
    this.#excesses = 0;
    this.#until = 0;
    this.#backOff.reset();
  }

  /** A run exceeded its budget. @returns the milliseconds of a suspension that begins now, or null */
  exceeded(): number | null {
    this.#excesses++;
    if (this.#excesses < PATIENCE || this.isOn) return null;
    const pause = this.#backOff.next();
    this.#until = this.#now() + pause;
    // Runs that wait would take the thread one after the other as soon as they run on.
    for (const run of this.#running.items()) run.expire('time');
    return pause;
  }
}
