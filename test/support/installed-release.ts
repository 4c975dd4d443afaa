import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { kubeconfigText } from './api-server.ts';
import { chart, crdChart, givenValues, type RenderedObject } from './chart.ts';
import type { TestCluster } from './cluster.ts';
import { containerOption, containerWords } from './container-words.ts';
import { theHelm } from './helm.ts';
import { LoggingProcess } from './logging-process.ts';
import { podsOf } from './pod-template.ts';
import { watchedDirectory } from './temporary-files.ts';

/** A release of the chart in a cluster without nodes, whose Pods run as processes here. */
export class InstalledRelease {
  readonly namespace = 'gatewarden';
  readonly folder = watchedDirectory().path;
  private readonly cluster: TestCluster;
  private made = 0;

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
  }

  /** Runs helm in the namespace of the release. */
  async helm(words: readonly string[], values: readonly (string | object)[] = []): Promise<string> {
    const helm = await theHelm();
    const given = givenValues(values);
    const { kubeconfig } = this.cluster;
    return helm.run([...words, '-n', this.namespace, ...given.words], { kubeconfig, input: given.input });
  }

  /** Installs both charts. @param definitions the chart of the definitions, by default this one */
  async install(values: readonly (string | object)[] = [], definitions = crdChart): Promise<void> {
    await this.helm(['install', 'gatewarden-crds', definitions, '--create-namespace']);
    await this.cluster.run(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
    await this.helm(['install', 'gatewarden', chart], values);
  }

  async upgrade(values: readonly (string | object)[]): Promise<void> {
    await this.helm(['upgrade', 'gatewarden', chart], values);
  }

  /** An object of the namespace, as the API server has it. */
  async get(kind: string, name: string): Promise<RenderedObject> {
    const text = await this.cluster.run(['get', kind, name, '-n', this.namespace, '-o', 'json']);
    return JSON.parse(text) as RenderedObject;
  }

  /** A process that is a controller as the release has it: with its options, and the rights of its ServiceAccount. */
  async startController(): Promise<ReleasedController> {
    const deployment = await this.get('deployment', 'gatewarden-controller');
    const name = `controller-${++this.made}`;
    const kubeconfig = this.write(
      `${name}.kubeconfig`,
      kubeconfigText(this.cluster, await this.token('gatewarden-controller', [])),
    );
    const here = '127.0.0.1:0';
    const process = this.run(
      containerWords(deployment, {
        changed: {
          '--listen': here,
          '--admin': here,
          '--secure-admin': here,
          '--webhook': here,
          // planes of this test connect by the address
          '--server-names': `${containerOption(deployment, '--server-names')},127.0.0.1`,
          '--sidecar-settings': await this.sidecarSettings(deployment),
        },
        added: { '--kubeconfig': kubeconfig, '--namespace': this.namespace },
        variables: { POD_NAME: name, POD_IP: '127.0.0.1' },
      }),
    );
    const listening = await process.line(({ msg }) => msg === 'listening');
    return { process, port: Number(listening['channel']) };
  }

  /** A process that is a plane of the release: with its options, and the token of a Pod like those of its Deployment. */
  async startPlane(group: string, controller: ReleasedController): Promise<ReleasedPlane> {
    const started = await this.runPlane(group, controller, null);
    const listening = await started.process.line(({ msg }) => msg === 'listening');
    return { ...started, port: Number(/:(\d+)$/.exec((listening['addresses'] as string[])[0]!)?.[1]) };
  }

  /** A process with the options of a plane, and the token of a Pod that has another ServiceAccount. */
  async startStranger(group: string, account: string, controller: ReleasedController): Promise<LoggingProcess> {
    return (await this.runPlane(group, controller, account)).process;
  }

  private async runPlane(group: string, { port }: ReleasedController, account: string | null) {
    const deployment = await this.get('deployment', `gatewarden-${group}`);
    const name = `gatewarden-${group}-${++this.made}`;
    const [pod] = podsOf(deployment);
    const serviceAccountName = account ?? (pod!.spec as { serviceAccountName: string }).serviceAccountName;
    const manifest = { ...pod!, metadata: { ...pod!.metadata, name }, spec: { ...pod!.spec, serviceAccountName } };
    await this.cluster.run(['create', '-n', this.namespace, '-f', '-'], JSON.stringify(manifest));
    const bound = ['--audience', 'gatewarden-controller', '--bound-object-kind', 'Pod', '--bound-object-name', name];
    const token = await this.token(serviceAccountName, bound);
    const process = this.run(
      containerWords(deployment, {
        changed: {
          '--controller': `127.0.0.1:${port}`,
          '--ca': this.write(`${name}.crt`, await this.authority()),
          '--snapshot': null,
          '--snapshot-key': null,
          '--snapshot-max-age': null,
          '--port': '0',
          '--admin': '127.0.0.1:0',
          '--drain-delay': '0s',
        },
        added: { '--token-file': this.write(`${name}.token`, token), '--host': '127.0.0.1' },
      }),
    );
    return { process, pod: name, token };
  }

  /** What planes are to trust, once controllers have written it. */
  private async authority(): Promise<string> {
    const words = ['wait', 'configmap/gatewarden-authority', '-n', this.namespace, '--timeout=60s'];
    await this.cluster.run([...words, '--for=jsonpath={.data.ca\\.crt}']);
    return this.data('gatewarden-authority', 'ca.crt');
  }

  /** The file that the Deployment mounts, or null where there are no sidecars. */
  private async sidecarSettings(deployment: RenderedObject): Promise<string | null> {
    if (containerOption(deployment, '--sidecar-settings') === null) return null;
    return this.write('sidecar.json', await this.data('gatewarden-sidecar', 'sidecar.json'));
  }

  private async data(configMap: string, key: string): Promise<string> {
    return ((await this.get('configmap', configMap))['data'] as Readonly<Record<string, string>>)[key]!;
  }

  /** A token of a ServiceAccount of the namespace. */
  async token(account: string, words: readonly string[]): Promise<string> {
    return (await this.cluster.run(['create', 'token', account, '-n', this.namespace, ...words])).trim();
  }

  private run(words: readonly string[]): LoggingProcess {
    const process = new LoggingProcess(words);
    onTestFinished(async () => {
      await process.stop('SIGKILL');
    });
    return process;
  }

  private write(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }
}

export interface ReleasedController {
  readonly process: LoggingProcess;
  /** Of the channel, on 127.0.0.1. */
  readonly port: number;
}

export interface ReleasedPlane {
  readonly process: LoggingProcess;
  /** Name of its Pod. */
  readonly pod: string;
  /** What it shows to controllers. */
  readonly token: string;
  /** Where it accepts clients, on 127.0.0.1. */
  readonly port: number;
}
