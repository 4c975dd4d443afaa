import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../house/source-file.ts';
import {
  type AccessMatrix,
  accountIdentity,
  askAccess,
  type Identity,
  matrixTable,
  type Subject,
} from '../support/cluster/access-matrix.ts';
import { ApiServer, runKubectl } from '../support/cluster/api-server.ts';
import { renderObjects, valueSet } from '../support/cluster/chart.ts';

const reading = ['get', 'list', 'watch'];
const all = [...reading, 'create', 'update', 'patch', 'delete', 'deletecollection'];

/** Something in a namespace, as a row of the matrix. */
function things(where: string, group: string, resource: string, verbs = all): Subject {
  const [kind = '', subresource = ''] = resource.split('/');
  const [namespace = '', name = ''] = where.split('/');
  const place = where === '' ? 'everywhere' : name === '' ? `in ${namespace}` : `${name} in ${namespace}`;
  return { title: `${resource} ${place}`, verbs, resource: { group, resource: kind, subresource, namespace, name } };
}

/** One object of the cluster, as a row of the matrix. */
function one(name: string, group: string, resource: string, verbs = all): Subject {
  return { title: `${resource} ${name}`, verbs, resource: { group, resource, name } };
}

const own = 'gatewarden.io';
const rbac = 'rbac.authorization.k8s.io';
const admission = 'admissionregistration.k8s.io';

const subjects: readonly Subject[] = [
  things('', '', 'secrets'),
  things('gatewarden', '', 'secrets'),
  things('gatewarden/gatewarden-certificates', '', 'secrets'),
  things('gatewarden/gatewarden-base', '', 'secrets'),
  things('gatewarden/gatewarden-sessions', '', 'secrets'),
  things('gatewarden/another', '', 'secrets'),
  things('shop', '', 'secrets'),
  things('shop/issuer-keys', '', 'secrets'),
  things('shop/another', '', 'secrets'),
  things('bank', '', 'secrets'),
  things('bank/issuer-keys', '', 'secrets'),
  things('elsewhere', '', 'secrets'),
  things('elsewhere/issuer-keys', '', 'secrets'),
  things('', '', 'configmaps'),
  things('gatewarden', '', 'configmaps'),
  things('gatewarden/gatewarden', '', 'configmaps'),
  things('gatewarden/gatewarden-authority', '', 'configmaps'),
  things('gatewarden/gatewarden-sidecar', '', 'configmaps'),
  things('shop', '', 'configmaps'),
  ...['routes', 'secretstores', 'auditservices'].flatMap((resource) => [
    things('', own, resource),
    things('gatewarden', own, resource),
    things('shop', own, resource),
    things('elsewhere', own, resource),
    things('', own, `${resource}/status`, ['get', 'update', 'patch']),
    things('shop', own, `${resource}/status`, ['get', 'update', 'patch']),
    things('elsewhere', own, `${resource}/status`, ['get', 'update', 'patch']),
  ]),
  ...['', 'gatewarden', 'shop', 'elsewhere'].map((where) => things(where, own, 'routehistories')),
  things('', 'events.k8s.io', 'events'),
  things('gatewarden', 'events.k8s.io', 'events'),
  things('shop', 'events.k8s.io', 'events'),
  things('elsewhere', 'events.k8s.io', 'events'),
  things('', '', 'namespaces'),
  things('', '', 'nodes'),
  things('', '', 'pods'),
  things('gatewarden', '', 'pods'),
  things('shop', '', 'pods'),
  things('elsewhere', '', 'pods'),
  things('', '', 'services'),
  things('gatewarden', '', 'services'),
  things('shop', '', 'services'),
  things('default', '', 'services'),
  things('default/kubernetes', '', 'services'),
  things('elsewhere', '', 'services'),
  things('', 'discovery.k8s.io', 'endpointslices'),
  things('gatewarden', 'discovery.k8s.io', 'endpointslices'),
  things('shop', 'discovery.k8s.io', 'endpointslices'),
  things('elsewhere', 'discovery.k8s.io', 'endpointslices'),
  things('default', 'discovery.k8s.io', 'endpointslices'),
  things('default/kubernetes', 'discovery.k8s.io', 'endpointslices'),
  things('gatewarden', '', 'pods/exec', ['get', 'create']),
  things('shop', '', 'pods/exec', ['get', 'create']),
  things('gatewarden', 'apps', 'deployments'),
  things('gatewarden', 'coordination.k8s.io', 'leases'),
  things('gatewarden/gatewarden-controller', 'coordination.k8s.io', 'leases'),
  things('kube-system', 'coordination.k8s.io', 'leases'),
  things('', admission, 'validatingwebhookconfigurations'),
  one('gatewarden', admission, 'validatingwebhookconfigurations'),
  one('another', admission, 'validatingwebhookconfigurations'),
  things('', admission, 'mutatingwebhookconfigurations'),
  one('gatewarden', admission, 'mutatingwebhookconfigurations'),
  one('another', admission, 'mutatingwebhookconfigurations'),
  things('', 'apiextensions.k8s.io', 'customresourcedefinitions'),
  things('', 'authentication.k8s.io', 'tokenreviews', ['create']),
  things('', 'authorization.k8s.io', 'subjectaccessreviews', ['create']),
  things('gatewarden', '', 'serviceaccounts', [...all, 'impersonate']),
  things('gatewarden', '', 'serviceaccounts/token', ['create']),
  things('', '', 'users', ['impersonate']),
  things('', '', 'groups', ['impersonate']),
  things('', rbac, 'clusterroles', [...all, 'bind', 'escalate']),
  things('', rbac, 'clusterrolebindings'),
  things('gatewarden', rbac, 'roles', [...all, 'bind', 'escalate']),
  things('gatewarden', rbac, 'rolebindings'),
  things('shop', rbac, 'roles', [...all, 'bind', 'escalate']),
  things('shop', rbac, 'rolebindings'),
  ...['/status', '/dump', '/metrics'].map((path) => ({ title: path, verbs: ['get'], path })),
];

