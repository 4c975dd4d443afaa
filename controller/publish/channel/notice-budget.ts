import { defaultNoticeLog } from '../../../contract/notice-log.ts';
import type { Clock } from '../../../platform/clock.ts';

/** What a plane knows when it connects. */
const MOST = defaultNoticeLog.most;
/** Entries in a millisecond all the time: more users than sign out of one plane. */
const PER_MILLISECOND = 0.1;

/** How many entries of notices a plane may send, so that one of them does not push those of others out. */
export class NoticeBudget {
  private readonly clock: Clock;
  private left = MOST;
  private at: number;

  constructor(clock: Clock) {
    this.clock = clock;
    this.at = clock.steady();
  }

  /** Takes as many as are left. @returns how many of them may be passed on */
  take(entries: number): number {
    const now = this.clock.steady();
    this.left = Math.min(MOST, this.left + (now - this.at) * PER_MILLISECOND);
    this.at = now;
    const taken = Math.min(entries, Math.floor(this.left));
    this.left -= taken;
    return taken;
  }
}
