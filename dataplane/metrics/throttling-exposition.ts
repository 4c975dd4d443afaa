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
  ['gw_throttled_total', 'Requests that came too fast and were answered with 429.'],
  ['gw_throttling_partitions_refused_total', 'Those of them for whose partition there was no room.'],
] as const;

/** Adds the metrics of throttling filters. */
export function registerThrottlingMetrics(registry: Registry, source: ThrottlingMetricsSource): void {
  for (const [name, help] of COUNTERS) registerObserved(registry, name, help, () => source.observations());
  const partitions = 'gw_throttling_partitions';
  registerCounted(registry, partitions, 'gauge', 'Partitions of requests that are counted now.', () =>
    source
      .gauges()
      .filter(({ metric }) => metric === partitions)
      .map(({ labels, value }) => ({ labels, value })),
  );
}
