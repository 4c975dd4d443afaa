import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areBuilt, type GoModule, goPrograms, hasGo } from '../programs/go-programs.ts';

/** The programs of a real API server, as paths. */
export interface ClusterPrograms {
  readonly etcd: string;
  readonly apiServer: string;
  readonly kubectl: string;
}

/** What Kubernetes is told that it is; without it, clients take it for an unknown version. */
export const KUBERNETES_STAMPS = {
  'k8s.io/component-base/version.gitVersion': 'v1.36.3',
  'k8s.io/component-base/version.gitMajor': '1',
  'k8s.io/component-base/version.gitMinor': '36',
} as const;

const etcd: GoModule<'etcd'> = {
  name: 'etcd',
  folder: moduleFolder('etcd'),
  programs: { etcd: 'go.etcd.io/etcd/server/v3' },
};

const kubernetes: GoModule<'kubectl' | 'kube-apiserver'> = {
  name: 'kubernetes',
  folder: moduleFolder('kubernetes'),
  programs: { kubectl: 'k8s.io/kubernetes/cmd/kubectl', 'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver' },
  stamps: KUBERNETES_STAMPS,
};

const helm: GoModule<'helm'> = {
  name: 'helm',
  folder: moduleFolder('helm'),
  programs: { helm: 'helm.sh/helm/v4/cmd/helm' },
};

/** Why the programs cannot be had here, or null. */
export async function whyNoCluster(): Promise<string | null> {
  const hasServer = given() !== undefined || (areBuilt(etcd) && areBuilt(kubernetes));
  if ((hasServer && (givenHelm() !== null || areBuilt(helm))) || (await hasGo())) return null;
  return 'they need Go to build helm and an API server, or KUBEBUILDER_ASSETS with the programs';
}

/** Where the programs are: those of `KUBEBUILDER_ASSETS`, else those that are built here once for every release. */
export async function clusterPrograms(): Promise<ClusterPrograms> {
  const folder = given();
  if (folder !== undefined) {
    return { etcd: join(folder, 'etcd'), apiServer: join(folder, 'kube-apiserver'), kubectl: join(folder, 'kubectl') };
  }
  const { kubectl, 'kube-apiserver': apiServer } = await goPrograms(kubernetes);
  return { ...(await goPrograms(etcd)), apiServer, kubectl };
}

/** Where helm is: beside the programs of `KUBEBUILDER_ASSETS` if it is there, else built here once. */
export async function helmProgram(): Promise<string> {
  return givenHelm() ?? (await goPrograms(helm)).helm;
}

function given(): string | undefined {
  return process.env['KUBEBUILDER_ASSETS'];
}

function givenHelm(): string | null {
  const folder = given();
  const path = folder === undefined ? null : join(folder, 'helm');
  return path !== null && existsSync(path) ? path : null;
}

function moduleFolder(name: string): string {
  return fileURLToPath(new URL(`../../cluster/tools/${name}`, import.meta.url));
}
