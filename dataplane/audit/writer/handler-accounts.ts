/** Why events of a handler were dropped. The names are values of the label `reason`. */
export const DROP_REASONS = [
  /** The queue in memory was full, and there is no spool. */
  'queue-full',
  'spool-full',
  /** The spool could not be written. */
  'spool-failed',
  /** The spool could not be read back. */
  'spool-damaged',
  /** The ring of a unit was full: the writer was too slow. */
  'ring-full',
  /** Larger than an event may be. */
  'too-large',
  /** The destination will never take it. */
  'refused',
  /** The service was closed, or the data plane stopped, before the destination took it. */
  'closed',
  /** In the memory of a writer thread that died. */
  'writer-restart',
  /** In the memory of a process that was killed. */
  'process-killed',
  /** Of a request that was refused with 503 because there was no room for events. */
  'traffic-refused',
  /** The writer failed to take it, or knows neither its service nor its topic. */
  'failed',
] as const;

export type DropReason = (typeof DROP_REASONS)[number];

/** Totals of a handler, as they are stored beside a spool. */
export interface AccountTotals {
  readonly emitted: number;
  readonly delivered: number;
  /** In the order of `DROP_REASONS`. */
  readonly dropped: readonly number[];
}

const EMITTED = 0;
const DELIVERED = 1;
const INCLUDES_SPOOL = 2;
const FIRST_REASON = 3;

/**
 * Accounts of the events of one handler: emitted = delivered + dropped + waiting, always. They are in shared memory, so
 * that the supervisor can read them and a writer that takes over goes on counting; only the writer counts.
 */
export class HandlerAccounts {
  readonly buffer: SharedArrayBuffer;
  private readonly counts: Float64Array;

  /** @param buffer that of the thread that opened them; without it new ones */
  constructor(buffer?: SharedArrayBuffer) {
    const bytes = (FIRST_REASON + DROP_REASONS.length) * Float64Array.BYTES_PER_ELEMENT;
    this.buffer = buffer ?? new SharedArrayBuffer(bytes);
    this.counts = new Float64Array(this.buffer);
  }

  get emitted(): number {
    return this.counts[EMITTED]!;
  }

  get delivered(): number {
    return this.counts[DELIVERED]!;
  }

  get droppedInAll(): number {
    let sum = 0;
    for (let at = FIRST_REASON; at < this.counts.length; at++) sum += this.counts[at]!;
    return sum;
  }

  /** Events that were neither delivered nor dropped. */
  get waiting(): number {
    // in this order: a reader in another thread must not see an event as delivered before it was emitted
    const done = this.delivered + this.droppedInAll;
    return Math.max(0, this.emitted - done);
  }

  dropped(reason: DropReason): number {
    return this.counts[FIRST_REASON + DROP_REASONS.indexOf(reason)]!;
  }

  emit(count: number): void {
    this.counts[EMITTED]! += count;
  }

  deliver(count: number): void {
    this.counts[DELIVERED]! += count;
  }

  drop(reason: DropReason, count: number): void {
    this.counts[FIRST_REASON + DROP_REASONS.indexOf(reason)]! += count;
  }

  totals(): AccountTotals {
    return { emitted: this.emitted, delivered: this.delivered, dropped: [...this.counts.subarray(FIRST_REASON)] };
  }

  /** Whether the totals beside the spool of the handler are in these. */
  get includesSpool(): boolean {
    return this.counts[INCLUDES_SPOOL] === 1;
  }

  set includesSpool(includes: boolean) {
    this.counts[INCLUDES_SPOOL] = includes ? 1 : 0;
  }

  /** Adds totals of another time. */
  add({ emitted, delivered, dropped }: AccountTotals): void {
    this.counts[EMITTED]! += emitted;
    this.counts[DELIVERED]! += delivered;
    for (const [at, count] of dropped.slice(0, DROP_REASONS.length).entries()) this.counts[FIRST_REASON + at]! += count;
  }
}
