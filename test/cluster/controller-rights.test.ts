import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { admissionConfiguration } from '../../controller/cluster/admission-configuration.ts';
import { repositoryRoot } from '../house/source-file.ts';
import { theCluster } from '../support/cluster.ts';

const cluster = theCluster();
const account = 'system:serviceaccount:gatewarden:gatewarden-controller';
const may = async (...words: string[]): Promise<boolean> =>
  (await cluster.run(['auth', 'can-i', ...words, '--as', account]).catch(() => 'no')).startsWith('yes');

beforeAll(async () => {
  // other tests may need the same namespace and the same rights
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gatewarden' } };
  await cluster.run(['apply', '--server-side', '-f', '-'], JSON.stringify(namespace));
  const crds = ['-f', `${repositoryRoot}/crds`];
  await cluster.run(['apply', '--server-side', '--force-conflicts', ...crds]);
  const rights = readFileSync(`${repositoryRoot}/docs/controller-rights.yaml`, 'utf8');
  await cluster.run(['apply', '--server-side', '--force-conflicts', '-f', '-'], rights);
});

describe('docs/controller-rights.yaml', () => {
  it.each([
    ['watch routes.gatewarden.io -A'],
    ['list secretstores.gatewarden.io -A'],
    ['watch auditservices.gatewarden.io -A'],
    ['patch routes.gatewarden.io --subresource=status -n shop'],
    ['patch secretstores.gatewarden.io --subresource=status -n shop'],
    ['watch namespaces'],
    ['watch configmaps/gatewarden -n gatewarden'],
    ['create tokenreviews.authentication.k8s.io'],
    ['create subjectaccessreviews.authorization.k8s.io'],
    ['get pods -n shop'],
    ['create events.events.k8s.io -n shop'],
    ['create leases.coordination.k8s.io -n gatewarden'],
    ['update leases.coordination.k8s.io/gatewarden-controller -n gatewarden'],
    ['patch validatingwebhookconfigurations.admissionregistration.k8s.io/gatewarden'],
    ['update secrets/gatewarden-certificates -n gatewarden'],
  ])('lets the controller %s', async (words) => {
    expect(await may(...words.split(' '))).toBe(true);
  });

  it.each([
    ['list secrets -A'],
    ['get secrets -n shop'],
    ['list secrets -n gatewarden'],
    ['get secrets/another -n gatewarden'],
    ['patch routes.gatewarden.io -n shop'],
    ['delete routes.gatewarden.io -n shop'],
    ['get configmaps -n shop'],
    ['list pods -A'],
    ['create pods --subresource=exec -n shop'],
    ['patch validatingwebhookconfigurations.admissionregistration.k8s.io/another'],
    ['delete validatingwebhookconfigurations.admissionregistration.k8s.io/gatewarden'],
    ['create serviceaccounts --subresource=token -n gatewarden'],
  ])('does not let the controller %s', async (words) => {
    expect(await may(...words.split(' '))).toBe(false);
  });

  it('is enough to register the webhook', async () => {
    const service = { namespace: 'gatewarden', name: 'gatewarden-controller', port: 443 };
    const wanted = admissionConfiguration({ name: 'gatewarden', target: { service } }, '');
    const words = ['apply', '--server-side', '--dry-run=server', '--validate=false', '--as', account, '-f', '-'];
    expect(await cluster.run(words, JSON.stringify(wanted))).toContain('validatingwebhookconfiguration');
  });
});
