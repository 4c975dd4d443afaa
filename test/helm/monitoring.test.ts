import { beforeAll, describe, expect, it } from 'vitest';
import { queryParts } from '../support/clients/query-parts.ts';
import { type RenderedObject, renderObjects } from '../support/cluster/chart.ts';
import {
  clusterName,
  dashboardQueries,
  renderedAlerts,
  renderedDashboard,
} from '../support/cluster/chart-monitoring.ts';
import { scrapeConfigs } from '../support/programs/scrape-configuration.ts';

const names = ['serviceMonitor', 'podMonitor', 'prometheusRule', 'dashboard'];
const monitoring = Object.fromEntries(names.map((name) => [name, { enabled: true }]));
const sidecars = { enabled: true, namespaces: ['shop', 'bank'] };
const kinds = new Set(['ServiceMonitor', 'PodMonitor', 'PrometheusRule']);
let rendered: readonly RenderedObject[] = [];

beforeAll(async () => {
  rendered = await renderObjects({ values: [{ monitoring, sidecars }] });
});

const monitors = (all: readonly RenderedObject[]): string[] =>
  all.filter(({ kind, metadata }) => kinds.has(kind) || metadata.name.endsWith('-dashboard')).map(({ kind }) => kind);

async function refusal(values: object): Promise<string> {
  return renderObjects({ values: [{ monitoring, sidecars, ...values }] }).then(
    () => 'it renders',
    (error: Error) => error.message,
  );
}

describe('monitoring', () => {
  it('is off by default', async () => {
    expect(monitors(await renderObjects())).toEqual([]);
    expect(monitors(rendered).toSorted()).toEqual(['ConfigMap', 'PodMonitor', 'PrometheusRule', 'ServiceMonitor']);
  });

  it('finds controllers and planes by the labels and the port of their Services for metrics', () => {
    const monitor = rendered.find(({ kind }) => kind === 'ServiceMonitor')!;
    const { selector, endpoints } = monitor['spec'] as {
      selector: { matchLabels: Record<string, string> };
      endpoints: [{ port: string }];
    };
    const isSelected = ({ kind, metadata }: RenderedObject): boolean =>
      kind === 'Service' &&
      Object.entries(selector.matchLabels).every(([name, value]) => metadata.labels?.[name] === value);
    const found = rendered.filter(isSelected);
    expect(found.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'gatewarden-controller-metrics',
      'gatewarden-default-metrics',
    ]);
    for (const service of found) {
      const { ports } = service['spec'] as { ports: { name: string }[] };
      expect(ports.map(({ name }) => name)).toEqual([endpoints[0].port]);
    }
  });

  it('rejects options that it cannot fulfil', async () => {
    expect(await refusal({ sidecars: { enabled: false } })).toContain('monitoring.podMonitor is for sidecars');
    const disabled = { prometheusRule: { enabled: true, disabled: ['GatewardenNoLeaders'] } };
    expect(await refusal({ monitoring: { ...monitoring, ...disabled } })).toContain('GatewardenNoLeaders');
    const wrong = { serviceMonitor: { enabled: true, every: '30s' } };
    expect(await refusal({ monitoring: { ...monitoring, ...wrong } })).toMatch(/every/);
  });

  it('becomes the Prometheus configuration of the operator', () => {
    const text = scrapeConfigs(rendered);
    expect(text).toContain('role: endpointslice');
    expect(text).toContain('job_name: podMonitor/gatewarden/gatewarden-sidecars/0');
    expect(text).toContain('__meta_kubernetes_service_labelpresent_gatewarden_io_service');
    expect(text.match(/names:\n\s+- shop\n\s+- bank/g)).toHaveLength(1);
  });
});

