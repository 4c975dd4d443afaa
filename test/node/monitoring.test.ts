import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { RenderedObject } from '../support/cluster/chart.ts';
import { clusterName } from '../support/cluster/chart-monitoring.ts';
import { writeTargets } from '../support/cluster/kubernetes-targets.ts';
import { startPrometheus } from '../support/programs/prometheus.ts';
import { scrapeConfigs } from '../support/programs/scrape-configuration.ts';
import { watchedDirectory } from '../support/state/temporary-files.ts';
import { runApp } from './support/app.ts';
import { install, RELEASE, uninstall } from './support/installation.ts';
import { theNode } from './support/test-node.ts';

const node = theNode();
const patience = { timeout: 60_000, interval: 250 };
const definitions = fileURLToPath(new URL('../helm/monitoring-definitions.yaml', import.meta.url));

beforeAll(async () => {
  await node.kubectl(['apply', '--server-side', '-f', '-'], readFileSync(definitions, 'utf8'));
  await node.kubectl(['create', 'namespace', 'shop']);
  await install(node, {
    sidecars: { enabled: true, namespaces: ['shop'] },
    monitoring: {
      serviceMonitor: { enabled: true },
      podMonitor: { enabled: true },
      prometheusRule: { enabled: true },
      dashboard: { enabled: true },
    },
  });
});

afterAll(async () => {
  await uninstall(node, 'shop');
  await node.kubectl(['delete', '-f', '-', '--ignore-not-found'], readFileSync(definitions, 'utf8'));
});

it('Prometheus finds every Pod by the installed monitors, and counts its requests', async () => {
  await runApp(node, {
    namespace: 'shop',
    name: 'cart',
    labels: { 'gatewarden.io/inject': 'true' },
    targetPort: 15_080,
  });
  await node.apply({
    apiVersion: 'gatewarden.io/v1alpha1',
    kind: 'Route',
    metadata: { name: 'hello', namespace: 'shop' },
    spec: {
      condition: "${request.uri.path == '/hello'}",
      handler: { type: 'StaticResponseHandler', config: { status: 200 } },
    },
  });
  await node.kubectl([
    'wait',
    '--for=condition=Programmed',
    'route.gatewarden.io/hello',
    '-n',
    'shop',
    '--timeout=60s',
  ]);

  const kinds = ['servicemonitors', 'podmonitors', 'prometheusrules'].map((kind) => `${kind}.monitoring.coreos.com`);
  const { items } = await node.get<{ items: readonly RenderedObject[] }>([kinds.join(','), '-n', RELEASE]);
  expect(items.map(({ kind }) => kind).toSorted()).toContain('PodMonitor');
  const { path: targets } = watchedDirectory();
  await writeTargets(node.kubectl, targets);
  const prometheus = await startPrometheus(scrapeConfigs(items, { targets, interval: '1s' }));
  const job = clusterName(items);

  await vi.waitFor(async () => {
    const up = await prometheus.query(`count by (component) (up{job="${job}"} == 1)`);
    const found = Object.fromEntries(up.map(({ labels, value }) => [labels['component'], value]));
    expect(found).toEqual({ controller: '2', dataplane: '2', sidecar: '1' });
  }, patience);

  const origin = await node.origin(RELEASE, 'gatewarden-default');
  for (let i = 0; i < 40; i++) expect((await fetch(`${origin}/hello`)).status).toBe(200);
  await vi.waitFor(async () => {
    const [sum] = await prometheus.query(
      `sum(gw_route_request_total{job="${job}", group="default", route="shop.hello"})`,
    );
    expect(sum?.value).toBe('40');
    const [merged] = await prometheus.query(
      `sum(gw_route_request_total{job="${job}", component="controller", route="shop.hello"})`,
    );
    expect(merged?.value).toBe('40');
  }, patience);
});
