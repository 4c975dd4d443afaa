import type { Counter, MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import type { Observation } from '../unit/unit-messages.ts';

/** One row of a metric; `metricName` where it has another name than the metric, as sums and counts have. */
export type Row = MetricValue<string> & { readonly metricName?: string };

/** Adds a metric that was counted elsewhere: prom-client's own ones can only count by themselves. */
export function registerCounted(registry: Registry, name: string, type: string, help: string, rows: () => Row[]): void {
  const metric = {
    name,
    async get() {
      return { name, help, type, aggregator: 'sum', values: rows() } as unknown as MetricObjectWithValues<Row>;
    },
    reset() {},
  };
  registry.registerMetric(metric as unknown as Counter);
}

/** Adds what objects count by themselves under this name. */
export function registerObserved(
  registry: Registry,
  name: string,
  help: string,
  observations: () => readonly Observation[],
): void {
  registerCounted(registry, name, 'counter', help, () =>
    observations()
      .filter(({ metric }) => metric === name)
      .map(({ labels, count }) => ({ labels, value: count })),
  );
}