describe('alerts', () => {
  it('have a summary, a severity and a remedy', () => {
    const alerts = renderedAlerts(rendered);
    expect(alerts.length).toBeGreaterThan(10);
    for (const { alert, labels, annotations } of alerts) {
      expect(alert).toMatch(/^Gatewarden[A-Z]\w+$/);
      expect(['warning', 'critical']).toContain(labels['severity']);
      expect(Object.keys(annotations).toSorted()).toEqual(['description', 'runbook', 'summary']);
    }
  });

  it('name labels that their results have', () => {
    for (const { alert, expr, annotations } of renderedAlerts(rendered)) {
      const named = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!);
      const kept = / by \(/.test(expr) ? queryParts(expr).groupings : ['job', 'namespace', 'pod', 'group', 'kind'];
      expect([alert, named.filter((label) => !kept.includes(label))]).toEqual([alert, []]);
    }
  });

  it('select this release only', async () => {
    const other = await renderObjects({ release: 'edge', namespace: 'gateways', values: [{ monitoring, sidecars }] });
    const job = clusterName(other);
    expect(job).toBe('edge-gatewarden-gateways');
    for (const { expr } of renderedAlerts(other)) {
      const { selectors } = queryParts(expr);
      expect(selectors.length).toBeGreaterThan(0);
      for (const { text } of selectors) expect(text).toContain(`job="${job}"`);
    }
  });

  it('can be changed, removed and extended', async () => {
    const overrides = { GatewardenSnapshotOld: { for: '10m', labels: { severity: 'critical' } } };
    const extraRules = [{ record: 'shop:requests', expr: 'sum(gw_route_request_total)' }];
    const prometheusRule = {
      enabled: true,
      disabled: ['GatewardenNoLeader'],
      overrides,
      extraRules,
      runbookUrl: 'https://docs.example.com/monitoring',
    };
    const alerts = renderedAlerts(
      await renderObjects({ values: [{ monitoring: { ...monitoring, prometheusRule }, sidecars }] }),
    );
    expect(alerts.map(({ alert }) => alert)).not.toContain('GatewardenNoLeader');
    expect(alerts.at(-1)).toEqual(extraRules[0]);
    const changed = alerts.find(({ alert }) => alert === 'GatewardenSnapshotOld')!;
    expect(changed).toMatchObject(overrides.GatewardenSnapshotOld);
    expect(changed.annotations['runbook_url']).toBe('https://docs.example.com/monitoring#gatewardensnapshotold');
  });
});

describe('the dashboard', () => {
  it('has no two panels in one place, each with the data source that is chosen', () => {
    const { panels, schemaVersion, templating } = renderedDashboard(rendered);
    expect(schemaVersion).toBeGreaterThanOrEqual(39);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { gridPos, type, datasource } of panels) {
      if (type !== 'row') expect(datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`)).toBe(false);
          taken.add(`${x} ${y}`);
        }
      }
    }
    expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'job', 'namespace', 'group', 'route']);
  });

  it('selects data planes by release, namespace and group, so that nothing is counted twice', () => {
    for (const { expr } of dashboardQueries(rendered)) {
      for (const { metric, labels } of queryParts(expr).selectors) {
        const wanted = /^(gw_controller_|process_|up$)/.test(metric) ? ['job'] : ['job', 'namespace', 'group'];
        expect([metric, labels.slice(0, wanted.length)]).toEqual([metric, wanted]);
        if (/^gw_(route|denied|cache|throttled|circuit|retries)/.test(metric)) expect(labels).toContain('route');
      }
    }
  });

  it('shows the first questions of operators', () => {
    const metrics = new Set(
      dashboardQueries(rendered).flatMap(({ expr }) => queryParts(expr).selectors.map(({ metric }) => metric)),
    );
    for (const wanted of [
      'gw_route_request_total',
      'gw_route_response_status_total',
      'gw_route_response_seconds_bucket',
      'gw_denied_total',
      'gw_cache_gets_total',
      'gw_throttled_total',
      'gw_circuit_breaker_open',
      'gw_controller_planes',
    ]) {
      expect(metrics).toContain(wanted);
    }
  });
});
