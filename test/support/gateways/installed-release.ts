import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { kubeconfigText } from '../cluster/api-server.ts';
import { chart, crdChart, givenValues, type RenderedObject } from '../cluster/chart.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { containerOption, containerWords } from '../cluster/container-words.ts';
import { theHelm } from '../cluster/helm.ts';
import { podsOf } from '../cluster/pod-template.ts';
import { certificateAuthority } from '../identity/certificates.ts';
import { watchedDirectory } from '../state/temporary-files.ts';
import { LoggingProcess } from './logging-process.ts';

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
    await this.cluster.run(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=300s']);
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

  /** What runs controllers or planes, the latter by group. */
  async workloads(component: 'controller' | 'dataplane'): Promise<Map<string, RenderedObject>> {
    const labels = `app.kubernetes.io/component=${component}`;
    const words = ['get', 'deployments,daemonsets', '-n', this.namespace, '-l', labels, '-o', 'json'];
    const { items } = JSON.parse(await this.cluster.run(words)) as { items: RenderedObject[] };
    return new Map(items.map((item) => [item.metadata.labels?.['gatewarden.io/group'] ?? component, item]));
  }

  /** A process that is a controller as the release has it: with its options, and the rights of its ServiceAccount. */
  async startController(): Promise<ReleasedController> {
    const workload = (await this.workloads('controller')).get('controller')!;
    const name = `controller-${++this.made}`;
    const token = await this.token(accountOf(workload), []);
    const here = '127.0.0.1:0';
    const process = this.run(
      containerWords(workload, {
        changed: {
          '--listen': here,
          '--admin': here,
          '--secure-admin': here,
          '--webhook': here,
          // planes of this test connect by the address
          '--server-names': `${containerOption(workload, '--server-names')},127.0.0.1`,
          '--sidecar-settings': await this.sidecarSettings(workload),
          '--console-client-secret': this.write(`${name}.client-secret`, 'secret of a client'),
          '--console-issuer-ca': this.write(`${name}.issuer.crt`, certificateAuthority('issuer').certificate),
        },
        added: {
          '--kubeconfig': this.write(`${name}.kubeconfig`, kubeconfigText(this.cluster, token)),
          '--namespace': this.namespace,
        },
        variables: { POD_NAME: name, POD_IP: '127.0.0.1' },
      }),
    );
    const listening = await process.line(({ msg }) => msg === 'listening');
    const adminPort = (listening['admin'] as { port: number }).port;
    return { process, port: Number(listening['channel']), adminPort, workload };
  }

  /** A process that is a plane of the release: with its options, and the token of a Pod like those of its workload. */
  async startPlane(group: string, controller: ReleasedController): Promise<ReleasedPlane> {
    const started = await this.runPlane(group, controller, null);
    const listening = await started.process.line(({ msg }) => msg === 'listening');
    return { ...started, port: Number(/:(\d+)$/.exec((listening['addresses'] as string[])[0]!)?.[1]) };
  }

  /** A process with the options of a plane, and the token of a Pod that has another ServiceAccount. */
  async startStranger(group: string, account: string, controller: ReleasedController): Promise<LoggingProcess> {
    return (await this.runPlane(group, controller, account)).process;
  }

  private async runPlane(group: string, controller: ReleasedController, account: string | null) {
    const workload = (await this.workloads('dataplane')).get(group)!;
    const name = `${workload.metadata.name}-${++this.made}`;
    const [pod] = podsOf(workload);
    const serviceAccountName = account ?? accountOf(workload);
    const manifest = { ...pod!, metadata: { ...pod!.metadata, name }, spec: { ...pod!.spec, serviceAccountName } };
    await this.cluster.run(['create', '-n', this.namespace, '-f', '-'], JSON.stringify(manifest));
    const bound = ['--audience', 'gatewarden-controller', '--bound-object-kind', 'Pod', '--bound-object-name', name];
    const token = await this.token(serviceAccountName, bound);
    const certified = certificateAuthority('traffic').issue({ names: ['localhost'] });
    const process = this.run(
      containerWords(workload, {
        changed: {
          '--controller': `127.0.0.1:${controller.port}`,
          '--ca': this.write(`${name}.crt`, await this.authority(controller.workload)),
          '--snapshot': mkdtempSync(join(this.folder, 'snapshot-')),
          '--snapshot-key': this.write(`${name}.snapshot-key`, randomBytes(32)),
          '--tls-port': '0',
          '--tls-cert': this.write(`${name}.tls.crt`, certified.chain),
          '--tls-key': this.write(`${name}.tls.key`, certified.key),
          '--port': null,
          '--admin': '127.0.0.1:0',
          '--drain-delay': '0s',
          // what tests wait for is told at this level
          '--log-level': 'info',
        },
        variables: { ZONE: '' }, // as on a node without zones
        added: {
          '--token-file': this.write(`${name}.token`, token),
          '--host': '127.0.0.1',
          '--port': await this.freePorts(controller.workload),
        },
      }),
    );
    return { process, pod: name, token };
  }

  /** A free port for each connector. */
  private async freePorts(controllers: RenderedObject): Promise<string> {
    const admin = await this.data(containerOption(controllers, '--base')!, 'admin.json');
    const { connectors = [0] } = JSON.parse(admin ?? '{}') as { connectors?: readonly unknown[] };
    return connectors.map(() => '0').join(',');
  }

  /** What planes are to trust, once controllers have written it. */
  private async authority(controllers: RenderedObject): Promise<string> {
    const name = containerOption(controllers, '--authority-configmap')!;
    const words = ['wait', `configmap/${name}`, '-n', this.namespace, '--timeout=300s'];
    await this.cluster.run([...words, '--for=jsonpath={.data.ca\\.crt}']);
    return (await this.data(name, 'ca.crt'))!;
  }

  /** The file that controllers mount, or null where there are no sidecars. */
  private async sidecarSettings(controllers: RenderedObject): Promise<string | null> {
    if (containerOption(controllers, '--sidecar-settings') === null) return null;
    const text = await this.data(`${containerOption(controllers, '--base')}-sidecar`, 'sidecar.json');
    return this.write('sidecar.json', text!);
  }

  private async data(configMap: string, key: string): Promise<string | undefined> {
    return ((await this.get('configmap', configMap))['data'] as Readonly<Record<string, string>>)[key];
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

  private write(name: string, content: string | Buffer): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }
}

/** The ServiceAccount of the Pods of a workload. */
function accountOf(workload: RenderedObject): string {
  return (podsOf(workload)[0]!.spec as { readonly serviceAccountName: string }).serviceAccountName;
}

export interface ReleasedController {
  readonly process: LoggingProcess;
  /** Of the channel, on 127.0.0.1. */
  readonly port: number;
  /** Of health and metrics. */
  readonly adminPort: number;
  /** What it would run in. */
  readonly workload: RenderedObject;
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
