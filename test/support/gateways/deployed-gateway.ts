import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClusterAccess, kubeconfigText, runKubectl } from '../cluster/api-server.ts';
import { LoggingProcess } from './logging-process.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
/** Of documentation networks: nothing is reached there. */
const POD_ADDRESS = '198.51.100.7';

export interface DeploymentOptions {
  readonly access: ClusterAccess;
  /** Namespaces that are followed; they may be made later. */
  readonly namespaces: readonly string[];
  /** Content of `trust.json` beside the group of the planes. */
  readonly trust?: Readonly<Record<string, unknown>>;
  /** Further keys of the base configuration. */
  readonly base?: Readonly<Record<string, unknown>>;
  /** Further words for controllers. */
  readonly words?: readonly string[];
}

/** A namespace with what controllers and planes need, and the processes that run in its name. */
export class DeployedGateway {
  /** The namespace of the base configuration. */
  readonly namespace = `system-${randomBytes(4).toString('hex')}`;
  readonly folder = mkdtempSync(join(tmpdir(), 'gatewarden-deployed-'));
  readonly controllers: RunningController[] = [];
  /** Those that accept clients, or did. */
  readonly planes: RunningPlane[] = [];
  private readonly processes: LoggingProcess[] = [];
  private readonly options: DeploymentOptions;
  private made = 0;

  private constructor(options: DeploymentOptions) {
    this.options = options;
  }

  /** Prepares everything; nothing runs yet. */
  static async prepare(options: DeploymentOptions): Promise<DeployedGateway> {
    const deployed = new DeployedGateway(options);
    const { namespace } = deployed;
    for (const name of ['route', 'secret-store', 'audit-service', 'route-history']) {
      await deployed.kubectl(['apply', '--server-side', '-f', join(repository, 'crds', `${name}.yaml`)]);
    }
    await deployed.kubectl(['create', 'namespace', namespace]);
    const rights = readFileSync(join(repository, 'docs', 'controller-rights.yaml'), 'utf8')
      .replaceAll('namespace: gatewarden', `namespace: ${namespace}`)
      .replaceAll('name: gatewarden-controller', `name: gatewarden-controller-${namespace}`)
      .replaceAll(
        'resourceNames: [gatewarden]\n    verbs: [get, list, watch, patch]',
        `resourceNames: [${namespace}]\n    verbs: [get, list, watch, patch]`,
      );
    await deployed.kubectl(['apply', '-f', '-'], rights);
    await deployed.kubectl(['create', 'serviceaccount', 'plane', '-n', namespace]);
    await deployed.configure(options.trust ?? {}, options.base ?? {});
    await deployed.writeToken(`gatewarden-controller-${namespace}`, 'controller.token', []);
    return deployed;
  }

