import { z } from 'zod';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { readIpAddress } from '../../contract/ip-address.ts';
import type { PodFacts, ServiceFacts } from '../compile/resources/platform-facts.ts';
import { METRICS_PORT_NAME } from '../injection/sidecar-container.ts';

const texts = z.record(z.string(), z.string());
const address = z.string().refine((text) => readIpAddress(text) !== null);
const ips = z.array(z.looseObject({ ip: address })).default([]);
const containers = z
  .array(
    z.looseObject({
      ports: z.array(z.looseObject({ name: z.string().default(''), containerPort: z.number() })).default([]),
    }),
  )
  .default([]);

const pod = z.looseObject({
  metadata: z.looseObject({
    ...{ uid: z.string(), namespace: z.string(), name: z.string() },
    labels: texts.default({}),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.looseObject({ serviceAccountName: z.string().default('default'), containers, initContainers: containers }),
  status: z.looseObject({
    phase: z.string().default(''),
    ...{ podIPs: ips, hostIPs: ips, hostIP: address.optional() },
    conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).default([]),
  }),
});

const service = z.looseObject({
  metadata: z.looseObject({ namespace: z.string() }),
  spec: z.looseObject({
    selector: texts.optional(),
    clusterIPs: z.array(z.string()).default([]),
    externalIPs: z.array(z.string()).default([]),
    ports: z.array(z.looseObject({ port: z.number() })).default([]),
  }),
  status: z
    .looseObject({
      loadBalancer: z
        .looseObject({
          ingress: z.array(z.looseObject({ ip: z.string().optional(), hostname: z.string().optional() })).default([]),
        })
        .default({ ingress: [] }),
    })
    .default({ loadBalancer: { ingress: [] } }),
});

const endpointSlice = z.looseObject({
  endpoints: z
    .array(z.looseObject({ addresses: z.array(z.string()) }))
    .nullable()
    .default([]),
});

/** Facts about a Pod; null for one that no longer has an address. */
export function podFacts(raw: JsonObject, before: PodFacts | null): PodFacts | null {
  const { metadata, spec, status } = pod.parse(raw);
  // the addresses of a Pod that has ended may be those of another one by now
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return null;
  const addresses = status.podIPs.map(({ ip }) => ip);
  const hosts = [...status.hostIPs.map(({ ip }) => ip), ...(status.hostIP === undefined ? [] : [status.hostIP])];
  if (addresses.length + hosts.length === 0) return null;
  const ports = [...spec.containers, ...spec.initContainers].flatMap((one) => one.ports);
  const isReady = status.conditions.some((one) => one.type === 'Ready' && one.status === 'True');
  return unlessSame(before, {
    uid: metadata.uid,
    namespace: metadata.namespace,
    name: metadata.name,
    serviceAccount: spec.serviceAccountName,
    labels: metadata.labels,
    addresses,
    nodeAddresses: [...new Set(hosts)],
    sidecarAdminPort: ports.find(({ name }) => name === METRICS_PORT_NAME)?.containerPort ?? null,
    isReady: isReady && metadata.deletionTimestamp === undefined,
  });
}

/** Facts about a Service; null for one that has no address. */
export function serviceFacts(raw: JsonObject, before: ServiceFacts | null): ServiceFacts | null {
  const { metadata, spec, status } = service.parse(raw);
  const addresses = numeric(spec.clusterIPs);
  const { ingress } = status.loadBalancer;
  const balancers = ingress.flatMap(({ ip }) => ip ?? []);
  const published = [...spec.externalIPs, ...ingress.flatMap(({ ip, hostname }) => hostname ?? ip ?? [])];
  const sharedAddresses = numeric([...spec.externalIPs, ...balancers]);
  if (addresses.length + sharedAddresses.length === 0) return null;
  const { namespace } = metadata;
  const ports = spec.ports.map(({ port }) => port);
  const selector = spec.selector ?? null;
  return unlessSame(before, { namespace, selector, addresses, sharedAddresses, ports, published });
}

/** The addresses of an EndpointSlice. */
export function endpointAddresses(raw: JsonObject, before: readonly string[] | null): readonly string[] {
  const { endpoints } = endpointSlice.parse(raw);
  return unlessSame(before, numeric((endpoints ?? []).flatMap(({ addresses }) => addresses)));
}

/** Without names, and without `None` of a Service that has no address. */
function numeric(all: readonly string[]): string[] {
  return all.filter((text) => readIpAddress(text) !== null);
}

/** Pods report all the time that nothing has happened. */
function unlessSame<T>(before: T | null, now: T): T {
  return before !== null && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}
