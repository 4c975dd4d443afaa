import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { renderObjects } from '../support/cluster/chart.ts';
import { type Alert, dashboardQueries, renderedAlerts } from '../support/cluster/chart-monitoring.ts';
import { INSTALLATION, installPrograms, programPath } from '../support/programs/debian-program.ts';
import { runProgram } from '../support/programs/run-program.ts';
import { watchedDirectory } from '../support/state/temporary-files.ts';

let alerts: readonly Alert[] = [];
let queries: readonly string[] = [];

beforeAll(async () => {
  await installPrograms(['promtool']);
  const monitoring = { prometheusRule: { enabled: true }, dashboard: { enabled: true } };
  const rendered = await renderObjects({ values: [{ monitoring }] });
  alerts = renderedAlerts(rendered);
  queries = dashboardQueries(rendered).map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'));
}, INSTALLATION);

/** Asks promtool. @returns what it said, empty when all is well */
async function promtool(words: readonly string[], files: Readonly<Record<string, object>>): Promise<string> {
  const { path } = watchedDirectory();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), stringify(content));
  const { code, stdout, stderr } = await runProgram(programPath('promtool'), [...words, 'file.yaml'], { cwd: path });
  return code === 0 ? '' : `${stdout}${stderr}`;
}

const rulesFile = (rules: readonly object[]): object => ({ groups: [{ name: 'gatewarden', rules }] });

it('promtool reads all alerts, and all queries of the dashboard', async () => {
  expect(await promtool(['check', 'rules'], { 'file.yaml': rulesFile(alerts) })).toBe('');
  const recorded = queries.map((expr, at) => ({ record: `query:${at}`, expr }));
  expect(await promtool(['check', 'rules'], { 'file.yaml': rulesFile(recorded) })).toBe('');
});

const job = 'job="gatewarden"';
const plane = `${job},namespace="gatewarden",pod="plane-1",group="default"`;
const leader = `${job},component="controller",namespace="gatewarden",pod="controller-1"`;
/** A Pod of a tenant, whose metrics say what it likes. */
const sidecar = `${job},component="sidecar",namespace="shop",pod="orders-1",group="sidecars"`;
const route = `${plane},router="gateway._router",route="shop.orders"`;

