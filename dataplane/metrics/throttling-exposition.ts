import type { Registry } from 'prom-client';
import type { Observation } from '../unit/unit-messages.ts';
import { registerCounted, registerObserved } from './counted-metric.ts';
import type { GaugeValue } from './gauges.ts';

/** Source of the metrics of throttling filters, read at each scrape. */
export interface ThrottlingMetricsSource {
  observations(): readonly Observation[];
  gauges(): readonly GaugeValue[];
}

const COUNTERS = [
  ['gw_throttled_total', 'Requests above the rate limit, answered with 429.'],
  [
    'gw_throttling_partitions_refused_total',
    'Throttled requests whose partition was rejected because the limit of partitions was reached.',
  ],
] as const;

/** Adds the metrics of throttling filters. */
export function registerThrottlingMetrics(registry: Registry, source: ThrottlingMetricsSource): void {
  for (const [name, help] of COUNTERS) registerObserved(registry, name, help, () => source.observations());
  const partitions = 'gw_throttling_partitions';
  registerCounted(registry, partitions, 'gauge', 'Active partitions.', () =>
    source
      .gauges()
      .filter(({ metric }) => metric === partitions)
      .map(({ labels, value }) => ({ labels, value })),
  );
}
