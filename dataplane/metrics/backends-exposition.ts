import type { Registry } from 'prom-client';
import type { Observation } from '../unit/unit-messages.ts';
import { ENDPOINT_OUTSTANDING, ENDPOINT_STATE } from './backends-status.ts';
import { registerCounted, registerObserved } from './counted-metric.ts';
import type { GaugeValue } from './gauges.ts';

/** Source of the metrics of endpoints, read at each scrape. */
export interface BackendsMetricsSource {
  observations(): readonly Observation[];
  gauges(): readonly GaugeValue[];
}

const GAUGES = [
  ['gw_backends_endpoints', 'Endpoints of a Backends, by state: serving, ejected or down.'],
  [
    'gw_backends_left_out_endpoints',
    'Endpoints of a Backends that are not used, because those of its tenant are too many.',
  ],
  [ENDPOINT_STATE, 'State of an endpoint: 0 serving, 1 ejected, 2 down by its probes.'],
  [ENDPOINT_OUTSTANDING, 'Requests and tunnels that are open to an endpoint, by gateway unit.'],
] as const;

const COUNTERS = [
  ['gw_backends_requests_total', 'Requests to an endpoint of a Backends, by result: answered or failed.'],
  ['gw_backends_moved_total', 'Requests that got no connection to an endpoint and went to another one.'],
  ['gw_backends_ejections_total', 'Ejections of an endpoint whose requests failed.'],
  ['gw_backends_failed_probes_total', 'Probes that an endpoint did not answer as expected.'],
  ['gw_mirror_sent_total', 'Copies of requests that a MirrorFilter sent.'],
  ['gw_mirror_failed_total', 'Copies of a MirrorFilter without a complete response in time.'],
  ['gw_mirror_dropped_total', 'Requests that a MirrorFilter did not copy, by reason.'],
] as const;

/** Adds the metrics of Backends and MirrorFilters. */
export function registerBackendsMetrics(registry: Registry, source: BackendsMetricsSource): void {
  for (const [name, help] of GAUGES) {
    registerCounted(registry, name, 'gauge', help, () =>
      source
        .gauges()
        .filter(({ metric }) => metric === name)
        .map(({ labels, value }) => ({ labels, value })),
    );
  }
  for (const [name, help] of COUNTERS) registerObserved(registry, name, help, () => source.observations());
}
