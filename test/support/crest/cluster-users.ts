import type { TestCluster } from '../cluster/cluster.ts';
import { untilAllowed } from '../cluster/limited-account.ts';

const ALL_VERBS = ['get', 'list', 'create', 'update', 'patch', 'delete'];

/** Creates a ServiceAccount that may do this with the resources of some namespaces. @returns its token */
export async function routesUser(
  cluster: TestCluster,
  name: string,
  namespaces: readonly string[] | 'all',
  verbs: readonly string[] = ALL_VERBS,
  resources: readonly string[] = ['routes'],
): Promise<string> {
  const home = await cluster.namespace(name);
  await cluster.run(['create', 'serviceaccount', name, '-n', home]);
  const account = `--serviceaccount=${home}:${name}`;
  const rights = [
    `--verb=${verbs.join(',')}`,
    `--resource=${resources.map((one) => `${one}.gatewarden.io`).join(',')}`,
  ];
  if (namespaces === 'all') {
    await cluster.run(['create', 'clusterrole', home, ...rights]);
    await cluster.run(['create', 'clusterrolebinding', home, `--clusterrole=${home}`, account]);
  } else {
    for (const namespace of namespaces) {
      await cluster.run(['create', 'role', home, '-n', namespace, ...rights]);
      await cluster.run(['create', 'rolebinding', home, '-n', namespace, `--role=${home}`, account]);
    }
  }
  const [verb = 'get', resource = 'routes'] = [verbs[0], resources[0]];
  for (const namespace of namespaces === 'all' ? [''] : namespaces) {
    await untilAllowed(cluster, `${home}:${name}`, { verb, group: 'gatewarden.io', resource, namespace });
  }
  return (await cluster.run(['create', 'token', name, '-n', home, '--duration', '2h'])).trim();
}
