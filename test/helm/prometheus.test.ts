import { expect, it, vi } from 'vitest';
import { denialReasons } from '../../contract/route-counts.ts';
import { queryParts } from '../support/clients/query-parts.ts';
import { clusterName, dashboardQueries, renderedAlerts } from '../support/cluster/chart-monitoring.ts';
import { writeTargets } from '../support/cluster/kubernetes-targets.ts';
import { monitoredGateway } from '../support/gateways/monitored-gateway.ts';
import { type Prometheus, startPrometheus } from '../support/programs/prometheus.ts';
import { scrapeConfigs } from '../support/programs/scrape-configuration.ts';
import { watchedDirectory } from '../support/state/temporary-files.ts';

const patience = { timeout: 120_000, interval: 500 };

it('Prometheus finds every process by the monitors of the chart, and dashboard and alerts use existing metrics', async () => {
  const gateway = await monitoredGateway();
  const { rendered, cluster, namespace, shop, pods, routes } = gateway;
  const job = clusterName(rendered);
  const { path: targets } = watchedDirectory();
  await writeTargets(cluster.run, targets);
  const prometheus = await startPrometheus(scrapeConfigs(rendered, { targets, interval: '5s' }));

  const plane = { group: 'default', component: 'dataplane', namespace, job };
  const expected = [
    { job, namespace, pod: pods.controller, component: 'controller' },
    ...pods.planes.map((pod) => ({ ...plane, pod })),
    { job, namespace: shop, pod: pods.sidecar, component: 'sidecar', group: 'sidecars' },
  ];
  await vi.waitFor(async () => {
    const up = (await prometheus.query('up')).map(({ labels: { instance: _, ...labels }, value }) => [labels, value]);
    const wanted = expected.map((labels) => [{ __name__: 'up', ...labels }, '1']);
    expect(new Set(up)).toEqual(new Set(wanted));
  }, patience);

  await vi.waitFor(async () => {
    await gateway.use();
    const counted = await prometheus.query(
      `sum by (pod, route) (gw_route_request_total{job="${job}", group="default"}) > 0`,
    );
    const pairs = pods.planes.flatMap((pod) => routes.names.map((name) => `${pod} ${shop}.${name}`));
    expect(counted.map(({ labels }) => `${labels['pod']} ${labels['route']}`).toSorted()).toEqual(pairs.toSorted());
    await everyPanelShowsSomething(prometheus, dashboardQueries(rendered), job);
    const everything = await prometheus.series(`{job="${job}", group="default", route!=""}`);
    const ids = [...routes.names.map((name) => `${shop}.${name}`), 'default'];
    expect(new Set(everything.map(({ route }) => route))).toEqual(new Set(ids));
  }, patience);

  const queries = [...renderedAlerts(rendered), ...dashboardQueries(rendered)].map(({ expr }) => expr);
  await everySelectorFindsSeries(
    prometheus,
    queries.map((expr) => withVariables(expr, job)),
  );

  await vi.waitFor(async () => {
    const known = await prometheus.query(
      `sum by (route) (gw_throttled_total{job="${job}", component="controller"}) > 0`,
    );
    expect(known.map(({ labels }) => labels['route'])).toEqual([`${shop}.busy`]);
  }, patience);
});

interface Shown {
  readonly panel: string;
  readonly expr: string;
  readonly legend: string;
}

/** Every query has an answer, whose series have the labels that the legend shows. */
async function everyPanelShowsSomething(prometheus: Prometheus, queries: readonly Shown[], job: string): Promise<void> {
  const problems: string[] = [];
  for (const { panel, expr, legend } of queries) {
    const found = await prometheus.query(withVariables(expr, job));
    if (found.length === 0) problems.push(`${panel}: nothing for ${expr}`);
    for (const [, label = ''] of legend.matchAll(/\{\{(\w+)\}\}/g)) {
      if (!found.some(({ labels }) => labels[label] !== undefined)) problems.push(`${panel}: no label ${label}`);
    }
  }
  expect(problems).toEqual([]);
}

function withVariables(expr: string, job: string): string {
  const values = { $__rate_interval: '1m', $namespace: '.+', $group: '.+', $route: '.*', $job: job };
  return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), expr);
}

/** Every selector of a query finds series, and these have the labels that the query groups and matches by. */
async function everySelectorFindsSeries(prometheus: Prometheus, queries: readonly string[]): Promise<void> {
  const missing: string[] = [];
  for (const { selectors, groupings } of queries.map(queryParts)) {
    const all: object[] = [];
    for (const { text } of selectors) {
      // nobody can have tokens that cannot be judged here: the reason is one of those that there are
      const [, reason] = /reason="([\w-]+)"/.exec(text) ?? [];
      if (reason !== undefined) expect(denialReasons).toContain(reason);
      const found = await prometheus.series(text.replace(/, reason="[\w-]+"/, ', reason!=""'));
      if (found.length === 0) missing.push(text);
      all.push(...found);
    }
    for (const label of groupings) if (!all.some((labels) => label in labels)) missing.push(`a label ${label}`);
  }
  expect(missing).toEqual([]);
}
