import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Ways in which Prometheus finds targets in a cluster. */
export const targetRoles = ['endpointslice', 'pod'] as const;
export type TargetRole = (typeof targetRoles)[number];

/** One target with what is known of it, as the discovery of Prometheus writes it into labels. */
export interface FoundTarget {
  readonly targets: readonly [address: string];
  readonly labels: Readonly<Record<string, string>>;
}

interface Found {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

interface Port {
  readonly name?: string;
  readonly containerPort: number;
}

interface Container {
  readonly name: string;
  readonly ports?: readonly Port[];
}

interface Pod extends Found {
  readonly spec: { readonly containers: readonly Container[]; readonly initContainers?: readonly Container[] };
  readonly status?: { readonly phase?: string; readonly podIP?: string };
}

interface Slice extends Found {
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly targetRef?: { readonly kind: string; readonly name: string };
  }[];
  readonly ports?: readonly { readonly name?: string; readonly port: number }[];
}

const META = '__meta_kubernetes';

/**
 * Looks for targets as Prometheus does in a cluster: Debian's has been built without it. Writes `ROLE.json` into the folder
 * for each role. @param kubectl runs kubectl with these words
 */
export async function writeTargets(
  kubectl: (words: readonly string[]) => Promise<string>,
  folder: string,
): Promise<void> {
  const kinds = 'services,pods,endpointslices.discovery.k8s.io';
  const { items } = JSON.parse(await kubectl(['get', kinds, '-A', '-o', 'json'])) as { items: readonly Found[] };
  const found = { endpointslice: sliceTargets(items), pod: podTargets(items) };
  for (const role of targetRoles) {
    const path = join(folder, `${role}.json`);
    writeFileSync(`${path}.new`, JSON.stringify(found[role]));
    renameSync(`${path}.new`, path); // it is read at any time
  }
}

function sliceTargets(items: readonly Found[]): FoundTarget[] {
  const named = (kind: string, namespace: string, name: string | undefined): Found | undefined =>
    items.find((one) => one.kind === kind && one.metadata.namespace === namespace && one.metadata.name === name);
  return (items.filter(({ kind }) => kind === 'EndpointSlice') as Slice[]).flatMap(
    ({ metadata: { namespace, labels = {} }, endpoints = [], ports = [] }) => {
      const service = named('Service', namespace, labels['kubernetes.io/service-name']);
      return endpoints.flatMap(({ addresses, targetRef }) => {
        const pod = targetRef?.kind === 'Pod' ? named('Pod', namespace, targetRef.name) : undefined;
        return ports.flatMap(({ name = '', port }) =>
          addresses.map((address) =>
            target(address, port, {
              namespace,
              endpointslice_port_name: name,
              ...(targetRef === undefined
                ? {}
                : {
                    endpointslice_address_target_kind: targetRef.kind,
                    endpointslice_address_target_name: targetRef.name,
                  }),
              ...(service === undefined ? {} : ofObject('service', service)),
              ...(pod === undefined ? {} : ofPod(pod as Pod)),
            }),
          ),
        );
      });
    },
  );
}

function podTargets(items: readonly Found[]): FoundTarget[] {
  return (items.filter(({ kind }) => kind === 'Pod') as Pod[]).flatMap((pod) => {
    const { spec, status, metadata } = pod;
    const address = status?.podIP;
    if (address === undefined) return [];
    return [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ name, ports = [] }) =>
      ports.map((port) =>
        target(address, port.containerPort, {
          namespace: metadata.namespace,
          ...ofPod(pod),
          pod_container_name: name,
          pod_container_port_name: port.name ?? '',
        }),
      ),
    );
  });
}

function ofPod(pod: Pod): Record<string, string> {
  const { phase = 'Unknown', podIP = '' } = pod.status ?? {};
  return { ...ofObject('pod', pod), pod_phase: phase, pod_ip: podIP };
}

/** The name and the labels of an object. */
function ofObject(prefix: string, { metadata: { name, labels = {} } }: Found): Record<string, string> {
  const entries = Object.entries(labels).flatMap(([label, value]) => {
    const known = label.replaceAll(/[^a-zA-Z0-9_]/g, '_');
    return [
      [`${prefix}_label_${known}`, value],
      [`${prefix}_labelpresent_${known}`, 'true'],
    ];
  });
  return { [`${prefix}_name`]: name, ...Object.fromEntries(entries) };
}

function target(address: string, port: number, known: Readonly<Record<string, string>>): FoundTarget {
  const host = address.includes(':') ? `[${address}]` : address;
  const labels = Object.entries(known).map(([name, value]) => [`${META}_${name}`, value]);
  return { targets: [`${host}:${port}`], labels: Object.fromEntries(labels) };
}
