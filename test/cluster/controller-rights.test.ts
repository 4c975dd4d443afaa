import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { admissionConfiguration } from '../../controller/cluster/identity/admission-configuration.ts';
import { repositoryRoot } from '../house/source-file.ts';
import { kubeconfigText } from '../support/cluster/api-server.ts';
import { theCluster } from '../support/cluster/cluster.ts';
import { LoggingProcess } from '../support/gateways/logging-process.ts';
import { watchedDirectory } from '../support/state/temporary-files.ts';

const cluster = theCluster();
const rights = readFileSync(`${repositoryRoot}/docs/controller-rights.yaml`, 'utf8');
const account = 'system:serviceaccount:gatewarden:gatewarden-controller';
const may = async (...words: string[]): Promise<boolean> =>
  (await cluster.run(['auth', 'can-i', ...words, '--as', account]).catch(() => 'no')).startsWith('yes');

beforeAll(async () => {
  // other tests may need the same namespace and the same rights
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gatewarden' } };
  await cluster.run(['apply', '--server-side', '-f', '-'], JSON.stringify(namespace));
  const crds = ['-f', `${repositoryRoot}/crds`];
  await cluster.run(['apply', '--server-side', '--force-conflicts', ...crds]);
  await cluster.run(['apply', '--server-side', '--force-conflicts', '-f', '-'], rights);
});

