import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { toolOutput } from '../../support/programs/tool-output.ts';
import { NODE, writeNodeFiles } from './node-files.ts';
import type { NodePrograms } from './node-programs.ts';

/** How to reach a running node, also from another process. */
export interface NodeAccess {
  /** Path of the kubeconfig of somebody who may do everything. */
  readonly kubeconfig: string;
  readonly state: string;
  /** The first process of the node, as this machine knows it. */
  readonly pid: number;
  readonly env: NodeJS.ProcessEnv;
}

const WIRE = 'gatewarden0';
const CGROUP = 'gatewarden-node';
const CGROUPS = '/sys/fs/cgroup';
const run = promisify(execFile);

/** A whole Kubernetes on one machine, without a container engine or a registry, in namespaces of its own. */
export class KubernetesNode {
  readonly access: NodeAccess;
  private readonly first: ChildProcess;

  private constructor(first: ChildProcess, access: NodeAccess) {
    this.first = first;
    this.access = access;
  }

  /** Resolves when the node is ready for Pods. @param pauseImage what holds the namespaces of a Pod */
  static async start(programs: NodePrograms, pauseImage: (path: string) => Promise<void>): Promise<KubernetesNode> {
    const state = mkdtempSync(join(tmpdir(), 'gatewarden-node-'));
    removeWire();
    writeNodeFiles(state, { cgroup: `/${CGROUP}`, networkPlugins: programs.networkPlugins });
    await pauseImage(join(state, 'pause.tar'));
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      STATE: state,
      NAME: NODE.name,
      ADDRESS: NODE.address,
      CGROUPS: makeCgroups().join(' '),
      KUBECONFIG: join(state, 'kubeconfig', 'admin'),
      PATH: [...programs.folders, join(programs.kubectl, '..'), process.env['PATH']].join(':'),
      LD_LIBRARY_PATH: programs.libraries.join(':'),
    };
    const script = fileURLToPath(new URL('first-process.sh', import.meta.url));
    const namespaces = ['--mount', '--net', '--pid', '--uts', '--ipc', '--fork', '--kill-child', '--mount-proc'];
    const words = [...namespaces, '--propagation', 'private', 'sh', script];
    const first = spawn('unshare', words, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = createInterface({ input: first.stdout });
    const said = lines[Symbol.asyncIterator]();
    try {
      await hear(said, 'namespaces');
      const [pid] = readFileSync(`/proc/${first.pid}/task/${first.pid}/children`, 'utf8').split(' ').map(Number);
      const node = new KubernetesNode(first, { kubeconfig: env['KUBECONFIG']!, state, pid: pid!, env });
      await node.connect();
      first.stdin.write('go on\n');
      await hear(said, 'started');
      await node.kubectl(['wait', '--for=create', `node/${NODE.name}`, '--timeout=60s']);
      await node.kubectl(['wait', '--for=condition=Ready', `node/${NODE.name}`, '--timeout=60s']);
      await node.kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=60s']);
      return node;
    } catch (error) {
      first.kill('SIGKILL');
      throw new Error(`the node does not start; its logs are in ${state}/log`, { cause: error });
    }
  }

  kubectl(words: readonly string[], input?: string): Promise<string> {
    return onNode(this.access).kubectl(words, input);
  }

  /** Ends everything that runs in it, and takes away what it left. */
  async stop(): Promise<void> {
    if (this.first.exitCode === null && this.first.signalCode === null) {
      process.kill(this.access.pid, 'SIGKILL');
      await once(this.first, 'exit');
    }
    removeWire();
    for (const group of cgroupFolders()) removeGroup(join(group, CGROUP));
    rmSync(this.access.state, { recursive: true, force: true });
  }

  /** Pods and Services can be reached from this machine, and the node reaches nothing else. */
  private async connect(): Promise<void> {
    const { pid } = this.access;
    const ip = (...words: readonly string[]): Promise<unknown> => run('ip', words);
    const inside = (...words: readonly string[]): Promise<unknown> =>
      run('nsenter', ['-t', String(pid), '-n', 'ip', ...words]);
    await ip('link', 'add', WIRE, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', `/proc/${pid}/ns/net`);
    await ip('addr', 'add', `${NODE.hostAddress}/30`, 'dev', WIRE);
    await ip('link', 'set', WIRE, 'up');
    await inside('addr', 'add', `${NODE.address}/30`, 'dev', 'eth0');
    await inside('link', 'set', 'eth0', 'up');
    await inside('link', 'set', 'lo', 'up');
    await inside('route', 'add', 'unreachable', 'default');
    // parts of the node reach Services too: the kernel wants a route before kube-proxy may send them elsewhere
    await inside('route', 'add', NODE.services, 'via', NODE.hostAddress);
    for (const network of [NODE.pods, NODE.services])
      await ip('route', 'add', network, 'via', NODE.address, 'dev', WIRE);
  }
}

/** What can be done with a node that runs. */
export function onNode(access: NodeAccess) {
  const inNode = (words: readonly string[]): Promise<string> =>
    toolOutput('nsenter', words, { env: access.env, hidden: ['-t', String(access.pid), '-m', '-n', '-p'] });
  return {
    kubectl: (words: readonly string[], input?: string): Promise<string> =>
      toolOutput('kubectl', words, { env: access.env, ...(input === undefined ? {} : { input }) }),
    /** Brings an image from a tarball, as nothing can be pulled. */
    importImage: (path: string): Promise<string> => inNode(['ctr', '--namespace', 'k8s.io', 'images', 'import', path]),
    /** Runs a program in the namespaces of the node. */
    inNode,
  };
}

async function hear(said: AsyncIterator<string>, word: string): Promise<void> {
  for (;;) {
    const line = await said.next();
    if (line.done === true) throw new Error(`it ended before it said "${word}"`);
    if (line.value === word) return;
  }
}

/** The hierarchies of cgroups: one folder with version 2, and one for each controller with version 1. */
function cgroupFolders(): readonly string[] {
  if (existsSync(join(CGROUPS, 'cgroup.controllers'))) return [CGROUPS];
  return readdirSync(CGROUPS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(CGROUPS, entry.name));
}

function makeCgroups(): readonly string[] {
  const folders = cgroupFolders();
  for (const folder of folders) {
    removeGroup(join(folder, CGROUP));
    mkdirSync(join(folder, CGROUP), { recursive: true });
    if (folder === CGROUPS) {
      const all = readFileSync(join(CGROUPS, 'cgroup.controllers'), 'utf8').trim().split(' ');
      writeFileSync(join(CGROUPS, CGROUP, 'cgroup.subtree_control'), all.map((name) => `+${name}`).join(' '));
    }
    if (!folder.endsWith('/cpuset')) continue;
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      writeFileSync(join(folder, CGROUP, file), readFileSync(join(folder, file)));
    }
  }
  return folders.map((folder) => join(folder, CGROUP));
}

function removeGroup(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeGroup(join(folder, entry.name));
  }
  try {
    rmdirSync(folder);
  } catch {
    // processes that are about to end hold it: the next start takes it away
  }
}

function removeWire(): void {
  execFile('ip', ['link', 'del', WIRE], () => {}); // mostly there is none
}
