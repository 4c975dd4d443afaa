import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateAuthority } from '../../support/identity/certificates.ts';

/** Where a node and its parts are. It has a network of its own, so that nothing of this can be taken. */
export const NODE = {
  name: 'node',
  /** This machine's end of the wire to it. */
  hostAddress: '10.200.0.1',
  address: '10.200.0.2',
  pods: '10.244.0.0/16',
  services: '10.96.0.0/16',
  dns: '10.96.0.10',
} as const;

/** Whom the API server knows by a token, with the groups that each is in. */
const USERS = {
  admin: { user: 'admin', groups: 'system:masters' },
  'controller-manager': { user: 'system:kube-controller-manager', groups: '' },
  scheduler: { user: 'system:kube-scheduler', groups: '' },
  proxy: { user: 'system:kube-proxy', groups: '' },
  kubelet: { user: `system:node:${NODE.name}`, groups: 'system:nodes' },
} as const;

/** Values of kernel settings that kubelet refuses to start without. */
const KERNEL = {
  'vm.overcommit_memory': 1,
  'vm.panic_on_oom': 0,
  'kernel.panic': 10,
  'kernel.panic_on_oops': 1,
  'kernel.keys.root_maxkeys': 1_000_000,
  'kernel.keys.root_maxbytes': 25_000_000,
};

/** Writes everything that the parts of a node read. @param state a folder that is there and empty */
export function writeNodeFiles(
  state: string,
  { cgroup, networkPlugins }: { readonly cgroup: string; readonly networkPlugins: string },
): void {
  const at = (...path: readonly string[]): string => join(state, ...path);
  for (const folder of ['keys', 'kernel', 'kubeconfig', 'lib', 'log', 'made', 'network', 'plugins'])
    mkdirSync(at(folder));
  for (const [name, value] of Object.entries(KERNEL)) writeFileSync(at('kernel', name), `${value}\n`);
  const authority = writeKeys(at('keys'));
  writeUsers(state, authority);
  // nothing in the node asks the outside
  writeFileSync(at('resolv-node.conf'), 'nameserver 127.0.0.1\n');
  writeFileSync(at('resolv-pods.conf'), `nameserver ${NODE.dns}\n`);
  writeFileSync(at('containerd.toml'), containerdSettings(networkPlugins, at('network')));
  writeFileSync(at('network', '10-pods.conflist'), JSON.stringify(podNetwork()));
  writeFileSync(at('kubelet.json'), JSON.stringify(kubeletSettings(state, cgroup)));
  writeFileSync(at('kube-proxy.json'), JSON.stringify(proxySettings(at('kubeconfig', 'proxy'))));
}

function writeKeys(folder: string): string {
  const authority = certificateAuthority('node-authority');
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const issue = (name: string, wish: { names?: readonly string[]; commonName?: string; client?: boolean }): void => {
    const { key, chain } = authority.issue(wish);
    write(`${name}.key`, key);
    write(`${name}.crt`, chain);
  };
  const short = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const names = ['127.0.0.1', NODE.address, '10.96.0.1', 'localhost', ...short, 'kubernetes.default.svc.cluster.local'];
  issue('apiserver', { names });
  issue('kubelet', { names: [NODE.address, NODE.name] });
  issue('caller', { commonName: 'apiserver', client: true });
  write('ca.crt', authority.certificate);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  write('accounts.key', String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  write('accounts.pub', String(publicKey.export({ type: 'spki', format: 'pem' })));
  return authority.certificate;
}

function writeUsers(state: string, authority: string): void {
  const server = `https://${NODE.address}:6443`;
  const data = Buffer.from(authority).toString('base64');
  const lines: string[] = [];
  for (const [name, { user, groups }] of Object.entries(USERS)) {
    const token = randomBytes(16).toString('hex');
    lines.push(`${token},${user},${user},"${groups}"`);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'node', cluster: { server, 'certificate-authority-data': data } }],
      users: [{ name: 'node', user: { token } }],
      contexts: [{ name: 'node', context: { cluster: 'node', user: 'node' } }],
      'current-context': 'node',
    };
    writeFileSync(join(state, 'kubeconfig', name), JSON.stringify(config));
  }
  writeFileSync(join(state, 'keys', 'tokens.csv'), `${lines.join('\n')}\n`);
}

function containerdSettings(plugins: string, network: string): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return [
    'version = 2',
    'root = "/var/lib/containerd"',
    'state = "/run/containerd"',
    '[grpc]',
    'address = "/run/containerd/containerd.sock"',
    `[${cri}]`,
    'sandbox_image = "localhost/pause:1"',
    // a machine need not give the right to protect processes from the kernel's choice of whom to end
    'restrict_oom_score_adj = true',
    'netns_mounts_under_state_dir = true',
    `[${cri}.cni]`,
    `bin_dir = "${plugins}"`,
    `conf_dir = "${network}"`,
    `[${cri}.containerd]`,
    'snapshotter = "overlayfs"',
    `[${cri}.containerd.runtimes.runc]`,
    'runtime_type = "io.containerd.runc.v2"',
    `[${cri}.containerd.runtimes.runc.options]`,
    'SystemdCgroup = false',
    '',
  ].join('\n');
}

function podNetwork(): object {
  const ipam = {
    type: 'host-local',
    dataDir: '/run/pod-addresses',
    ranges: [[{ subnet: '10.244.0.0/24' }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  const bridge = { type: 'bridge', bridge: 'pods0', isGateway: true, ipMasq: false, hairpinMode: true, ipam };
  return { cniVersion: '1.0.0', name: 'pods', plugins: [bridge] };
}

function kubeletSettings(state: string, cgroup: string): object {
  const at = (...path: readonly string[]): string => join(state, ...path);
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: false }, x509: { clientCAFile: at('keys', 'ca.crt') } },
    authorization: { mode: 'AlwaysAllow' },
    tlsCertFile: at('keys', 'kubelet.crt'),
    tlsPrivateKeyFile: at('keys', 'kubelet.key'),
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: cgroup,
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,
    protectKernelDefaults: true,
    maxOpenFiles: 20_000,
    clusterDNS: [NODE.dns],
    clusterDomain: 'cluster.local',
    resolvConf: at('resolv-pods.conf'),
    volumePluginDir: at('plugins'),
    // Secrets and ConfigMaps reach Pods when they change, not a minute later
    configMapAndSecretChangeDetectionStrategy: 'Watch',
    syncFrequency: '2s',
    // images cannot be pulled again: none is ever collected
    imageGCHighThresholdPercent: 100,
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'nodefs.inodesFree': '1%',
      'imagefs.available': '1%',
    },
  };
}

function proxySettings(kubeconfig: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clientConnection: { kubeconfig },
    hostnameOverride: NODE.name,
    clusterCIDR: NODE.pods,
    oomScoreAdj: 0,
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    // by default a Service follows its Pods a second late
    nftables: { minSyncPeriod: '100ms' },
  };
}
