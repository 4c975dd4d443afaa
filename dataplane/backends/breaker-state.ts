const OPEN_UNTIL_BYTES = BigInt64Array.BYTES_PER_ELEMENT;
const COUNTERS = { openings: 0, next: 1, inARow: 2 } as const;
const WINDOW_AT = OPEN_UNTIL_BYTES + 4 * Int32Array.BYTES_PER_ELEMENT;

/**
 * A circuit that many threads see. Every change is one atomic step, so that a thread that dies in the middle leaves
 * nothing locked; outcomes that arrive at the same moment may be counted in either order.
 */
export class BreakerState {
  private readonly until: BigInt64Array;
  private readonly counters: Int32Array;
  /** The last outcomes, 1 for a failure; empty where failures are counted in a row. */
  private readonly window: Uint8Array;
  private readonly maxFailures: number;

  /** How much memory a window of this size needs. */
  static bytes(size: number): number {
    return WINDOW_AT + size;
  }

  constructor(memory: SharedArrayBuffer, maxFailures: number) {
    this.until = new BigInt64Array(memory, 0, 1);
    this.counters = new Int32Array(memory, OPEN_UNTIL_BYTES, 4);
    this.window = new Uint8Array(memory, WINDOW_AT);
    this.maxFailures = maxFailures;
  }

  /** When the circuit is to be closed, in nanoseconds on the clock of the process; 0 when it is closed. */
  get openUntil(): bigint {
    return Atomics.load(this.until, 0);
  }

  /** How often it has been opened: what began before an opening says nothing of the time after it. */
  get openings(): number {
    return Atomics.load(this.counters, COUNTERS.openings);
  }

  /** A request succeeded that began after this many openings. */
  succeeded(openings: number): void {
    if (this.openings !== openings) return;
    if (this.window.length > 0) this.remember(0);
    else if (Atomics.load(this.counters, COUNTERS.inARow) !== 0) Atomics.store(this.counters, COUNTERS.inARow, 0);
  }

  /** A request failed that began after this many openings. @returns how many failures count, or 0 when it does not. */
  failed(openings: number): number {
    if (this.openings !== openings || this.openUntil !== 0n) return 0;
    if (this.window.length === 0) return Atomics.add(this.counters, COUNTERS.inARow, 1) + 1;
    this.remember(1);
    let failures = 0;
    for (let i = 0; i < this.window.length; i++) failures += this.window[i]!;
    return failures;
  }

  /** Opens the circuit if so many failures are too many. @returns whether it was this call that opened it. */
  trip(failures: number, until: bigint): boolean {
    if (failures < this.maxFailures) return false;
    if (Atomics.compareExchange(this.until, 0, 0n, until) !== 0n) return false;
    Atomics.add(this.counters, COUNTERS.openings, 1);
    Atomics.store(this.counters, COUNTERS.inARow, 0);
    this.window.fill(0);
    return true;
  }

  /** Closes the circuit that is open until then. @returns whether it was this call that closed it. */
  close(until: bigint): boolean {
    return Atomics.compareExchange(this.until, 0, until, 0n) === until;
  }

  private remember(outcome: 0 | 1): void {
    const place = Atomics.add(this.counters, COUNTERS.next, 1) >>> 0;
    this.window[place % this.window.length] = outcome;
  }
}
