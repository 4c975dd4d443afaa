import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { emptyFigures } from '../../../contract/route-report.ts';
import { monitoringRecords } from '../../../dataplane/metrics/monitoring.ts';
import { RATE_INTERVAL, Rates } from '../../../dataplane/metrics/rates.ts';
import { registerRouteMetrics } from '../../../dataplane/metrics/route-exposition.ts';
import type { RouteSeries } from '../../../dataplane/metrics/route-series.ts';
import { figuresIn } from '../../../dataplane/metrics/route-slots.ts';
import { monitoringEndpoint } from '../../../dataplane/supervisor/monitoring-endpoint.ts';
import { sendCrest } from '../../support/crest/sent-crest.ts';

function orders(): RouteSeries {
  const figures = emptyFigures();
  const route = figuresIn(figures);
  for (const status of [200, 201, 404, 500]) {
    route.begin();
    route.end(status, 10, status === 500);
  }
  route.begin();
  return { router: 'gateway._router', route: '10-orders', name: 'orders', figures };
}

it('scrapes the metrics of a route under their names, types and labels', async () => {
  const registry = new Registry();
  registerRouteMetrics(registry, { series: () => [orders()], observations: () => [] });
  const text = await registry.metrics();
  const labels = 'name="orders",route="10-orders",router="gateway._router"';
  for (const line of [
    '# TYPE gw_route_request_active gauge',
    `gw_route_request_active{${labels}} 1`,
    '# TYPE gw_route_request_total counter',
    `gw_route_request_total{${labels}} 5`,
    '# TYPE gw_route_response_error_total counter',
    `gw_route_response_error_total{${labels}} 1`,
    '# TYPE gw_route_response_null_total counter',
    `gw_route_response_null_total{${labels}} 0`,
    '# TYPE gw_route_response_status_total counter',
    `gw_route_response_status_total{${labels},family="Successful"} 2`,
    `gw_route_response_status_total{${labels},family="Client_error"} 1`,
    `gw_route_response_status_total{${labels},family="Server_error"} 1`,
    `gw_route_response_status_total{${labels},family="Informational"} 0`,
    `gw_route_response_status_total{${labels},family="Redirection"} 0`,
    `gw_route_response_status_total{${labels},family="Unknown"} 0`,
    '# TYPE gw_route_response_time summary',
    `gw_route_response_time_sum{${labels}} 0.04`,
    `gw_route_response_time_count{${labels}} 4`,
    `gw_route_response_time_total{${labels}} 0.04`,
    'gw_router_deployed_routes{fully_qualified_name="gateway._router",heap="gateway",name="_router"} 1',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});

it('shows eleven records for a route', () => {
  const rates = new Rates();
  rates.tick(new Map([['heap._router.route.orders', 4]]), RATE_INTERVAL);
  const records = monitoringRecords([orders()], rates, RATE_INTERVAL);
  const counts = Object.fromEntries(records.map(({ _id, count, value }) => [_id, count ?? value]));
  const prefix = 'heap._router.route.orders';
  expect(counts).toEqual({
    [`${prefix}.request`]: 5,
    [`${prefix}.request.active`]: 1,
    [`${prefix}.response.error`]: 1,
    [`${prefix}.response.null`]: 0,
    [`${prefix}.response.status.informational`]: 0,
    [`${prefix}.response.status.successful`]: 2,
    [`${prefix}.response.status.redirection`]: 0,
    [`${prefix}.response.status.client_error`]: 1,
    [`${prefix}.response.status.server_error`]: 1,
    [`${prefix}.response.status.unknown`]: 0,
    [`${prefix}.response.time`]: 4,
  });
  expect(records.at(-1)).toMatchObject({
    _type: 'timer',
    total: 40,
    max: 10,
    mean: 10,
    stddev: 0,
    p50: 10,
    m1_rate: 0.8,
    mean_rate: 0.8,
    duration_units: 'milliseconds',
    rate_units: 'calls/second',
  });
});

it('answers queries and reads of single records', async () => {
  const endpoint = monitoringEndpoint(() => [
    { _id: 'a.b', _rev: null, _type: 'counter', count: 1 },
    { _id: 'a.c', _rev: null, _type: 'counter', count: 5 },
  ]);
  const idsFor = async (query: string): Promise<unknown[]> => {
    const { status, body } = await sendCrest(endpoint, `GET ?${query}`);
    expect(status).toBe(200);
    return (body['results'] as { readonly _id: string }[]).map(({ _id }) => _id);
  };
  expect(await idsFor('_queryFilter=true')).toEqual(['a.b', 'a.c']);
  expect(await idsFor('_queryFilter=_id+sw+"a.c"')).toEqual(['a.c']);
  expect(await idsFor('_queryFilter=true&_sortKeys=-count&_pageSize=1')).toEqual(['a.c']);
  expect(await sendCrest(endpoint, 'GET /a.b')).toMatchObject({ status: 200, body: { _rev: null, count: 1 } });
  expect((await sendCrest(endpoint, 'GET /nope')).status).toBe(404);
  expect((await sendCrest(endpoint, 'GET ')).status).toBe(400);
  expect((await sendCrest(endpoint, 'DELETE /a.b')).status).toBe(501);
});

it('lets the rates of a route begin at zero that had no request at first', () => {
  const rates = new Rates();
  for (const at of [1, 2, 3]) rates.tick([['a', 0]], at * RATE_INTERVAL);
  rates.tick([['a', 50]], 4 * RATE_INTERVAL);
  const { mean, recent } = rates.of('a', 50, 4 * RATE_INTERVAL);
  expect(mean).toBe(2.5);
  expect(recent[0]).toBeCloseTo(10 * (1 - Math.exp(-RATE_INTERVAL / 60_000)));
});

it('lets the rates of a route decay whose counts begin anew', () => {
  const rates = new Rates();
  rates.tick([['a', 50]], RATE_INTERVAL);
  rates.tick([['a', 0]], 2 * RATE_INTERVAL);
  const first = rates.of('a', 0, 2 * RATE_INTERVAL).recent[0];
  rates.tick([['a', 0]], 3 * RATE_INTERVAL);
  expect(rates.of('a', 0, 3 * RATE_INTERVAL).recent[0]).toBeLessThan(first);
});

it('moves rates towards the counts, and drops removed routes', () => {
  const rates = new Rates();
  rates.tick(new Map([['a', 50]]), RATE_INTERVAL);
  rates.tick(new Map([['a', 50]]), 2 * RATE_INTERVAL);
  const [m1, m5, m15] = rates.of('a', 50, 2 * RATE_INTERVAL).recent;
  expect(m1).toBeLessThan(m5);
  expect(m5).toBeLessThan(m15);
  expect(rates.of('a', 50, 2 * RATE_INTERVAL).mean).toBe(5);
  rates.tick(new Map(), 3 * RATE_INTERVAL);
  expect(rates.of('a', 50, 3 * RATE_INTERVAL)).toEqual({ mean: 0, recent: [0, 0, 0] });
});
