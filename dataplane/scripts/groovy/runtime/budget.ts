import { BudgetExceeded, type BudgetLimits, type Excess } from '../../script-budget.ts';
import type { Budget } from '../values/java-class.ts';
import { meter, setMeter } from '../values/meter.ts';

/** Work between two looks at the clock. */
const UNITS_PER_LOOK = 2000;

/** Work that surely takes longer than a millisecond. */
const UNITS_PER_MILLISECOND = 50_000;

export class RunBudget implements Budget {
  readonly limits: BudgetLimits;
  /** Once exceeded, every further operation fails, also in `finally`. */
  exceeded: Excess | null = null;
  readonly #stretch: number;
  #units = 0;
  #bytes = 0;
  #isReleased = false;
  /** Work while no script runs. */
  #late = 0;
  #spent = 0;
  #since: number | null = null;
  /** Budget of a script that called this one, and runs on when this one waits or ends. */
  #before: Budget | null = null;
  /** Processor time of this thread at the first look at the clock since the run began or ran on, in microseconds. */
  #processor: number | null = null;

  constructor(limits: BudgetLimits) {
    this.limits = limits;
    this.#stretch = Math.min(limits.stretch ?? limits.milliseconds, limits.milliseconds);
  }

  /** The script begins to run, or runs on after it waited. */
  resume(): void {
    this.#since = performance.now();
    this.#processor = null;
    this.#before = meter();
    setMeter(this);
  }

  /** The script waits or is over. @returns the milliseconds since it ran on */
  pause(): number {
    const stretch = this.#since === null ? 0 : Math.min(performance.now() - this.#since, this.#processorTime());
    this.#spent += stretch;
    this.#since = null;
    setMeter(this.#before);
    this.#before = null;
    return stretch;
  }

  /** Ends the run from outside: it fails as soon as it runs on. */
  expire(limit: Excess): void {
    this.exceeded ??= limit;
  }

  /** The run is over: its bytes count no more. */
  release(): void {
    const { pool } = this.limits;
    if (pool !== undefined && !this.#isReleased) pool.used -= this.#bytes;
    this.#isReleased = true;
  }

  /** Bytes that the run has made. */
  get made(): number {
    return this.#bytes;
  }

  spend(units: number): void {
    if (this.#since === null) {
      this.#spendLate(units);
      return;
    }
    this.#units += units;
    if (!(this.#units < UNITS_PER_LOOK) || this.exceeded !== null) this.#look(this.#since, units);
  }

  /** A closure that outlives its run works for the run that calls it; results are also looked at by the gateway. */
  #spendLate(units: number): void {
    const running = meter();
    if (running !== null && running !== this) {
      running.spend(units);
      return;
    }
    this.#late += units;
    if (this.#late > this.#stretch * UNITS_PER_MILLISECOND) this.exceeded ??= 'time';
    if (this.exceeded !== null) throw new BudgetExceeded(this.exceeded);
  }

  #look(since: number, units: number): void {
    this.#units = 0;
    if (this.exceeded !== null) throw new BudgetExceeded(this.exceeded);
    // An operation that cannot be interrupted is charged before it runs, and must fit into the rest of the stretch.
    const ahead = units / UNITS_PER_MILLISECOND;
    const isFirst = this.#processor === null;
    const running = performance.now() - since;
    if (isFirst) this.#processor = processorNow();
    if (this.#fits(running + ahead)) return;
    // On a busy machine other programs run meanwhile: only the time of the processor is the script's own.
    const used = isFirst ? 0 : Math.min(running, this.#processorTime());
    if (this.#fits(used + ahead)) return;
    this.exceeded = 'time';
    throw new BudgetExceeded('time');
  }

  #fits(milliseconds: number): boolean {
    return milliseconds <= this.#stretch && this.#spent + milliseconds <= this.limits.milliseconds;
  }

  #processorTime(): number {
    return this.#processor === null ? Number.POSITIVE_INFINITY : (processorNow() - this.#processor) / 1000;
  }

  allocate(bytes: number): void {
    const running = meter();
    if (this.#since === null && running !== null && running !== this) {
      running.allocate(bytes);
      return;
    }
    this.#bytes += bytes;
    const { pool } = this.limits;
    if (pool !== undefined && !this.#isReleased) pool.used += bytes;
    if (!(this.#bytes <= this.limits.bytes) || (pool !== undefined && pool.used > pool.limit)) {
      this.exceeded ??= 'memory';
      throw new BudgetExceeded(this.exceeded);
    }
    this.spend(1 + bytes / 64);
  }
}

function processorNow(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
