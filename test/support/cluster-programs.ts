import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { arch, homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The programs of a real API server, as paths. */
export interface ClusterPrograms {
  readonly etcd: string;
  readonly apiServer: string;
  readonly kubectl: string;
}

/** How long building may take, in milliseconds: minutes on two cores, once per machine. */
const BUILDING = 1_800_000;
const RELEASE = { version: 'v1.36.3', major: '1', minor: '36' };

const modules = fileURLToPath(new URL('../cluster/tools', import.meta.url));
const files = ['etcd/go.mod', 'etcd/go.sum', 'kubernetes/go.mod', 'kubernetes/go.sum'];

/** Why the programs cannot be had here, or null. */
export async function whyNoCluster(): Promise<string | null> {
  if (process.env['KUBEBUILDER_ASSETS'] !== undefined || isComplete(cached())) return null;
  try {
    await promisify(execFile)('go', ['version']);
    return null;
  } catch {
    return 'they need Go to build an API server, or KUBEBUILDER_ASSETS with the programs of one';
  }
}

/** Where the programs are: those of `KUBEBUILDER_ASSETS`, else those that are built here once for every release. */
export async function clusterPrograms(): Promise<ClusterPrograms> {
  const given = process.env['KUBEBUILDER_ASSETS'];
  if (given !== undefined) return programsIn(given);
  const folder = cached();
  if (!isComplete(folder)) await build(folder);
  return programsIn(folder);
}

function cached(): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(modules, file)));
  const key = hash.digest('hex').slice(0, 16);
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(root, 'gatewarden', `cluster-${RELEASE.version}-${arch()}-${key}`);
}

function programsIn(folder: string): ClusterPrograms {
  return {
    etcd: join(folder, 'etcd'),
    apiServer: join(folder, 'kube-apiserver'),
    kubectl: join(folder, 'kubectl'),
  };
}

function isComplete(folder: string): boolean {
  return Object.values(programsIn(folder)).every((path) => existsSync(path));
}

/** Builds what is missing. Who comes while another process builds waits for it. */
async function build(folder: string): Promise<void> {
  process.stderr.write('building an API server from its Go modules: this takes minutes, once on a machine …\n');
  mkdirSync(folder, { recursive: true });
  const stamp = 'k8s.io/component-base/version';
  const flags = [
    '-s -w',
    `-X ${stamp}.gitVersion=${RELEASE.version}`,
    `-X ${stamp}.gitMajor=${RELEASE.major}`,
    `-X ${stamp}.gitMinor=${RELEASE.minor}`,
  ].join(' ');
  const wanted = [
    ['etcd', 'etcd', 'go.etcd.io/etcd/server/v3'],
    ['kubernetes', 'kubectl', 'k8s.io/kubernetes/cmd/kubectl'],
    ['kubernetes', 'kube-apiserver', 'k8s.io/kubernetes/cmd/kube-apiserver'],
  ] as const;
  for (const [module, name, path] of wanted) {
    const target = join(folder, name);
    // written under another name first: a build that is cut short leaves nothing that looks complete
    const command = 'test -e "$1" || { go build -trimpath -ldflags "$2" -o "$1.new" "$3" && mv "$1.new" "$1"; }';
    const words = [join(folder, 'lock'), 'sh', '-c', command, 'sh', target, flags, path];
    const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' };
    await promisify(execFile)('flock', words, {
      cwd: join(modules, module),
      env,
      timeout: BUILDING,
      maxBuffer: 1 << 26,
    });
    process.stderr.write(`built ${name}\n`);
  }
}
