/** How often the averages are moved on, in milliseconds. */
export const RATE_INTERVAL = 5000;

const MINUTES = [1, 5, 15] as const;
const WEIGHTS = MINUTES.map((minutes) => 1 - Math.exp(-RATE_INTERVAL / 60_000 / minutes));

/** Events per second: since the start, and over the last 1, 5 and 15 minutes with the recent ones weighing more. */
export interface Rate {
  readonly mean: number;
  readonly recent: readonly [number, number, number];
}

interface Counted {
  readonly since: number;
  readonly first: number;
  count: number;
  recent: [number, number, number] | null;
}

/** Rates of counters that only grow, by name. */
export class Rates {
  private counted = new Map<string, Counted>();

  /** Moves on by one interval; names that are not counted any more are forgotten. */
  tick(counts: ReadonlyMap<string, number>, now: number): void {
    const next = new Map<string, Counted>();
    for (const [name, count] of counts) {
      const known = this.counted.get(name) ?? { since: now - RATE_INTERVAL, first: 0, count: 0, recent: null };
      const perSecond = Math.max(0, count - known.count) / (RATE_INTERVAL / 1000);
      const before = known.recent;
      known.recent =
        before === null
          ? [perSecond, perSecond, perSecond]
          : ([0, 1, 2].map((i) => before[i]! + WEIGHTS[i]! * (perSecond - before[i]!)) as [number, number, number]);
      known.count = count;
      next.set(name, known);
    }
    this.counted = next;
  }

  of(name: string, count: number, now: number): Rate {
    const known = this.counted.get(name);
    if (known === undefined) return { mean: 0, recent: [0, 0, 0] };
    const seconds = Math.max(1, (now - known.since) / 1000);
    return { mean: (count - known.first) / seconds, recent: known.recent ?? [0, 0, 0] };
  }
}
