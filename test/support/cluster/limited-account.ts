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
