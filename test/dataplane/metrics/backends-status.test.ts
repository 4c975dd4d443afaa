import { expect, it } from 'vitest';
import { backendsStatus } from '../../../dataplane/metrics/backends-status.ts';
import { PlaneGauges } from '../../../dataplane/metrics/gauges.ts';
import { Observations } from '../../../dataplane/metrics/observations.ts';

it('puts the endpoints of each Backends together from what units show and count', () => {
  const object = {
    fully_qualified_name: 'gateway._router.app.shop',
    name: 'shop',
    route: 'app',
    router: 'gateway._router',
  };
  const gauges = new PlaneGauges();
  const shown = (unit: number, outstanding: number) => [
    { metric: 'gw_backends_endpoints', labels: { ...object, state: 'serving' }, value: 1 },
    { metric: 'gw_backends_endpoint_state', labels: { ...object, endpoint: 'a:80' }, value: 0 },
    { metric: 'gw_backends_endpoint_state', labels: { ...object, endpoint: 'b:80' }, value: 1 },
    { metric: 'gw_backends_endpoint_state', labels: { ...object, endpoint: 'c:80' }, value: 2 },
    { metric: 'gw_backends_outstanding', labels: { ...object, endpoint: 'a:80', unit: `${unit}` }, value: outstanding },
    { metric: 'gw_circuit_breaker_open', labels: object, value: 1 },
  ];
  gauges.set(0, shown(0, 3));
  gauges.set(1, shown(1, 4));
  const observations = new Observations();
  const count = (metric: string, endpoint: string, labels = {}): void =>
    observations.add(metric, { ...object, endpoint, ...labels }, 0);
  for (let i = 0; i < 3; i++) count('gw_backends_requests_total', 'a:80', { result: 'answered' });
  count('gw_backends_requests_total', 'b:80', { result: 'failed' });
  count('gw_backends_ejections_total', 'b:80');
  count('gw_backends_failed_probes_total', 'c:80');
  count('gw_backends_ejections_total', 'gone:80');
  const none = { ejections: 0, failedProbes: 0, outstanding: 0, requests: { answered: 0, failed: 0 } };
  expect(backendsStatus(gauges.all, observations.all)).toEqual([
    {
      name: 'shop',
      route: 'app',
      router: 'gateway._router',
      endpoints: [
        { ...none, endpoint: 'a:80', state: 'serving', outstanding: 7, requests: { answered: 3, failed: 0 } },
        { ...none, endpoint: 'b:80', state: 'ejected', ejections: 1, requests: { answered: 0, failed: 1 } },
        { ...none, endpoint: 'c:80', state: 'down', failedProbes: 1 },
      ],
    },
  ]);
});
