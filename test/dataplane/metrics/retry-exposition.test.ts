import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { Observations } from '../../../dataplane/metrics/observations.ts';
import { registerRetryMetrics } from '../../../dataplane/metrics/retry-exposition.ts';

it('shows the counts of handlers by name', async () => {
  const observations = new Observations();
  const registry = new Registry();
  registerRetryMetrics(registry, () => observations.all);
  const labels = { fully_qualified_name: 'gateway.app.it', name: 'it' };
  for (let times = 0; times < 3; times++) observations.add('gw_retries_total', labels, 0);
  observations.add('gw_retries_failed_total', labels, 0);
  observations.add('gw_circuit_breaker_rejected_total', labels, 0);
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toEqual([
    'gw_retries_total{fully_qualified_name="gateway.app.it",name="it"} 3',
    'gw_retries_failed_total{fully_qualified_name="gateway.app.it",name="it"} 1',
  ]);
});