/** Each with series that begin at 0 and a step of a minute, and when it fires. */
const cases: readonly [alert: string, series: Readonly<Record<string, string>>, quiet: string, firing: string][] = [
  ['GatewardenNoLeader', { [`gw_controller_leader{${leader}}`]: '1x5 0x20' }, '7m', '10m'],
  ['GatewardenNoLeader', { 'other{}': '0x20' }, '1m', '4m'],
  ['GatewardenNoLeader', { [`gw_controller_leader{${sidecar}}`]: '1x20' }, '1m', '4m'],
  [
    'GatewardenSeveralLeaders',
    {
      [`gw_controller_leader{${leader}}`]: '1x20',
      [`gw_controller_leader{${job},component="controller",namespace="gatewarden",pod="controller-2"}`]: '0x5 1x15',
    },
    '6m',
    '10m',
  ],
  ['GatewardenTargetDown', { [`up{${plane}}`]: '1x3 0x20' }, '7m', '10m'],
  [
    'GatewardenPlaneBehind',
    {
      [`gw_controller_leader{${leader}}`]: '1x30',
      [`gw_controller_planes{${leader},state="behind"}`]: '0x2 1 0 1x26',
      [`gw_controller_leader{${sidecar},one="a"}`]: '1x30',
      [`gw_controller_leader{${sidecar},one="b"}`]: '1x30',
      [`gw_controller_planes{${leader},state="current"}`]: '2x30',
    },
    '8m',
    '12m',
  ],
  [
    'GatewardenPlaneRefused',
    {
      [`gw_controller_leader{${leader}}`]: '1x30',
      [`gw_controller_planes{${leader},state="refused"}`]: '0x2 2x28',
    },
    '6m',
    '9m',
  ],
  ['GatewardenSnapshotOld', { [`gw_snapshot_age_seconds{${plane}}`]: '0x3 60+60x20' }, '12m', '16m'],
  ['GatewardenWatchOld', { [`gw_controller_watch_age_seconds{${leader},kind="Route"}`]: '0+60x20' }, '10m', '13m'],
  [
    'GatewardenRouteErrors',
    {
      [`gw_route_response_status_total{${route},family="Successful"}`]: '0+600x40',
      [`gw_route_response_status_total{${route},family="Server_error"}`]: '0+6x20 240+120x20',
      // what the leader adds up is not counted again
      [`gw_route_response_status_total{${leader},route="shop.orders",family="Server_error"}`]: '0+900x40',
    },
    '20m',
    '32m',
  ],
  [
    'GatewardenRouteUnsound',
    { [`gatewarden_refusals_total{${plane},refusal="route-unsound"}`]: '0x5 1+1x20' },
    '5m',
    '15m',
  ],
  [
    'GatewardenCircuitOpen',
    { [`gw_circuit_breaker_open{${route},fully_qualified_name="f",name="n"}`]: '0x3 1x20' },
    '7m',
    '10m',
  ],
  [
    'GatewardenEndpointsFailing',
    {
      [`gw_backends_endpoints{${route},fully_qualified_name="f",name="n",state="serving"}`]: '3x3 2x20',
      [`gw_backends_endpoints{${route},fully_qualified_name="f",name="n",state="ejected"}`]: '1x3 1x20',
      [`gw_backends_endpoints{${route},fully_qualified_name="f",name="n",state="down"}`]: '0x3 1x20',
    },
    '7m',
    '10m',
  ],
  ['GatewardenTokensNotJudged', { [`gw_denied_total{${route},reason="not-judged"}`]: '0x5 1+1x20' }, '5m', '15m'],
  ['GatewardenPartitionsFull', { [`gw_throttling_partitions_refused_total{${route}}`]: '0x5 1+1x20' }, '5m', '15m'],
  [
    'GatewardenCertificateRenewalFailing',
    { [`gw_tls_renewal_failing{${plane},name="tls"}`]: '0x3 1x30' },
    '12m',
    '16m',
  ],
  // the clock of these tests begins in 1970: a certificate for eight days has a day until it is told of
  [
    'GatewardenCertificateExpires',
    { [`gw_tls_certificate_expiry_seconds{${plane},name="tls"}`]: '691200x1600' },
    '23h',
    '26h',
  ],
  [
    'GatewardenHostCertificateExpires',
    { [`gw_controller_certificates{${leader},state="Expiring"}`]: '0x3 1x30' },
    '12m',
    '16m',
  ],
  [
    'GatewardenHostCertificateMissing',
    { [`gw_controller_certificate_faults{${leader},reason="SecretNotFound"}`]: '0x3 1x30' },
    '17m',
    '21m',
  ],
  [
    'GatewardenHostCertificateUnusable',
    { [`gw_tls_host_certificates{${plane},state="Expired"}`]: '0x3 1x30' },
    '17m',
    '21m',
  ],
  [
    'GatewardenHostCertificateUnusable',
    { [`gw_tls_host_certificates{${plane},state="Unusable"}`]: '0x3 1x30' },
    '17m',
    '21m',
  ],
  ['GatewardenRestarts', { [`process_start_time_seconds{${plane}}`]: '1x5 2x2 3x2 4x20' }, '8m', '12m'],
  ['GatewardenUnitRestarts', { [`gatewarden_unit_restarts_total{${plane}}`]: '0x5 1x20' }, '4m', '8m'],
];

describe('an alert', () => {
  it.each(cases)('%s fires when it is time, and not before: %j', async (alert, series, quiet, firing) => {
    const rule = alerts.find((one) => one.alert === alert);
    expect(rule).toBeDefined();
    const test = (at: string, counts: boolean): object => ({
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${alert}", alertstate="firing"}) or vector(0)`,
          eval_time: at,
          exp_samples: [{ labels: '{}', value: counts ? 1 : 0 }],
        },
      ],
    });
    const tests = [test(quiet, false), test(firing, true)];
    const files = { 'rules.yaml': rulesFile([rule!]), 'file.yaml': { rule_files: ['rules.yaml'], tests } };
    expect(await promtool(['test', 'rules'], files)).toBe('');
  });

  it('is tried, each of them', () => {
    expect(new Set(cases.map(([alert]) => alert))).toEqual(new Set(alerts.map(({ alert }) => alert)));
  });
});
