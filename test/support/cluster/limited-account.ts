import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { watchedDirectory } from '../state/temporary-files.ts';
import { kubeconfigText } from './api-server.ts';
import type { TestCluster } from './cluster.ts';

/** What a role lets somebody do, as RBAC writes it. */
export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** A ServiceAccount that may do this much in the whole cluster. */
export interface LimitedAccount {
  readonly token: string;
  /** Path of a kubeconfig, for the rest of the test. @param server where to go instead of the API server itself */
  kubeconfig(server?: string): string;
}

export async function limitedAccount(
  cluster: TestCluster,
  name: string,
  rules: readonly Rule[],
): Promise<LimitedAccount> {
  const namespace = await cluster.namespace(name);
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: namespace },
    rules,
  };
  await cluster.run(['create', '-f', '-'], JSON.stringify(role));
  await cluster.run(['create', 'serviceaccount', name, '-n', namespace]);
  const account = `--serviceaccount=${namespace}:${name}`;
  await cluster.run(['create', 'clusterrolebinding', namespace, `--clusterrole=${namespace}`, account]);
  for (const { apiGroups = [''], resources = [], resourceNames = [], nonResourceURLs = [], verbs } of rules) {
    const [verb = '*', group = '', object] = [verbs[0], apiGroups[0], resourceNames[0]];
    const wanted: Access[] = [
      ...resources.map((resource) => ({ verb, group, resource, ...(object !== undefined && { name: object }) })),
      ...nonResourceURLs.map((path) => ({ verb, path })),
    ];
    for (const access of wanted) await untilAllowed(cluster, `${namespace}:${name}`, access);
  }
  const token = (await cluster.run(['create', 'token', name, '-n', namespace])).trim();
  return {
    token,
    kubeconfig(server = cluster.server) {
      const path = join(watchedDirectory().path, 'kubeconfig');
      writeFileSync(path, kubeconfigText({ ...cluster, server }, token));
      return path;
    },
  };
}

/** What somebody wants to do, as an access review asks for it. */
interface Access {
  readonly verb: string;
  readonly namespace?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  /** In place of a resource. */
  readonly path?: string;
}

/** Resolves when the API server lets a ServiceAccount do this: it applies new roles and bindings a moment later. */
export async function untilAllowed(cluster: TestCluster, account: string, access: Access): Promise<void> {
  const { path, resource: named = '', ...rest } = access;
  const [resource, subresource] = named.split('/');
  const attributes =
    path === undefined
      ? { resourceAttributes: { ...rest, resource, ...(subresource !== undefined && { subresource }) } }
      : { nonResourceAttributes: { path, verb: rest.verb } };
  const spec = { user: `system:serviceaccount:${account}`, ...attributes };
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  const words = ['create', '-f', '-', '-o', 'jsonpath={.status.allowed}'];
  // benchmarks have users too, and run outside of vitest; the process of each question is pause enough
  while ((await cluster.run(words, JSON.stringify(review))) !== 'true');
}
