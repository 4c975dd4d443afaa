import { expect, it } from 'vitest';
import type { ReflectorFacts } from '../../../controller/cluster/api/reflector-facts.ts';
import { ControllerMetrics } from '../../../controller/metrics/controller-metrics.ts';
import { routeProblems } from '../../support/cluster/judged-resources.ts';

const watch = (kind: string, heardAt: number | null, relists: number): ReflectorFacts => ({
  kind,
  scope: '',
  isSynced: true,
  objects: 1,
  position: '1',
  watchingSince: null,
  heardAt,
  eventAt: null,
  relists,
  errors: new Map([['Expired', relists]]),
  fault: null,
});

it('shows counters and current values', async () => {
  const metrics = new ControllerMetrics({
    isLeader: () => true,
    revision: () => 'r1',
    planeStates: () => ['current', 'current', 'refused'],
    streams: () => 2,
    reflectors: () => [watch('Route', 5000, 1), watch('Route', 2000, 2), watch('Secret', null, 0)],
    routesWithEndpointsLeftOut: () => 7,
    certificates: () => [
      {
        faults: [{ reason: 'SecretNotFound', path: [], message: 'there is no Secret shop/none' }],
        shown: [{ secret: 'shop/tls', notBefore: 0, notAfter: 10_500 }],
      },
      { faults: [], shown: [{ secret: 'shop/tls', notBefore: 0, notAfter: 10_500 }] },
      { faults: [], shown: [{ secret: 'pay/tls', notBefore: 0, notAfter: 100_000 }] },
    ],
    now: () => 10_000,
  });
  metrics.compiled(3);
  metrics.acknowledged(12);
  metrics.refused([routeProblems('no'), { route: null, problems: [], keepsServing: true }]);
  metrics.statusWritten('Route', 'written');
  metrics.eventRecorded('dropped');
  metrics.webhookAnswered('Route', 'denied', 2);
  metrics.apiAnswered('put', 'routes', 409, 3);
  const lines = (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('gw_controller_'));
  for (const line of [
    'gw_controller_compile_seconds_count 1',
    'gw_controller_compile_seconds_sum 0.003',
    'gw_controller_ack_seconds_sum 0.012',
    'gw_controller_nacks_total{reason="build"} 1',
    'gw_controller_status_writes_total{kind="Route",outcome="written"} 1',
    'gw_controller_events_total{outcome="dropped"} 1',
    'gw_controller_webhook_seconds_count{kind="Route",outcome="denied"} 1',
    'gw_controller_api_requests_total{operation="put",collection="routes",status="409"} 1',
    'gw_controller_api_seconds_sum{operation="put"} 0.003',
    'gw_controller_leader 1',
    'gw_controller_revision_info{revision="r1"} 1',
    'gw_controller_streams 2',
    'gw_controller_routes_with_endpoints_left_out 7',
    'gw_controller_planes{state="current"} 2',
    'gw_controller_planes{state="behind"} 0',
    'gw_controller_planes{state="refused"} 1',
    'gw_controller_watch_age_seconds{kind="Route"} 8',
    'gw_controller_relists_total{kind="Route"} 3',
    'gw_controller_watch_errors_total{kind="Route",reason="Expired"} 3',
    'gw_controller_certificate_expiry_seconds{secret="shop/tls"} 10.5',
    'gw_controller_certificate_expiry_seconds{secret="pay/tls"} 100',
    'gw_controller_certificates{state="Ready"} 1',
    'gw_controller_certificates{state="Expiring"} 1',
    'gw_controller_certificates{state="Expired"} 0',
    'gw_controller_certificate_faults{reason="SecretNotFound"} 1',
  ]) {
    expect(lines).toContain(line);
  }
});
