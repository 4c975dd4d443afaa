import type { Registry } from 'prom-client';
import type { Observation } from '../unit/unit-messages.ts';
import { registerCounted, registerObserved } from './counted-metric.ts';
import type { GaugeValue } from './gauges.ts';

/** Source of the metrics of endpoints, read at each scrape. */
export interface BackendsMetricsSource {
  observations(): readonly Observation[];
  gauges(): readonly GaugeValue[];
}

const COUNTERS = [
  ['gw_backends_requests_total', 'Requests to an endpoint of a Backends, by result: answered or failed.'],
  ['gw_backends_moved_total', 'Requests that got no connection to an endpoint and went to another one.'],
  ['gw_backends_ejections_total', 'Ejections of an endpoint whose requests failed.'],
  ['gw_backends_failed_probes_total', 'Probes that an endpoint did not answer as expected.'],
] as const;

/** Adds the metrics of Backends. */
export function registerBackendsMetrics(registry: Registry, source: BackendsMetricsSource): void {
  const endpoints = 'gw_backends_endpoints';
  registerCounted(registry, endpoints, 'gauge', 'Endpoints of a Backends, by state: serving, ejected or down.', () =>
    source
      .gauges()
      .filter(({ metric }) => metric === endpoints)
      .map(({ labels, value }) => ({ labels, value })),
  );
  for (const [name, help] of COUNTERS) registerObserved(registry, name, help, () => source.observations());
}
