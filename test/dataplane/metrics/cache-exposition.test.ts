import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { registerCacheMetrics } from '../../../dataplane/metrics/cache-exposition.ts';
import { Observations } from '../../../dataplane/metrics/observations.ts';
import { cacheMeter } from '../../../dataplane/oauth2/cache/cache-meter.ts';
import { objectParts } from '../../support/gateways/object-parts.ts';

it('shows the counters of caches and their load times', async () => {
  const observations = new Observations();
  const registry = new Registry();
  registerCacheMetrics(registry, () => observations.all);
  const { parts } = objectParts(
    {},
    {
      observe: (metric, labels, seconds) => observations.add(metric, labels, seconds),
      counter: (metric, labels) => () => observations.add(metric, labels, 0),
    },
  );
  const meter = cacheMeter(parts, 'access_token');
  for (let i = 0; i < 3; i++) meter.hit();
  meter.miss();
  meter.loaded(0.5);
  meter.loaded(0.25);
  for (const cause of ['expired', 'size', 'size', 'explicit'] as const) meter.evicted(cause);
  const labels = 'content="access_token",heap="test",fully_qualified_name="test.it",name="it",route="",router=""';
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines.map((line) => line.replace(labels, '…'))).toEqual([
    'gw_cache_gets_total{…,result="hit"} 3',
    'gw_cache_gets_total{…,result="miss"} 1',
    'gw_cache_evictions_sum{…,cause="expired"} 1',
    'gw_cache_evictions_count{…,cause="expired"} 1',
    'gw_cache_evictions_sum{…,cause="size"} 2',
    'gw_cache_evictions_count{…,cause="size"} 2',
    'gw_cache_evictions_sum{…,cause="explicit"} 1',
    'gw_cache_evictions_count{…,cause="explicit"} 1',
    'gw_cache_loads_seconds_sum{…} 0.75',
    'gw_cache_loads_seconds_count{…} 2',
  ]);
});
