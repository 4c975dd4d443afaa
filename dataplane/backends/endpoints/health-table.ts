import { textHash } from './text-hash.ts';

/** Words of a record, and what they hold. Times are tenths of a second. */
const WORDS = 12;
const WORD = {
  hash: 0,
  users: 1,
  /** Failures since the last answer. */
  inRow: 2,
  /** Ejections that followed each other closely. */
  ejections: 3,
  /** End of the ejection; 0 while there is none. */
  until: 4,
  /** End of the last ejection. */
  returned: 5,
  requests: 6,
  failures: 7,
  windowStart: 8,
  /** When the endpoint is probed next. */
  nextProbe: 9,
  /** Probes in a row that were answered, or the negative number of those that failed. */
  probes: 10,
  /** 1 while probes say that it cannot serve. */
  down: 11,
} as const;

/** Tenths by which the clocks of units may differ. */
const SKEW = 10;

/** Tenths of a second on a clock that all threads of the process share; they wrap. */
export function tenths(milliseconds: number = performance.timeOrigin + performance.now()): number {
  return Math.floor(milliseconds / 100) | 0;
}

/** Health of the endpoints of one Backends, in memory that all units of the plane share. */
export class HealthTable {
  private readonly words: Int32Array;
  private readonly capacity: number;

  static bytes(capacity: number): number {
    return (1 + capacity * WORDS) * Int32Array.BYTES_PER_ELEMENT;
  }

  constructor(memory: SharedArrayBuffer) {
    this.words = new Int32Array(memory);
    this.capacity = Math.floor((this.words.length - 1) / WORDS);
  }

  /** Number that changes whenever an endpoint is ejected or returns. */
  get version(): number {
    return Atomics.load(this.words, 0);
  }

  changed(): void {
    Atomics.add(this.words, 0, 1);
  }

  /** The record of an endpoint; units take the same one for the same key. Where none is free, the unit has one of its own. */
  take(key: string): HealthRecord {
    const hash = textHash(key) | 0 || 1;
    const at = this.find(hash) ?? this.claim(hash);
    return at === null ? new HealthRecord(new Int32Array(WORDS), 0) : new HealthRecord(this.words, at);
  }

  private find(hash: number): number | null {
    for (let i = 0; i < this.capacity; i++) {
      const at = 1 + i * WORDS;
      if (Atomics.load(this.words, at) === hash) return at;
    }
    return null;
  }

  /** Takes a record that was never used, or that nobody uses any more. */
  private claim(hash: number): number | null {
    const { words, capacity } = this;
    for (let i = 0; i < capacity; i++) {
      const at = 1 + i * WORDS;
      const before = Atomics.load(words, at);
      if (before !== 0 && Atomics.load(words, at + WORD.users) > 0) continue;
      const found = Atomics.compareExchange(words, at, before, hash);
      if (found === hash) return at; // another unit was faster, for the same endpoint
      if (found !== before) continue;
      for (let word = WORD.inRow; word < WORDS; word++) Atomics.store(words, at + word, 0);
      return at;
    }
    return null;
  }
}

/** Health of one endpoint. Every change is one atomic step: a unit that dies leaves nothing locked. */
export class HealthRecord {
  private readonly words: Int32Array;
  private readonly at: number;
  private isReleased = false;

  constructor(words: Int32Array, at: number) {
    this.words = words;
    this.at = at;
    Atomics.add(words, at + WORD.users, 1);
  }

  /** It may go to another endpoint when nobody uses it any more. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    Atomics.sub(this.words, this.at + WORD.users, 1);
  }

  /** End of the ejection; 0 while there is none. */
  get until(): number {
    return Atomics.load(this.words, this.at + WORD.until);
  }

  /** Milliseconds until the ejection ends; 0 while there is none. */
  ejectedFor(now: number): number {
    const { until } = this;
    return until === 0 ? 0 : Math.max(0, (until - now) | 0) * 100;
  }

  succeeded(): void {
    if (this.words[this.at + WORD.inRow] !== 0) Atomics.store(this.words, this.at + WORD.inRow, 0);
  }

