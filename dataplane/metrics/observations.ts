import type { Observation } from '../unit/unit-messages.ts';

/** Sums of the observations and counts of objects until they are collected. */
export class Observations {
  private sums = new Map<
    string,
    { metric: string; labels: Readonly<Record<string, string>>; count: number; seconds: number }
  >();

  /** Those that counted something since the last time. */
  private counters: { metric: string; labels: Readonly<Record<string, string>>; count: number; seconds: number }[] = [];

  add(metric: string, labels: Readonly<Record<string, string>>, seconds: number): void {
    const key = JSON.stringify([metric, labels]);
    const sum = this.sums.get(key);
    if (sum === undefined) this.sums.set(key, { metric, labels, count: 1, seconds });
    else {
      sum.count++;
      sum.seconds += seconds;
    }
  }

  /** Counts without looking anything up; what it counts is seen when somebody takes it. */
  counter(metric: string, labels: Readonly<Record<string, string>>): () => void {
    const counter = { metric, labels, count: 0, seconds: 0 };
    return () => {
      if (counter.count++ === 0) this.counters.push(counter);
    };
  }

  /** Adds sums that were made elsewhere. */
  addAll(observations: readonly Observation[]): void {
    for (const { metric, labels, count, seconds } of observations) {
      this.add(metric, labels, seconds);
      this.sums.get(JSON.stringify([metric, labels]))!.count += count - 1;
    }
  }

  /** Forgets what the objects of these routes observed. */
  forget(routes: readonly string[]): void {
    for (const [key, { labels }] of this.sums) {
      const name = labels['fully_qualified_name'] ?? '';
      if (routes.some((route) => name.startsWith(`${route}.`))) this.sums.delete(key);
    }
  }

  get all(): readonly Observation[] {
    return [...this.sums.values()];
  }

  /** What came together since the last time. */
  take(): readonly Observation[] {
    this.addAll(this.counters);
    for (const counter of this.counters) counter.count = 0;
    this.counters = [];
    const taken = this.all;
    this.sums = new Map();
    return taken;
  }
}
