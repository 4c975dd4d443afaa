/** Words of a record, and what they hold. Times are tenths of a second. */
export const RECORD_WORDS = 16;
export const WORD = {
  hash: 0,
  /** Another hash of the same key. */
  check: 1,
  /** A bit for each unit that uses it. */
  users: 2,
  /** Failures since the last answer. */
  inRow: 3,
  /** 1 while the last answer that ended broke off: the head of an answer does not say that the rest comes. */
  breaking: 4,
  /** Ejections that followed each other closely. */
  ejections: 5,
  /** End of the ejection; 0 while there is none. */
  until: 6,
  /** End of the last ejection. */
  returned: 7,
  /** Requests and failures ever, which wrap, and what they were when the window began. */
  requests: 8,
  failures: 9,
  requestsBefore: 10,
  failuresBefore: 11,
  windowStart: 12,
  /** When the endpoint is probed next. */
  nextProbe: 13,
  /** Probes in a row that were answered, or the negative number of those that failed. */
  probes: 14,
  /** 1 while probes say that it cannot serve. */
  down: 15,
} as const;

/** Tenths by which the clocks of units may differ. */
const SKEW = 10;

/** Tenths of a second on a clock that all threads of the process share; they wrap. */
export function tenths(milliseconds: number = performance.timeOrigin + performance.now()): number {
  return Math.floor(milliseconds / 100) | 0;
}

/** Health of one endpoint. Every change is one atomic step: a unit that dies leaves nothing locked. */
export class HealthRecord {
  private readonly words: Int32Array;
  private readonly at: number;
  private readonly giveBack: () => void;
  private isReleased = false;

  constructor(words: Int32Array, at: number, giveBack: () => void) {
    this.words = words;
    this.at = at;
    this.giveBack = giveBack;
  }

  /** It may go to another endpoint when nobody uses it any more. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.giveBack();
  }

  private read(word: number): number {
    return Atomics.load(this.words, this.at + word);
  }

  private write(word: number, value: number): void {
    Atomics.store(this.words, this.at + word, value);
  }

  /** @returns whether it was `from` and is `to` now */
  private replace(word: number, from: number, to: number): boolean {
    return Atomics.compareExchange(this.words, this.at + word, from, to) === from;
  }

  /** End of the ejection; 0 while there is none. */
  get until(): number {
    return this.read(WORD.until);
  }

  /** Milliseconds until the ejection ends; 0 while there is none. */
  ejectedFor(now: number): number {
    const { until } = this;
    return until === 0 ? 0 : Math.max(0, (until - now) | 0) * 100;
  }

  /** An answer came; one that is not `isWhole` may still break off, as the last one did. */
  succeeded(isWhole: boolean): void {
    const { words, at } = this;
    if (words[at + WORD.breaking] !== 0) {
      if (!isWhole) return;
      this.write(WORD.breaking, 0);
    }
    if (words[at + WORD.inRow] !== 0) this.write(WORD.inRow, 0);
  }

  /** Whether the last answer that ended broke off. */
  get isBreaking(): boolean {
    return this.words[this.at + WORD.breaking] !== 0;
  }

  broke(): void {
    this.write(WORD.breaking, 1);
  }

  /** @returns failures in a row */
  failed(): number {
    return Atomics.add(this.words, this.at + WORD.inRow, 1) + 1;
  }

  /** Whether probes say that the endpoint cannot serve. */
  get isDown(): boolean {
    return this.read(WORD.down) !== 0;
  }

  /** Takes the next probe, which other units then leave out. @returns false when it is not due, or another unit has it */
  claimProbe(now: number, interval: number): boolean {
    const due = this.read(WORD.nextProbe);
    const left = (due - now) | 0;
    if (due !== 0 && left > 0 && left <= interval + SKEW) return false; // later is of an interval that was longer
    return this.replace(WORD.nextProbe, due, (now + interval) | 0 || 1);
  }

  /**
   * Notes the result of a probe. The endpoint is down after `unhealthy` failures in a row, and up after `healthy` answers.
   * @returns whether that changed, to one of several callers
   */
  probed(isSound: boolean, healthy: number, unhealthy: number): boolean {
    for (;;) {
      const before = this.read(WORD.probes);
      const probes = isSound ? Math.max(0, before) + 1 : Math.min(0, before) - 1;
      if (!this.replace(WORD.probes, before, probes)) continue;
      if (isSound ? probes < healthy : probes > -unhealthy) return false;
      return this.replace(WORD.down, isSound ? 1 : 0, isSound ? 0 : 1);
    }
  }

  /** Counts a request for the failure rate. @returns the requests and failures of this window so far */
  count(isFailure: boolean, window: number, now: number): { readonly requests: number; readonly failures: number } {
    const { words, at } = this;
    const start = this.read(WORD.windowStart);
    if ((start === 0 || ((now - start) | 0) >= window) && this.replace(WORD.windowStart, start, now || 1)) {
      this.forgetRequests();
    }
    const requests = Atomics.add(words, at + WORD.requests, 1) + 1;
    const failures = isFailure ? Atomics.add(words, at + WORD.failures, 1) + 1 : this.read(WORD.failures);
    return {
      requests: (requests - this.read(WORD.requestsBefore)) | 0,
      failures: (failures - this.read(WORD.failuresBefore)) | 0,
    };
  }

  /** The counts themselves only grow, so that none that another unit adds meanwhile is lost. */
  private forgetRequests(): void {
    this.write(WORD.requestsBefore, this.read(WORD.requests));
    this.write(WORD.failuresBefore, this.read(WORD.failures));
  }

  /**
   * Ejects the endpoint, twice as long each time while ejections follow each other closely. Times are in tenths.
   * @returns for how long, or 0 when it is ejected already
   */
  eject(now: number, first: number, longest: number): number {
    const before = this.read(WORD.ejections);
    const last = lengthOf(before, first, longest);
    const returned = this.read(WORD.returned);
    const ejections = returned !== 0 && ((now - returned) | 0) <= 2 * last ? before + 1 : 1;
    const length = lengthOf(ejections, first, longest);
    if (!this.replace(WORD.until, 0, (now + length) | 0 || 1)) return 0;
    this.write(WORD.ejections, ejections);
    this.forgetRequests();
    return length;
  }

  /** Withdraws an ejection that just began: it does not make the next one longer. */
  withdraw(): void {
    Atomics.sub(this.words, this.at + WORD.ejections, 1);
    this.write(WORD.until, 0);
  }

  /** Ends an ejection whose time has come; `inRow` failures count as if they had been. @returns whether this call did it */
  endEjection(now: number, inRow: number): boolean {
    const { until } = this;
    if (until === 0 || ((until - now) | 0) > 0) return false;
    // before it gets requests again, whose failures would be lost otherwise
    this.write(WORD.returned, now || 1);
    this.write(WORD.inRow, inRow);
    return this.replace(WORD.until, until, 0);
  }
}

function lengthOf(ejections: number, first: number, longest: number): number {
  return Math.min(first * 2 ** Math.max(0, Math.min(ejections, 20) - 1), longest);
}