  /** @returns failures in a row */
  failed(): number {
    return Atomics.add(this.words, this.at + WORD.inRow, 1) + 1;
  }

  /** Whether probes say that the endpoint cannot serve. */
  get isDown(): boolean {
    return Atomics.load(this.words, this.at + WORD.down) !== 0;
  }

  /** Takes the next probe, which other units then leave out. @returns false when it is not due, or another unit has it */
  claimProbe(now: number, interval: number): boolean {
    const { words, at } = this;
    const due = Atomics.load(words, at + WORD.nextProbe);
    const left = (due - now) | 0;
    if (due !== 0 && left > 0 && left <= interval + SKEW) return false; // later is of an interval that was longer
    return Atomics.compareExchange(words, at + WORD.nextProbe, due, (now + interval) | 0 || 1) === due;
  }

  /**
   * Notes the result of a probe. The endpoint is down after `unhealthy` failures in a row, and up after `healthy` answers.
   * @returns whether that changed
   */
  probed(isSound: boolean, healthy: number, unhealthy: number): boolean {
    const { words, at } = this;
    const before = Atomics.load(words, at + WORD.probes);
    const probes = isSound ? Math.max(0, before) + 1 : Math.min(0, before) - 1;
    Atomics.store(words, at + WORD.probes, probes);
    if (this.isDown ? probes < healthy : probes > -unhealthy) return false;
    Atomics.store(words, at + WORD.down, this.isDown ? 0 : 1);
    return true;
  }

  /** Counts a request for the failure rate. @returns the requests and failures of this window so far */
  count(isFailure: boolean, window: number, now: number): { readonly requests: number; readonly failures: number } {
    const { words, at } = this;
    const start = Atomics.load(words, at + WORD.windowStart);
    if (
      (start === 0 || ((now - start) | 0) >= window) &&
      Atomics.compareExchange(words, at + WORD.windowStart, start, now || 1) === start
    ) {
      Atomics.store(words, at + WORD.requests, 0);
      Atomics.store(words, at + WORD.failures, 0);
    }
    const requests = Atomics.add(words, at + WORD.requests, 1) + 1;
    const failures = isFailure
      ? Atomics.add(words, at + WORD.failures, 1) + 1
      : Atomics.load(words, at + WORD.failures);
    return { requests, failures };
  }

  /**
   * Ejects the endpoint, twice as long each time while ejections follow each other closely. Times are in tenths.
   * @returns for how long, or 0 when it is ejected already
   */
  eject(now: number, first: number, longest: number): number {
    const { words, at } = this;
    const before = Atomics.load(words, at + WORD.ejections);
    const last = lengthOf(before, first, longest);
    const returned = Atomics.load(words, at + WORD.returned);
    const ejections = returned !== 0 && ((now - returned) | 0) <= 2 * last ? before + 1 : 1;
    const length = lengthOf(ejections, first, longest);
    if (Atomics.compareExchange(words, at + WORD.until, 0, (now + length) | 0 || 1) !== 0) return 0;
    Atomics.store(words, at + WORD.ejections, ejections);
    Atomics.store(words, at + WORD.requests, 0);
    Atomics.store(words, at + WORD.failures, 0);
    return length;
  }

  /** Withdraws an ejection that just began. */
  withdraw(): void {
    Atomics.store(this.words, this.at + WORD.until, 0);
  }

  /** Ends an ejection whose time has come; `inRow` failures count as if they had been. @returns whether this call did it */
  endEjection(now: number, inRow: number): boolean {
    const { words, at } = this;
    const until = this.until;
    if (until === 0 || ((until - now) | 0) > 0) return false;
    if (Atomics.compareExchange(words, at + WORD.until, until, 0) !== until) return false;
    Atomics.store(words, at + WORD.returned, now || 1);
    Atomics.store(words, at + WORD.inRow, inRow);
    return true;
  }
}

function lengthOf(ejections: number, first: number, longest: number): number {
  return Math.min(first * 2 ** Math.max(0, Math.min(ejections, 20) - 1), longest);
}