  /** Writes the base configuration. */
  async configure(
    trust: Readonly<Record<string, unknown>>,
    base: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const groups = [{ name: 'edge', serviceAccounts: [`${this.namespace}/plane`] }];
    const files = { 'trust.json': { groups, ...trust }, ...base };
    const data = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, JSON.stringify(content)]));
    const metadata = { name: 'gatewarden', namespace: this.namespace };
    await this.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  }

  /** Starts one more controller. */
  async startController(words: readonly string[] = [], start: ControllerStart = {}): Promise<RunningController> {
    const name = `controller-${++this.made}`;
    const { server = this.options.access.server, env = {}, command } = start;
    const kubeconfig = this.at(`${name}.kubeconfig`);
    writeFileSync(kubeconfig, kubeconfigText({ ...this.options.access, server }, this.read('controller.token')));
    const all = [
      'controller',
      ...['--kubeconfig', kubeconfig, '--namespace', this.namespace, '--identity', name],
      ...['--watch-namespaces', this.options.namespaces.join(',')],
      ...(words.includes('--listen') ? [] : ['--listen', '127.0.0.1:0']),
      ...(words.includes('--admin') ? [] : ['--admin', '127.0.0.1:0']),
      ...['--advertise', '127.0.0.1'],
      ...['--webhook-configuration', this.namespace],
      ...(this.options.words ?? []),
      ...words,
    ];
    const process = new LoggingProcess(all, env, command);
    this.processes.push(process);
    const listening = await process.line(({ msg }) => msg === 'listening');
    const portOf = (key: string): number => (listening[key] as { port: number } | null)?.port ?? 0;
    const controller = { process, name, port: Number(listening['channel']), adminPort: portOf('admin') };
    this.controllers.push(controller);
    return controller;
  }

  /** Starts one more plane, which is a Pod as far as the cluster knows. Resolves when it accepts clients. */
  async startPlane(options: PlaneStart = {}): Promise<RunningPlane> {
    return this.untilServing(await this.startWaitingPlane(options));
  }

  /** Starts one more plane, and does not wait for it to have something to serve. */
  async startWaitingPlane(options: PlaneStart = {}): Promise<WaitingPlane> {
    const { words = [], controllers = this.controllers, env = {}, command } = options;
    const name = options.name ?? (await this.makePod(options));
    const all = [
      'dataplane',
      ...['--controller', controllers.map(({ port }) => `127.0.0.1:${port}`).join(',')],
      ...['--ca', this.at('ca.crt'), '--name', name],
      ...(words.includes('--bootstrap-token-file') ? [] : ['--token-file', this.at(`${name}.token`)]),
      ...(words.includes('--admin') ? [] : ['--admin', '127.0.0.1:0']),
      ...['--host', '127.0.0.1', '--port', '0', '--units', '1', '--access-log', 'off'],
      ...words,
    ];
    const process = new LoggingProcess(all, env, command);
    this.processes.push(process);
    const waiting = await process.line(({ msg }) => msg === 'waiting for the configuration from a controller');
    return { process, name, adminPort: (waiting['admin'] as { port: number }).port };
  }

  /** Resolves when a plane accepts clients. */
  async untilServing({ process, name, adminPort }: WaitingPlane): Promise<RunningPlane> {
    const listening = await process.line(({ msg }) => msg === 'listening');
    const port = Number(/:(\d+)$/.exec((listening['addresses'] as string[])[0]!)?.[1]);
    const plane = { process, name, adminPort, port };
    this.planes.push(plane);
    return plane;
  }

  /** Makes the Pod of a plane, and the files that a plane of its name is started with. @returns its name */
  async makePod(pod: PlanePod = {}): Promise<string> {
    const { labels = {}, account = 'plane', namespace = this.namespace, ports = [] } = pod;
    const name = `plane-${++this.made}`;
    const spec = { serviceAccountName: account, containers: [{ name: 'plane', image: 'gatewarden', ports }] };
    await this.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec });
    const bound = ['--audience', 'gatewarden-controller', '--bound-object-kind', 'Pod', '--bound-object-name', name];
    await this.writeToken(account, `${name}.token`, bound, namespace);
    writeFileSync(this.at('ca.crt'), await this.untilAuthority());
    return name;
  }

  /** Says of a Pod that it runs, and whether it is Ready, as a kubelet would. */
  async setReady(pod: string, isReady: boolean, namespace = this.namespace): Promise<void> {
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
    const status = { phase: 'Running', podIP: POD_ADDRESS, podIPs: [{ ip: POD_ADDRESS }], conditions };
    const words = ['patch', 'pod', pod, '-n', namespace, '--subresource=status', '--type=merge', '-p'];
    await this.kubectl([...words, JSON.stringify({ status })]);
  }

  /** Lets controllers read Secrets of these names in a namespace, as its owner would. */
  async grantSecrets(namespace: string, names: readonly string[]): Promise<void> {
    const verbs = ['get', 'list', 'watch'].map((verb) => `--verb=${verb}`);
    const resources = ['--resource=secrets', ...names.map((name) => `--resource-name=${name}`)];
    await this.kubectl(['create', 'role', this.namespace, '-n', namespace, ...verbs, ...resources]);
    const account = `--serviceaccount=${this.namespace}:gatewarden-controller-${this.namespace}`;
    await this.kubectl(['create', 'rolebinding', this.namespace, '-n', namespace, `--role=${this.namespace}`, account]);
  }

  /** Resolves when a condition of a resource has this reason. @param object such as `route/orders` */
  async untilReason(namespace: string, object: string, condition: string, reason: string): Promise<void> {
    const [kind, name] = object.split('/');
    const path = `{.status.conditions[?(@.type=="${condition}")].reason}`;
    const words = ['wait', `${kind}s.gatewarden.io/${name}`, '-n', namespace, '--timeout', '300s'];
    await this.kubectl([...words, `--for=jsonpath=${path}=${reason}`]);
  }

  /** Creates or changes an object as a user who may do everything. */
  async apply(object: object): Promise<string> {
    return this.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(object));
  }

  kubectl(words: readonly string[], input?: string): Promise<string> {
    return runKubectl(this.options.access, words, input);
  }

  at(name: string): string {
    return join(this.folder, name);
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop('SIGKILL')));
    await this.kubectl(['delete', 'validatingwebhookconfiguration', this.namespace, '--ignore-not-found']);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private read(name: string): string {
    return readFileSync(this.at(name), 'utf8');
  }

  private async writeToken(
    account: string,
    file: string,
    words: readonly string[],
    namespace = this.namespace,
  ): Promise<void> {
    const token = await this.kubectl(['create', 'token', account, '-n', namespace, '--duration', '2h', ...words]);
    writeFileSync(this.at(file), token.trim());
  }

  /** The authority that controllers have published. */
  private async untilAuthority(): Promise<string> {
    const wait = ['wait', '--for=create', 'configmap/gatewarden-authority', '-n', this.namespace, '--timeout', '300s'];
    await this.kubectl(wait);
    return this.kubectl([
      ...['get', 'configmap', 'gatewarden-authority', '-n', this.namespace],
      ...['-o', 'jsonpath={.data.ca\\.crt}'],
    ]);
  }
}

export interface ControllerStart {
  /** Where it finds the API server, in place of where that is. */
  readonly server?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The program with its first words, in place of this one. */
  readonly command?: readonly [string, ...string[]];
}

export interface RunningController {
  readonly process: LoggingProcess;
  readonly name: string;
  readonly port: number;
  readonly adminPort: number;
}

export interface WaitingPlane {
  readonly process: LoggingProcess;
  readonly name: string;
  readonly adminPort: number;
}

export interface RunningPlane extends WaitingPlane {
  readonly port: number;
}

/** The Pod of a plane. */
export interface PlanePod {
  readonly labels?: Readonly<Record<string, string>>;
  /** Its ServiceAccount. */
  readonly account?: string;
  readonly namespace?: string;
  /** Ports of its container. */
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
}

export interface PlaneStart extends PlanePod {
  readonly words?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The program with its first words, in place of this one. */
  readonly command?: readonly [string, ...string[]];
  readonly controllers?: readonly Pick<RunningController, 'port'>[];
  /** A plane that was started before and is started again. */
  readonly name?: string;
}
