import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { homeDirectory } from './home-directory.ts';
import { isInCluster } from './in-cluster.ts';

/**
 * The kubeconfig that a command uses, as kubectl would: what was given, else none in a Pod, which has a ServiceAccount,
 * else `KUBECONFIG`, else `~/.kube/config` if it is there. @throws Error when several files are named
 */
export function kubeconfigPath(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  home = homeDirectory(),
): string | undefined {
  if (given !== undefined) return given;
  if (isInCluster(env)) return undefined;
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (named.length > 1) throw new Error(`KUBECONFIG names ${named.length} files: choose one with --kubeconfig`);
  const usual = home === null ? null : join(home, '.kube', 'config');
  return named[0] ?? (usual !== null && existsSync(usual) ? usual : undefined);
}
