import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { placeOf } from '../../../contract/route-counts.ts';
import { routeKeyText } from '../../../contract/snapshot.ts';
import { countsByRoute } from '../../../dataplane/metrics/counts-by-route.ts';
import { registerRouteCounts } from '../../../dataplane/metrics/route-counts-exposition.ts';
import type { Observation } from '../../../dataplane/unit/unit-messages.ts';

const router = 'gateway._router';
const labelsOf = (route: string, name: string): Record<string, string> => ({ name, route, router });

function counted(metric: string, labels: Record<string, string>, count: number): Observation {
  return { metric, labels, count, seconds: 0 };
}

it('adds the counts of the objects of a route, without objects outside of routes', () => {
  const counts = countsByRoute(
    [
      counted('gw_throttled_total', labelsOf('app', 'one'), 3),
      counted('gw_throttled_total', labelsOf('app', 'two'), 4),
      counted('gw_throttled_total', { name: 'three', route: '', router: '' }, 9),
      counted('gw_denied_total', { ...labelsOf('app', 'one'), reason: 'no-token' }, 2),
      counted('gw_throttled_total', labelsOf('shop', 'one'), 1),
      counted('gw_timerdecorator_filter_elapsed_seconds', labelsOf('idle', 'one'), 1),
    ],
    [{ metric: 'gw_circuit_breaker_open', labels: labelsOf('app', 'one'), value: 1 }],
  );
  expect([...counts.keys()]).toEqual([routeKeyText({ router, id: 'app' }), routeKeyText({ router, id: 'shop' })]);
  const app = counts.get(routeKeyText({ router, id: 'app' }))!;
  expect(app[placeOf('gw_throttled_total', {})]).toBe(7);
  expect(app[placeOf('gw_denied_total', { reason: 'no-token' })]).toBe(2);
  expect(app[placeOf('gw_circuit_breaker_open', {})]).toBe(1);
});

it('shows them with the route as label, without rows of zero', async () => {
  const registry = new Registry();
  const observations = [
    counted('gw_throttled_total', labelsOf('app', 'one'), 3),
    counted('gw_cache_gets_total', { ...labelsOf('app', 'one'), content: 'access_token', result: 'hit' }, 5),
  ];
  const counts = countsByRoute(observations, []).get(routeKeyText({ router, id: 'app' }))!;
  registerRouteCounts(registry, () => [{ router, route: 'app', counts }]);
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toEqual([
    'gw_throttled_total{route="app",router="gateway._router"} 3',
    'gw_cache_gets_total{content="access_token",result="hit",route="app",router="gateway._router"} 5',
  ]);
});
