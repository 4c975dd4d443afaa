import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { readSidecarSettings, type SidecarSettings } from '../../controller/injection/sidecar-settings.ts';
import { errorCode } from '../../platform/error-code.ts';
import { errorText } from '../../platform/error-text.ts';
import { kubeconfigPath } from './kubeconfig-path.ts';

/** Settings that are needed to inject sidecars into Pods. */
export interface SidecarMeans {
  readonly settings: SidecarSettings;
  /** Authorities of controllers, in PEM. */
  readonly authorities: string;
}

export interface SidecarMeansOptions {
  /** File with the settings; undefined for those of the cluster. */
  readonly settings: string | undefined;
  /** File with the authorities; undefined for those of the cluster. */
  readonly ca: string | undefined;
  readonly kubeconfig: string | undefined;
  /** Where the cluster has them. */
  readonly namespace: string;
}

/** Where the chart keeps them. */
const SETTINGS = { name: 'gatewarden-sidecar', key: 'sidecar.json' };
const AUTHORITY = { name: 'gatewarden-authority', key: 'ca.crt' };

const configMap = z.looseObject({ data: z.record(z.string(), z.string()).default({}) });

/** Reads them from files, or from the cluster what no file is given for. @throws Error that says how to get them */
export async function sidecarMeans(options: SidecarMeansOptions): Promise<SidecarMeans> {
  const { settings, ca, namespace } = options;
  const [text, authorities] =
    settings !== undefined && ca !== undefined
      ? [readText(settings), readText(ca)]
      : await fromCluster(async (read) => [
          settings === undefined ? await read(SETTINGS) : readText(settings),
          ca === undefined ? await read(AUTHORITY) : readText(ca),
        ]);
  if (!authorities.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error(`${ca ?? `${AUTHORITY.key} of ConfigMap ${namespace}/${AUTHORITY.name}`} contains no certificate`);
  }
  const where = settings ?? `ConfigMap ${namespace}/${SETTINGS.name}`;
  return { settings: readSidecarSettings(text, where), authorities };

  async function fromCluster(
    take: (read: (place: typeof SETTINGS) => Promise<string>) => Promise<[string, string]>,
  ): Promise<[string, string]> {
    // Loaded here: who has the files needs nothing of a cluster.
    const { ClusterApi } = await import('../../controller/cluster/api/api-client.ts');
    const { resourcePath } = await import('../../controller/cluster/api/resource-path.ts');
    const kubeconfig = kubeconfigPath(options.kubeconfig, process.env);
    const api = new ClusterApi(kubeconfig === undefined ? {} : { kubeconfig });
    try {
      return await take(async ({ name, key }) => {
        const path = resourcePath({ version: 'v1', plural: 'configmaps', namespace, name });
        const { data } = configMap.parse(await api.get(path));
        const content = data[key];
        if (content === undefined) throw new Error(`the ConfigMap ${namespace}/${name} has no ${key}`);
        return content;
      });
    } catch (error) {
      const message = errorText(error);
      throw new Error(`${api.server}: ${message}\n${advice(namespace)}`);
    } finally {
      await api.close();
    }
  }
}

function advice(namespace: string): string {
  const get = ({ name, key }: typeof SETTINGS): string =>
    `  kubectl get configmap ${name} -n ${namespace} -o jsonpath='{.data.${key.replace('.', '\\.')}}' >${key}`;
  return [
    'The settings of sidecars and the CA certificates of controllers can be given as files, with --settings and --ca:',
    get(SETTINGS),
    get(AUTHORITY),
    'They exist if the chart has sidecars.enabled. A release with a name such as edge has edge-gatewarden-sidecar and edge-gatewarden-authority.',
  ].join('\n');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${path} cannot be read: ${errorCode(error) ?? String(error)}`);
  }
}