const others: readonly Identity[] = [
  accountIdentity('default of gatewarden', 'gatewarden', 'default'),
  accountIdentity('default of shop', 'shop', 'default'),
  { title: 'anonymous', user: 'system:anonymous', groups: ['system:unauthenticated'] },
];

let server: ApiServer | null = null;
const kubectl = (words: readonly string[], input?: string): Promise<string> => runKubectl(server!.access, words, input);

beforeAll(async () => {
  server = await ApiServer.start();
  for (const name of ['gatewarden', 'shop', 'bank', 'elsewhere']) await kubectl(['create', 'namespace', name]);
  await kubectl(['apply', '--server-side', '-f', `${repositoryRoot}/crds`]);
});

afterAll(() => server?.stop());

describe.each(['defaults', 'tenants', 'sidecars'])('with the values of %s', (name) => {
  it('every role has exactly these rights', async () => {
    const matrix = await matrixOf(name);
    await expect(`${matrixTable(matrix)}\n`).toMatchFileSnapshot(`golden/rights-${name}.md`);
  });
});

/** Installs the chart with these values, asks, and takes it away again. */
async function matrixOf(name: string): Promise<AccessMatrix> {
  const objects = await renderObjects({ values: [valueSet(name)] });
  const rights = objects.filter(({ kind }) => /^(?:ServiceAccount|(?:Cluster)?Role(?:Binding)?)$/.test(kind));
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: rights });
  await kubectl(['apply', '--server-side', '-f', '-'], list);
  const accounts = rights.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name);
  const identities = accounts.toSorted().map((account) => accountIdentity(account, 'gatewarden', account));
  const matrix = await askAccess(server!.access, [...identities, ...others], subjects);
  await kubectl(['delete', '-f', '-'], list);
  return matrix;
}
