import type { Registry } from 'prom-client';
import type { Observation } from '../unit/unit-messages.ts';
import { registerObserved } from './counted-metric.ts';

/** Adds what filters did not let pass. */
export function registerDenialMetrics(registry: Registry, observations: () => readonly Observation[]): void {
  registerObserved(registry, 'gw_denied_total', 'Requests rejected by a filter, by reason.', observations);
}
