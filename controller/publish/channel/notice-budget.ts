import { defaultNoticeLog } from '../../../contract/notice-log.ts';
import type { Clock } from '../../../platform/clock.ts';
import { RefillingBudget } from '../../../platform/refilling-budget.ts';

/** What a plane knows when it connects, and entries in a millisecond all the time: more users than sign out of one plane. */
const TERMS = { most: defaultNoticeLog.most, perMillisecond: 0.1 };

/** How many entries of notices a plane may send, so that one of them does not push those of others out. */
export function noticeBudget(clock: Clock): RefillingBudget {
  return new RefillingBudget(TERMS, clock);
}
