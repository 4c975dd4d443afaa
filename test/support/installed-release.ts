import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { kubeconfigText } from './api-server.ts';
import { chart, crdChart, type RenderedObject, valueWords } from './chart.ts';
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
  async helm(words: readonly string[]): Promise<string> {
    const helm = await theHelm();
    return helm.run([...words, '-n', this.namespace], { kubeconfig: this.cluster.kubeconfig });
  }

  /** Installs both charts. @param definitions the chart of the definitions, by default this one */
  async install(values: readonly (string | object)[] = [], definitions = crdChart): Promise<void> {
    await this.helm(['install', 'gatewarden-crds', definitions, '--create-namespace']);
    await this.cluster.run(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
    await this.helm(['install', 'gatewarden', chart, ...valueWords(values)]);
  }

  async upgrade(values: readonly (string | object)[]): Promise<void> {
    await this.helm(['upgrade', 'gatewarden', chart, ...valueWords(values)]);
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
    const kubeconfig = join(this.folder, `${name}.kubeconfig`);
    const token = await this.token('gatewarden-controller', []);
    writeFileSync(kubeconfig, kubeconfigText(this.cluster, token));
    const here = '127.0.0.1:0';
    const words = containerWords(
      deployment,
      {
        '--kubeconfig': kubeconfig,
        '--namespace': this.namespace,
        '--listen': here,
        '--admin': here,
        '--secure-admin': here,
        '--webhook': here,
        // planes of this test connect by the address
        '--server-names': `${containerOption(deployment, '--server-names')},127.0.0.1`,
      },
      { POD_NAME: name, POD_IP: '127.0.0.1' },
    );
    const process = this.run(words);
    const listening = await process.line(({ msg }) => msg === 'listening');
    return { process, port: Number(listening['channel']) };
  }

  /** A process that is a plane of the release: with its options, and the token of a Pod like those of its Deployment. */
  async startPlane(group: string, { port }: ReleasedController): Promise<ReleasedPlane> {
    const deployment = await this.get('deployment', `gatewarden-${group}`);
    const name = `gatewarden-${group}-${++this.made}`;
    const [pod] = podsOf(deployment);
    const manifest = { ...pod!, metadata: { ...pod!.metadata, name } };
    await this.cluster.run(['create', '-n', this.namespace, '-f', '-'], JSON.stringify(manifest));
    const { serviceAccountName } = pod!.spec as { serviceAccountName: string };
    const bound = ['--audience', 'gatewarden-controller', '--bound-object-kind', 'Pod', '--bound-object-name', name];
    const token = await this.token(serviceAccountName, bound);
    const authority = await this.get('configmap', 'gatewarden-authority');
    const process = this.run(
      containerWords(deployment, {
        '--controller': `127.0.0.1:${port}`,
        '--ca': this.write(`${name}.crt`, (authority['data'] as Record<string, string>)['ca.crt']!),
        '--token-file': this.write(`${name}.token`, token),
        '--snapshot': null,
        '--snapshot-key': null,
        '--snapshot-max-age': null,
        '--host': '127.0.0.1',
        '--port': '0',
        '--admin': '127.0.0.1:0',
        '--drain-delay': '0s',
      }),
    );
    const listening = await process.line(({ msg }) => msg === 'listening');
    return { process, pod: name, token, port: Number(/:(\d+)$/.exec((listening['addresses'] as string[])[0]!)?.[1]) };
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