describe('docs/controller-rights.yaml', () => {
  it.each([
    ['watch routes.gatewarden.io -A'],
    ['list secretstores.gatewarden.io -A'],
    ['watch auditservices.gatewarden.io -A'],
    ['patch routes.gatewarden.io --subresource=status -n shop'],
    ['patch secretstores.gatewarden.io --subresource=status -n shop'],
    ['update routehistories.gatewarden.io -n shop'],
    ['watch namespaces'],
    ['watch services -n shop'],
    ['watch endpointslices.discovery.k8s.io -n shop'],
    ['watch configmaps/gatewarden -n gatewarden'],
    ['create tokenreviews.authentication.k8s.io'],
    ['create subjectaccessreviews.authorization.k8s.io'],
    ['get pods -n shop'],
    ['watch pods -n gatewarden'],
    ['watch services -n gatewarden'],
    ['watch services/kubernetes -n default'],
    ['watch endpointslices.discovery.k8s.io/kubernetes -n default'],
    ['create events.events.k8s.io -n shop'],
    ['create leases.coordination.k8s.io -n gatewarden'],
    ['update leases.coordination.k8s.io/gatewarden-controller -n gatewarden'],
    ['patch validatingwebhookconfigurations.admissionregistration.k8s.io/gatewarden'],
    ['watch validatingwebhookconfigurations.admissionregistration.k8s.io/gatewarden'],
    ['patch mutatingwebhookconfigurations.admissionregistration.k8s.io/gatewarden'],
    ['update secrets/gatewarden-certificates -n gatewarden'],
    ['update secrets/gatewarden-base -n gatewarden'],
    ['update secrets/gatewarden-sessions -n gatewarden'],
    ['create events.events.k8s.io -n gatewarden'],
    ['patch configmaps/gatewarden-authority -n gatewarden'],
  ])('allows the controller to %s', async (words) => {
    expect(await may(...words.split(' '))).toBe(true);
  });

  it.each([
    ['list secrets -A'],
    ['get secrets -n shop'],
    ['list secrets -n gatewarden'],
    ['get secrets/another -n gatewarden'],
    ['patch routes.gatewarden.io -n shop'],
    ['delete routes.gatewarden.io -n shop'],
    ['delete routehistories.gatewarden.io -n shop'],
    ['get configmaps -n shop'],
    ['patch configmaps/gatewarden -n gatewarden'],
    ['list pods -A'],
    ['list pods -n shop'],
    ['patch services -n shop'],
    ['create endpointslices.discovery.k8s.io -n shop'],
    ['list nodes'],
    ['create pods --subresource=exec -n shop'],
    ['patch validatingwebhookconfigurations.admissionregistration.k8s.io/another'],
    ['create mutatingwebhookconfigurations.admissionregistration.k8s.io'],
    ['delete validatingwebhookconfigurations.admissionregistration.k8s.io/gatewarden'],
    ['create serviceaccounts --subresource=token -n gatewarden'],
  ])('does not allow the controller to %s', async (words) => {
    expect(await may(...words.split(' '))).toBe(false);
  });

  it('is enough to register the webhook', async () => {
    const service = { namespace: 'gatewarden', name: 'gatewarden-controller', port: 443 };
    const wanted = admissionConfiguration({ name: 'gatewarden', target: { service } }, '');
    const words = ['apply', '--server-side', '--dry-run=server', '--validate=false', '--as', account, '-f', '-'];
    expect(await cluster.run(words, JSON.stringify(wanted))).toContain('validatingwebhookconfiguration');
  });

  it('is enough for a controller to run', async () => {
    const namespace = await cluster.namespace('rights');
    await cluster.run(['apply', '-f', '-'], rightsIn(namespace));
    const token = await cluster.run(['create', 'token', 'gatewarden-controller', '-n', namespace]);
    const kubeconfig = join(watchedDirectory().path, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText(cluster, token.trim()));
    const where = ['--kubeconfig', kubeconfig, '--namespace', namespace, '--watch-namespaces', namespace];
    const ports = ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];
    const controller = new LoggingProcess(['controller', ...where, ...ports, '--identity', 'one']);
    onTestFinished(async () => {
      await controller.stop();
      await cluster.run(['delete', 'clusterrole,clusterrolebinding', namespace]);
      await cluster.run(['delete', 'role,rolebinding', namespace, '-n', 'default']);
    });
    await controller.line(({ msg }) => msg === 'this controller is the leader');

    const metadata = { name: 'orders', namespace };
    const route = { apiVersion: 'gatewarden.io/v1alpha1', kind: 'Route', metadata, spec: { handler: 7 } };
    await cluster.run(['apply', '-f', '-'], JSON.stringify(route));
    const waited = ['wait', 'routes.gatewarden.io/orders', '-n', namespace, '--timeout=300s'];
    await cluster.run([...waited, '--for=condition=Accepted=False']);
    const spec = { baseURI: 'http://10.0.0.1:80', handler: 'ReverseProxyHandler' };
    await cluster.run(['apply', '-f', '-'], JSON.stringify({ ...route, spec }));
    await cluster.run([...waited, '--for=condition=Accepted=True']);
    await cluster.run(['wait', 'configmap/gatewarden-authority', '-n', namespace, '--for=create', '--timeout=300s']);
    await vi.waitFor(
      async () => expect(await cluster.run(['get', 'events', '-n', namespace])).toContain('NotAccepted'),
      { timeout: 30_000, interval: 200 },
    );
    expect(controller.said.filter((line) => /forbidden/i.test(JSON.stringify(line)))).toEqual([]);
  });
});

/** The rights as the page has them, for a controller in another namespace. */
function rightsIn(namespace: string): string {
  const objects = parseAllDocuments(rights).map((document) => document.toJS() as RightsObject);
  const items = objects.map((object) => {
    const { metadata, roleRef, subjects } = object;
    const isOfCluster = metadata.namespace === undefined;
    // beside those of others, where the API server is
    const isShared = isOfCluster || metadata.namespace === 'default';
    const own = isOfCluster ? { name: namespace } : { name: namespace, namespace: 'default' };
    return {
      ...object,
      metadata: isShared ? own : { ...metadata, namespace },
      ...(roleRef === undefined ? {} : { roleRef: isShared ? { ...roleRef, name: namespace } : roleRef }),
      ...(subjects === undefined ? {} : { subjects: subjects.map((subject) => ({ ...subject, namespace })) }),
    };
  });
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

interface RightsObject {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly roleRef?: object;
  readonly subjects?: readonly object[];
}
