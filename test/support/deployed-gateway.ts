import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClusterAccess, kubeconfigText, runKubectl } from './api-server.ts';
import { LoggingProcess } from './logging-process.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

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
  readonly planes: RunningPlane[] = [];
  private readonly options: DeploymentOptions;
  private made = 0;

  private constructor(options: DeploymentOptions) {
    this.options = options;
  }

  /** Prepares everything; nothing runs yet. */
  static async prepare(options: DeploymentOptions): Promise<DeployedGateway> {
    const deployed = new DeployedGateway(options);
    const { namespace } = deployed;
    for (const name of ['route', 'secret-store', 'audit-service']) {
      await deployed.kubectl(['apply', '--server-side', '-f', join(repository, 'crds', `${name}.yaml`)]);
    }
    await deployed.kubectl(['create', 'namespace', namespace]);
    const rights = readFileSync(join(repository, 'docs', 'controller-rights.yaml'), 'utf8')
      .replaceAll('namespace: gatewarden', `namespace: ${namespace}`)
      .replaceAll('name: gatewarden-controller', `name: gatewarden-controller-${namespace}`)
      .replaceAll(
        'resourceNames: [gatewarden]\n    verbs: [get, patch]',
        `resourceNames: [${namespace}]\n    verbs: [get, patch]`,
      );
    await deployed.kubectl(['apply', '-f', '-'], rights);
    await deployed.kubectl(['create', 'serviceaccount', 'plane', '-n', namespace]);
    await deployed.configure(options.trust ?? {}, options.base ?? {});
    await deployed.writeToken(`gatewarden-controller-${namespace}`, 'controller.token', []);
    writeFileSync(deployed.at('kubeconfig'), kubeconfigText(options.access, deployed.read('controller.token')));
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
  async startController(words: readonly string[] = []): Promise<RunningController> {
    const name = `controller-${++this.made}`;
    const process = new LoggingProcess([
      'controller',
      ...['--kubeconfig', this.at('kubeconfig'), '--namespace', this.namespace, '--identity', name],
      ...['--watch-namespaces', this.options.namespaces.join(',')],
      ...['--listen', '127.0.0.1:0', '--advertise', '127.0.0.1', '--admin', '127.0.0.1:0'],
      ...['--webhook-configuration', this.namespace],
      ...(this.options.words ?? []),
      ...words,
    ]);
    const listening = await process.line(({ msg }) => msg === 'listening');
    const portOf = (key: string): number => (listening[key] as { port: number } | null)?.port ?? 0;
    const controller = { process, name, port: Number(listening['channel']), adminPort: portOf('admin') };
    this.controllers.push(controller);
    return controller;
  }

  /** Starts one more plane, which is a Pod as far as the cluster knows. */
  async startPlane(options: PlaneStart = {}): Promise<RunningPlane> {
    const { labels = {}, words = [], controllers = this.controllers } = options;
    const name = options.name ?? `plane-${++this.made}`;
    if (options.name === undefined) {
      const metadata = { name, namespace: this.namespace, labels };
      const spec = { serviceAccountName: 'plane', containers: [{ name: 'plane', image: 'gatewarden' }] };
      await this.apply({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
      const bound = ['--audience', 'gatewarden-controller', '--bound-object-kind', 'Pod', '--bound-object-name', name];
      await this.writeToken('plane', `${name}.token`, bound);
      const ca = await this.untilAuthority();
      writeFileSync(this.at('ca.crt'), ca);
    }
    const process = new LoggingProcess([
      'dataplane',
      ...['--controller', controllers.map(({ port }) => `127.0.0.1:${port}`).join(',')],
      ...['--ca', this.at('ca.crt'), '--token-file', this.at(`${name}.token`), '--name', name],
      ...['--host', '127.0.0.1', '--port', '0', '--admin', '127.0.0.1:0', '--units', '1', '--access-log', 'off'],
      ...words,
    ]);
    const listening = await process.line(({ msg }) => msg === 'listening');
    const plane = {
      process,
      name,
      port: Number(/:(\d+)$/.exec((listening['addresses'] as string[])[0]!)?.[1]),
      adminPort: (listening['admin'] as { port: number }).port,
    };
    this.planes.push(plane);
    return plane;
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
    await Promise.all([...this.planes, ...this.controllers].map(({ process }) => process.stop('SIGKILL')));
    await this.kubectl(['delete', 'validatingwebhookconfiguration', this.namespace, '--ignore-not-found']);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private read(name: string): string {
    return readFileSync(this.at(name), 'utf8');
  }

  private async writeToken(account: string, file: string, words: readonly string[]): Promise<void> {
    const token = await this.kubectl(['create', 'token', account, '-n', this.namespace, '--duration', '2h', ...words]);
    writeFileSync(this.at(file), token.trim());
  }

  /** The authority that controllers have published. */
  private async untilAuthority(): Promise<string> {
    const wait = ['wait', '--for=create', 'configmap/gatewarden-authority', '-n', this.namespace, '--timeout', '30s'];
    await this.kubectl(wait);
    return this.kubectl([
      ...['get', 'configmap', 'gatewarden-authority', '-n', this.namespace],
      ...['-o', 'jsonpath={.data.ca\\.crt}'],
    ]);
  }
}

export interface RunningController {
  readonly process: LoggingProcess;
  readonly name: string;
  readonly port: number;
  readonly adminPort: number;
}

export interface RunningPlane {
  readonly process: LoggingProcess;
  readonly name: string;
  readonly port: number;
  readonly adminPort: number;
}

export interface PlaneStart {
  readonly labels?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
  readonly controllers?: readonly Pick<RunningController, 'port'>[];
  /** A plane that was started before and is started again. */
  readonly name?: string;
}
