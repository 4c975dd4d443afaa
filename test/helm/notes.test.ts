import { beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../house/source-file.ts';
import { notesText, valueSet, valueSets } from '../support/cluster/chart.ts';
import { theCluster } from '../support/cluster/cluster.ts';

const cluster = theCluster();

beforeAll(async () => {
  await cluster.run(['apply', '--server-side', '--force-conflicts', '-f', `${repositoryRoot}/crds`]);
});

describe('the notes after an installation', () => {
  it('are the next three commands', async () => {
    const notes = await notesText();
    expect(notes.match(/^\d\. .*$/gm)).toEqual([
      expect.stringContaining('1. '),
      expect.stringContaining('2. '),
      expect.stringContaining('3. '),
    ]);
    expect(notes.match(/^(?:kubectl|helm) .*$/gm)).toHaveLength(3);
  });

  it.each(valueSets())('have a Route that can be applied unchanged, with the values of %s', async (name) => {
    const namespace = await cluster.namespace('notes');
    const values = [valueSet(name)];
    const [, route = ''] = /<<'EOF'\n([\s\S]*?)\nEOF\n/.exec(await notesText({ namespace, values })) ?? [];
    const place = /namespace: ([\w-]+)/.exec(route)?.[1];
    expect(place).toBeDefined();
    if (place !== namespace) await cluster.run(['create', 'namespace', place!]).catch(() => {});
    const said = await cluster.run(['create', '--dry-run=server', '--validate=strict', '-f', '-'], route);
    expect(said).toContain('route.gatewarden.io/hello created');
  });

  it.each<[what: string, values: object]>([
    ['secretAccess.clusterWide', { secretAccess: { clusterWide: true } }],
    ['rbac.aggregateToDefaultRoles', { rbac: { aggregateToDefaultRoles: true } }],
    ['trust.egress', { trust: { egress: ['127.0.0.1'] } }],
    ['trust.sharedObjects', { trust: { sharedObjects: ['Client'] } }],
    ['sidecars.enabled', { sidecars: { enabled: true, namespaces: ['shop'] }, config: { handler: 'Router' } }],
    [
      'dataPlanes.default.serviceAccount.name',
      { dataPlaneDefaults: { serviceAccount: { create: false, name: 'default' } } },
    ],
    ['webhook.enabled', { webhook: { enabled: false } }],
    ['webhook.failurePolicy', { webhook: { failurePolicy: 'Fail' }, controller: { replicas: 1 } }],
    ['networkPolicy.enabled', { networkPolicy: { enabled: false } }],
    [
      'networkPolicy.metricsFrom',
      { networkPolicy: { metricsFrom: [] }, monitoring: { serviceMonitor: { enabled: true } } },
    ],
    ['controller.replicas', { controller: { replicas: 1 } }],
    ['dataPlanes.default.replicas', { dataPlaneDefaults: { replicas: 1 } }],
    ['dataPlanes.default.service.type', { dataPlaneDefaults: { service: { type: 'LoadBalancer' } } }],
    ['dataPlanes.default.hostPorts', { dataPlaneDefaults: { kind: 'DaemonSet', hostPorts: { http: 80 } } }],
    ['dataPlanes.default.trustedProxies', { dataPlaneDefaults: { trustedProxies: ['0.0.0.0/0'] } }],
    ['trust.tenants', { trust: { tenants: [{ name: 'own', namespaces: ['gatewarden'], hosts: ['*'] }] } }],
  ])('warn of %s', async (what, values) => {
    const warned = async (given: object): Promise<string[]> =>
      [...(await notesText({ values: [given] })).matchAll(/^- (.*)$/gm)].map((match) => match[1]!);
    const before = await warned({});
    const added = (await warned(values)).filter((line) => !before.includes(line));
    expect(
      added.some((line) => line.includes(what)),
      added.join('\n'),
    ).toBe(true);
  });
});
