import { beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../house/source-file.ts';
import { type RenderedObject, renderObjects, valueSet, valueSets } from '../support/cluster/chart.ts';
import { theCluster } from '../support/cluster/cluster.ts';
import { podsOf } from '../support/cluster/pod-template.ts';

const cluster = theCluster();
const strict = ['--validate=strict', '--warnings-as-errors'];
const apply = ['apply', '--server-side', '--force-conflicts', ...strict];
const restricted = {
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/warn': 'restricted',
};

beforeAll(async () => {
  await cluster.run([...apply, '-f', `${repositoryRoot}/crds`]);
  await cluster.run([...apply, '-f', `${repositoryRoot}/test/helm/monitoring-definitions.yaml`]);
  await cluster.run(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=300s']);
});

describe.each(valueSets())('with the values of %s', (name) => {
  // ports of nodes are beyond what it allows, as values.yaml says
  const values =
    name === 'daemonset'
      ? [valueSet(name), { dataPlaneDefaults: { hostPorts: { http: 0, https: 0 } } }]
      : [valueSet(name)];

  it('the API server accepts every object, and Pod Security "restricted" every Pod', async () => {
    const { namespace, objects } = await prepared(values);
    expect(objects.length).toBeGreaterThan(10);
    await cluster.run([...apply, '--dry-run=server', '-f', '-'], listOf(objects));

    const pods = objects.flatMap(podsOf);
    expect(pods.length).toBeGreaterThan(1);
    const create = ['create', '--dry-run=server', ...strict, '-n', namespace, '-f', '-'];
    for (const pod of pods) await cluster.run(create, JSON.stringify(pod));
  });
});

it('data planes on host ports are accepted if Pod Security allows them', async () => {
  const { objects } = await prepared([valueSet('daemonset')], {});
  await cluster.run([...apply, '--dry-run=server', '-f', '-'], listOf(objects));
});

describe('an invalid object', () => {
  it('would be noticed: a field that does not exist', async () => {
    const { objects } = await prepared([]);
    const service = objects.find(({ kind }) => kind === 'Service')!;
    const wrong = { ...service, spec: { ...(service['spec'] as object), sessionAffinities: 'None' } };
    await expect(cluster.run([...apply, '--dry-run=server', '-f', '-'], listOf([wrong]))).rejects.toThrow(
      'sessionAffinities',
    );
  });

  it.each([
    ['runAsNonRoot', { securityContext: {} }],
    ['hostNetwork', { hostNetwork: true }],
  ])('would be noticed: a Pod with another %s', async (_, changes) => {
    const { namespace, objects } = await prepared([]);
    const [pod] = objects.flatMap(podsOf);
    const spec = withoutContexts({ ...pod!.spec, ...changes });
    const create = ['create', '--dry-run=server', '-n', namespace, '-f', '-'];
    await expect(cluster.run(create, JSON.stringify({ ...pod!, spec }))).rejects.toThrow('violates PodSecurity');
  });
});

/** What the chart renders for a new namespace with these labels, with the other namespaces that it needs. */
async function prepared(
  values: readonly (string | object)[],
  labels: Readonly<Record<string, string>> = restricted,
): Promise<{ namespace: string; objects: RenderedObject[] }> {
  const namespace = await cluster.namespace('chart');
  const objects = await renderObjects({ namespace, values });
  const needed = new Set([namespace, ...objects.flatMap(({ metadata }) => metadata.namespace ?? [])]);
  const namespaces = [...needed].map((one) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: one, ...(one === namespace ? { labels } : {}) },
  }));
  await cluster.run([...apply, '-f', '-'], listOf(namespaces));
  // Pods need their ServiceAccounts for real
  await cluster.run([...apply, '-f', '-'], listOf(objects.filter(({ kind }) => kind === 'ServiceAccount')));
  return { namespace, objects };
}

function listOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

/** A Pod whose containers say nothing of their user. */
function withoutContexts(spec: object): object {
  const { containers } = spec as { containers: readonly object[] };
  return { ...spec, containers: containers.map((container) => ({ ...container, securityContext: undefined })) };
}
