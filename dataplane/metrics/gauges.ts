/** A number that an object shows now. */
export interface GaugeValue {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Gauge {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly read: () => number;
}

/** The numbers that the objects of one unit show. */
export class Gauges {
  private readonly gauges = new Set<Gauge>();
  private last = '[]';

  /** @returns what takes it away again. */
  add(metric: string, labels: Readonly<Record<string, string>>, read: () => number): () => void {
    const gauge = { metric, labels, read };
    this.gauges.add(gauge);
    return () => void this.gauges.delete(gauge);
  }

  /** All of them when any differs from the last time, or null. */
  changed(): readonly GaugeValue[] | null {
    const values = [...this.gauges].map(({ metric, labels, read }) => ({ metric, labels, value: read() }));
    const text = JSON.stringify(values);
    if (text === this.last) return null;
    this.last = text;
    return values;
  }
}

/** The numbers that all units of a plane show; where several show the same, the greatest counts. */
export class PlaneGauges {
  private readonly byUnit = new Map<number, readonly GaugeValue[]>();

  set(unit: number, values: readonly GaugeValue[]): void {
    this.byUnit.set(unit, values);
  }

  /** A unit is gone, and with it what it showed. */
  lost(unit: number): void {
    this.byUnit.delete(unit);
  }

  get all(): readonly GaugeValue[] {
    const greatest = new Map<string, GaugeValue>();
    for (const shown of [...this.byUnit.values()].flat()) {
      const key = JSON.stringify([shown.metric, shown.labels]);
      const before = greatest.get(key);
      if (before === undefined || before.value < shown.value) greatest.set(key, shown);
    }
    return [...greatest.values()];
  }
}
