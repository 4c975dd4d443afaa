import type { Registry } from 'prom-client';
import type { Observation } from '../unit/unit-messages.ts';
import { registerCounted, registerObserved } from './counted-metric.ts';
import type { GaugeValue } from './gauges.ts';

const COUNTERS = [
  [
    'gw_script_exceeded_total',
    'Runs of scripts that were ended, by limit: time, memory, or timeout for waiting too long.',
  ],
  ['gw_script_suspended_total', 'Requests rejected because their script was suspended.'],
] as const;

const SUSPENSION = 'gw_script_suspension';
const SUSPENSION_HELP = '1 from the suspension of a script until a run ends within its limits, otherwise 0.';

/** Adds the metrics of scripts. */
export function registerScriptMetrics(
  registry: Registry,
  observations: () => readonly Observation[],
  gauges: () => readonly GaugeValue[],
): void {
  for (const [name, help] of COUNTERS) registerObserved(registry, name, help, observations);
  registerCounted(registry, SUSPENSION, 'gauge', SUSPENSION_HELP, () =>
    gauges()
      .filter(({ metric }) => metric === SUSPENSION)
      .map(({ labels, value }) => ({ labels, value })),
  );
}
