import type { SidecarMeans } from '../options/sidecar-means.ts';
import { defineCommand, type Reading, type RepeatedOption } from './command.ts';

const fileOption = {
  repeated: '-f',
  apart: true,
  valueName: 'FILE',
  description: 'File with manifests, YAML or JSON; - for the standard input.',
  read: readText,
} as const satisfies RepeatedOption<string>;

/** Puts sidecars into manifests, as the webhook puts them into Pods. */
export const injectCommand = defineCommand({
  name: 'inject',
  summary: 'inject sidecars into the Pods of manifests',
  description:
    'Reads manifests, adds a sidecar to every Pod template in them (Pod, Deployment, StatefulSet, DaemonSet, ReplicaSet, ' +
    'Job, CronJob), except those with the label gatewarden.io/inject: "false", and prints them; everything else ' +
    'stays as it is written. The webhook does the same to Pods that ask for it, with the same annotations. The ' +
    'settings and the CA certificates come from the cluster unless files are given. The exit code is 0; on an error it is ' +
    '1, and nothing is printed. See docs/sidecars.md.',
  options: {
    file: fileOption,
    settings: {
      valueName: 'FILE',
      description: 'Settings of sidecars; by default sidecar.json of the ConfigMap gatewarden-sidecar.',
      optional: true,
      read: readText,
    },
    ca: {
      valueName: 'FILE',
      description:
        'CA certificates of the controllers, in PEM; by default ca.crt of the ConfigMap gatewarden-authority.',
      optional: true,
      read: readText,
    },
    namespace: {
      valueName: 'NAME',
      description: 'Namespace of manifests that name none.',
      default: 'default',
      read: readText,
    },
    'controller-namespace': {
      valueName: 'NAME',
      description: 'Namespace of the controllers, where the ConfigMaps are read.',
      default: 'gatewarden',
      read: readText,
    },
    kubeconfig: {
      valueName: 'FILE',
      description: 'kubeconfig of the API server; by default KUBECONFIG or ~/.kube/config.',
      optional: true,
      read: readText,
    },
  },
  examples: [
    {
      command: 'gatewarden inject -f deployment.yaml | kubectl apply -f -',
      effect: 'Apply a Deployment whose Pods have sidecars, with the settings of the cluster.',
    },
    {
      command: 'gatewarden inject -f deployment.yaml --settings sidecar.json --ca ca.crt',
      effect: 'The same without a cluster.',
    },
  ],
  async run({ file: paths, settings, ca, namespace, kubeconfig, 'controller-namespace': controllers }) {
    if (paths.length === 0) {
      process.stderr.write('gatewarden inject: name the manifests with -f FILE\n');
      return 2;
    }
    // Loaded here and not at the top, so that help and usage errors need not wait for them.
    const { readFileSync } = await import('node:fs');
    const { sidecarMeans } = await import('../options/sidecar-means.ts');
    const { injectManifests } = await import('../actions/inject-manifests.ts');
    const files = paths.map((path) =>
      path === '-'
        ? { path: 'standard input', content: readFileSync(process.stdin.fd) }
        : { path, content: readFileSync(path) },
    );
    const means = await sidecarMeans({ settings, ca, kubeconfig, namespace: controllers });
    const { text, said } = injectManifests(files, { ...means, settings: excluding(means, controllers), namespace });
    for (const line of said) process.stderr.write(`${line}\n`);
    if (text === null) return 1;
    process.stdout.write(text);
    return 0;
  },
});

/** The namespace of the controllers is as good as named in the settings. */
function excluding({ settings }: SidecarMeans, controllers: string): SidecarMeans['settings'] {
  return { ...settings, excludedNamespaces: [...settings.excludedNamespaces, controllers] };
}

function readText(text: string): Reading<string> {
  return text === '' ? { problem: 'must not be empty' } : { value: text };
}
