import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { registerBackendsMetrics } from '../../../dataplane/metrics/backends-exposition.ts';
import { Observations } from '../../../dataplane/metrics/observations.ts';

it('shows endpoints by state, and their counts by name', async () => {
  const observations = new Observations();
  const registry = new Registry();
  const labels = { name: 'shop' };
  registerBackendsMetrics(registry, {
    observations: () => observations.all,
    gauges: () => [
      { metric: 'gw_backends_endpoints', labels: { ...labels, state: 'serving' }, value: 2 },
      { metric: 'gw_circuit_breaker_open', labels, value: 1 },
    ],
  });
  const endpoint = '10.0.0.7:8080';
  for (let i = 0; i < 3; i++)
    observations.add('gw_backends_requests_total', { ...labels, endpoint, result: 'failed' }, 0);
  observations.add('gw_backends_moved_total', { ...labels, endpoint }, 0);
  observations.add('gw_backends_ejections_total', { ...labels, endpoint }, 0);
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toEqual([
    'gw_backends_endpoints{name="shop",state="serving"} 2',
    'gw_backends_requests_total{name="shop",endpoint="10.0.0.7:8080",result="failed"} 3',
    'gw_backends_moved_total{name="shop",endpoint="10.0.0.7:8080"} 1',
    'gw_backends_ejections_total{name="shop",endpoint="10.0.0.7:8080"} 1',
  ]);
});
