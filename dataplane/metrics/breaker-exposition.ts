import type { Registry } from 'prom-client';
import type { Observation } from '../unit/unit-messages.ts';
import { registerCounted, registerObserved } from './counted-metric.ts';
import type { GaugeValue } from './gauges.ts';

/** Source of the metrics of circuit breakers, read at each scrape. */
export interface BreakerMetricsSource {
  observations(): readonly Observation[];
  gauges(): readonly GaugeValue[];
}

const COUNTERS = [
  ['gw_circuit_breaker_transitions_total', 'State changes of a circuit breaker, by new state: open or closed.'],
  ['gw_circuit_breaker_rejected_total', 'Requests rejected because the circuit was open.'],
] as const;

/** Adds the metrics of circuit breakers. */
export function registerBreakerMetrics(registry: Registry, source: BreakerMetricsSource): void {
  const open = 'gw_circuit_breaker_open';
  registerCounted(registry, open, 'gauge', '1 while a circuit breaker is open, otherwise 0.', () =>
    source
      .gauges()
      .filter(({ metric }) => metric === open)
      .map(({ labels, value }) => ({ labels, value })),
  );
  for (const [name, help] of COUNTERS) {
    registerObserved(registry, name, help, () => source.observations());
  }
}
