import type { RefreshNews } from '../../contract/channel.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { RefillingBudget } from '../../platform/refilling-budget.ts';

/** Characters that a realm may have told at once, and in a millisecond all the time: about 30 claims a second. */
const TERMS = { most: 512 * 1024, perMillisecond: 8 };
/** What news cost beside the sealed tokens. */
const COST = 256;
/** The same for all realms together: less than controllers take from a plane. */
const ALL = { most: 8 * 1024 * 1024, perMillisecond: 100 };
const MOST_REALMS = 4096;

/** How much the realms of a plane may tell other planes about refreshes: one of them must not use up what others need. */
export class RefreshBudgets {
  private readonly clock: Clock;
  private readonly all: RefillingBudget;
  private readonly realms = new Map<string, RefillingBudget>();

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
    this.all = new RefillingBudget(ALL, clock);
  }

  /** @returns whether the news may be told */
  take({ realm, sealed = '' }: RefreshNews): boolean {
    const cost = COST + sealed.length;
    const budget = this.realms.get(realm) ?? new RefillingBudget(TERMS, this.clock);
    this.realms.delete(realm);
    this.realms.set(realm, budget);
    for (const silent of this.realms.keys()) {
      if (this.realms.size <= MOST_REALMS) break;
      this.realms.delete(silent);
    }
    return budget.take(cost) && this.all.take(cost);
  }
}
