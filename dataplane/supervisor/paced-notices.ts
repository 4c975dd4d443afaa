import type { EndedRecord } from '../../contract/channel.ts';
import { noticeShare } from '../../contract/notice-share.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { RefillingBudget } from '../../platform/refilling-budget.ts';

/** Entries of one share of tenants at once, and in a second all the time: all shares together stay below what controllers take. */
const TERMS = { most: 150, perMillisecond: 0.002 };
/** Entries of a share that wait; older ones are told with the next stream. */
const MOST_WAITING = 1000;
const INTERVAL = 1000;

/** A clock that keeps no process running. */
const idleClock: Clock = {
  ...systemClock,
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

interface Share {
  readonly budget: RefillingBudget;
  readonly waiting: Map<string, EndedRecord>;
}

/**
 * Announces sessions that ended. Those of operators go at once. Those of a tenant go at once as long as they are few, and
 * wait otherwise: controllers take a limited number from a plane, which one tenant must not use up.
 */
export class PacedNotices {
  private readonly announce: (entries: readonly EndedRecord[]) => void;
  private readonly clock: Clock;
  private readonly shares = new Map<string, Share>();
  private isTimed = false;

  constructor(announce: (entries: readonly EndedRecord[]) => void, clock: Clock = idleClock) {
    this.announce = announce;
    this.clock = clock;
  }

  add(entries: readonly EndedRecord[]): void {
    const now: EndedRecord[] = [];
    for (const entry of entries) {
      const name = noticeShare(entry.key);
      if (name === '') now.push(entry);
      else this.wait(name, entry);
    }
    this.send(now);
  }

  private wait(name: string, entry: EndedRecord): void {
    const share = this.shares.get(name) ?? { budget: new RefillingBudget(TERMS, this.clock), waiting: new Map() };
    this.shares.set(name, share);
    share.waiting.set(entry.key, entry);
    for (const oldest of share.waiting.keys()) {
      if (share.waiting.size <= MOST_WAITING) break;
      share.waiting.delete(oldest);
    }
  }

  /** Announces these, and those that have waited long enough. */
  private send(entries: EndedRecord[]): void {
    let areMore = false;
    for (const share of this.shares.values()) {
      for (const [key, entry] of share.waiting) {
        if (!share.budget.take(1)) break;
        share.waiting.delete(key);
        entries.push(entry);
      }
      areMore ||= share.waiting.size > 0;
    }
    if (entries.length > 0) this.announce(entries);
    if (!areMore || this.isTimed) return;
    this.isTimed = true;
    this.clock.after(INTERVAL, () => {
      this.isTimed = false;
      this.send([]);
    });
  }
}
