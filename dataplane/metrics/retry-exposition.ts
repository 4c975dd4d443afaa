import type { Registry } from 'prom-client';
import type { Observation } from '../unit/unit-messages.ts';
import { registerObserved } from './counted-metric.ts';

const COUNTERS = [
  ['gw_retries_total', 'Retries of requests.'],
  ['gw_retries_failed_total', 'Requests that failed after all their retries.'],
] as const;

/** Adds the metrics of handlers that send requests again. */
export function registerRetryMetrics(registry: Registry, observations: () => readonly Observation[]): void {
  for (const [name, help] of COUNTERS) registerObserved(registry, name, help, observations);
}
