import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { arch, homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { clusterPrograms, helmProgram, KUBERNETES_STAMPS } from '../../support/cluster/cluster-programs.ts';
import { type GoModule, goPrograms } from '../../support/programs/go-programs.ts';

/** Everything that a node runs, and what it is operated with. */
export interface NodePrograms {
  readonly kubectl: string;
  readonly helm: string;
  readonly coredns: string;
  readonly pause: string;
  /** Folders of programs, in the order of a PATH. */
  readonly folders: readonly string[];
  /** Folders of the libraries that they need. */
  readonly libraries: readonly string[];
  /** Folder of the plugins that give Pods their network. */
  readonly networkPlugins: string;
}

const kubernetes: GoModule<'kubelet' | 'kube-controller-manager' | 'kube-scheduler' | 'kube-proxy'> = {
  name: 'node',
  folder: moduleFolder('kubernetes'),
  programs: {
    kubelet: 'k8s.io/kubernetes/cmd/kubelet',
    'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
    'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
    'kube-proxy': 'k8s.io/kubernetes/cmd/kube-proxy',
  },
  stamps: KUBERNETES_STAMPS,
};

const coredns: GoModule<'coredns'> = {
  name: 'coredns',
  folder: moduleFolder('coredns'),
  programs: { coredns: 'github.com/coredns/coredns' },
};

const pause: GoModule<'pause'> = {
  name: 'pause',
  folder: moduleFolder('pause'),
  programs: { pause: 'gatewarden.io/test/node/tools/pause' },
};

/** Debian packages that are unpacked and never installed: the machine stays as it is. */
const PACKAGES = [
  ...['containerd', 'runc', 'containernetworking-plugins', 'nftables'],
  ...['libnftables1', 'libnftnl11', 'libmnl0', 'libjansson4', 'libxtables12', 'libgmp10', 'libedit2', 'libbsd0'],
  ...['libmd0', 'libseccomp2', 'libtinfo6'],
];

/** Brings in what is missing: minutes on a machine that has never run a node, and nothing on one that has. */
export async function nodePrograms(): Promise<NodePrograms> {
  const { etcd, apiServer, kubectl } = await clusterPrograms();
  const helm = await helmProgram();
  const own = [await goPrograms(kubernetes), await goPrograms(coredns), await goPrograms(pause)] as const;
  const debian = await unpackedPackages();
  const root = (path: string): string => join(debian, path);
  const folders = [etcd, apiServer, own[0].kubelet].map((path) => join(path, '..'));
  const libraries = readdirSync(root('usr/lib')).filter((name) => name.endsWith('-linux-gnu'));
  return {
    kubectl,
    helm,
    coredns: own[1].coredns,
    pause: own[2].pause,
    folders: [...folders, root('usr/bin'), root('usr/sbin')],
    libraries: libraries.flatMap((name) => [root(`usr/lib/${name}`), root(`lib/${name}`)]),
    networkPlugins: root('usr/lib/cni'),
  };
}

async function unpackedPackages(): Promise<string> {
  const key = createHash('sha256').update(PACKAGES.join()).digest('hex').slice(0, 16);
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(root, 'gatewarden', `debian-${arch()}-${key}`);
  if (existsSync(folder)) return folder;
  process.stderr.write(`unpacking Debian's ${PACKAGES.slice(0, 4).join(', ')} …\n`);
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(join(unfinished, 'archives'), { recursive: true });
  const run = promisify(execFile);
  const cwd = join(unfinished, 'archives');
  await run('apt-get', ['update', '-qq'], { timeout: 300_000 });
  await run('apt-get', ['download', '-qq', '-o', 'APT::Sandbox::User=root', ...PACKAGES], { cwd, timeout: 300_000 });
  for (const archive of readdirSync(cwd)) await run('dpkg', ['-x', join(cwd, archive), unfinished]);
  rmSync(cwd, { recursive: true });
  renameSync(unfinished, folder);
  return folder;
}

function moduleFolder(name: string): string {
  return fileURLToPath(new URL(`../tools/${name}`, import.meta.url));
}
