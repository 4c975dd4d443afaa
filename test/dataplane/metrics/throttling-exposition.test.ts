import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { PlaneGauges } from '../../../dataplane/metrics/gauges.ts';
import { Observations } from '../../../dataplane/metrics/observations.ts';
import { registerThrottlingMetrics } from '../../../dataplane/metrics/throttling-exposition.ts';

it('shows the counts of filters and the number of shared partitions', async () => {
  const observations = new Observations();
  const gauges = new PlaneGauges();
  const registry = new Registry();
  registerThrottlingMetrics(registry, { observations: () => observations.all, gauges: () => gauges.all });
  const labels = { fully_qualified_name: 'gateway.app.it', name: 'it' };
  for (let times = 0; times < 3; times++) observations.add('gw_throttled_total', labels, 0);
  observations.add('gw_throttling_partitions_refused_total', labels, 0);
  observations.add('gw_retries_total', labels, 0);
  for (const unit of [0, 1]) gauges.set(unit, [{ metric: 'gw_throttling_partitions', labels, value: 7 }]);
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toEqual([
    'gw_throttled_total{fully_qualified_name="gateway.app.it",name="it"} 3',
    'gw_throttling_partitions_refused_total{fully_qualified_name="gateway.app.it",name="it"} 1',
    'gw_throttling_partitions{fully_qualified_name="gateway.app.it",name="it"} 7',
  ]);
});
