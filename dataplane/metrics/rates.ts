/** How often the averages are moved on, in milliseconds. */
export const RATE_INTERVAL = 5000;

const WEIGHTS = [weight(1), weight(5), weight(15)] as const;

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
  tick(counts: Iterable<readonly [name: string, count: number]>, now: number): void {
    const next = new Map<string, Counted>();
    for (const [name, count] of counts) {
      const known = this.counted.get(name) ?? { since: now - RATE_INTERVAL, first: 0, count: 0, recent: null };
      next.set(name, known);
      if (count === known.count && known.recent?.[2] === 0) continue; // it has never had a request, as most of thousands
      const perSecond = Math.max(0, count - known.count) / (RATE_INTERVAL / 1000);
      const [one, five, fifteen] = known.recent ?? [perSecond, perSecond, perSecond];
      known.recent = [
        one + WEIGHTS[0] * (perSecond - one),
        five + WEIGHTS[1] * (perSecond - five),
        fifteen + WEIGHTS[2] * (perSecond - fifteen),
      ];
      known.count = count;
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

function weight(minutes: number): number {
  return 1 - Math.exp(-RATE_INTERVAL / 60_000 / minutes);
}
