import { isIP } from 'node:net';
import { MOST_USED_ENDPOINTS, serviceResourceKey } from '../../../contract/resources/service-reference.ts';
import { compareTexts } from '../../../contract/route-order.ts';
import { sharedResourceHash } from '../../../contract/shared-resources.ts';
import type { ServiceEndpoints, ServiceTarget } from '../../../contract/snapshot.ts';
import type { ServiceContent } from '../../compile/resources/shared/service-content.ts';
import type { ServiceObject, SliceEndpoint, SliceObject } from './service-objects.ts';
import type { ServiceSlices } from './slice-batches.ts';

/** Parts of a Service, put together from all of its slices. */
interface Gathered {
  readonly addresses: Map<number, string>;
  readonly ports: Record<string, number>;
  state: SliceEndpoint['state'];
  zones: readonly string[] | null;
}

/**
 * Makes the resource that data planes get. A Service that stands for a host name has no other endpoints.
 * @param key `namespace/name`
 * @param version up to which its slices are known
 * @param allows whether a Service may stand for a host name, by default for none: it then has no endpoints
 */
export function endpointsOf(
  key: string,
  { ports, families, externalName }: Pick<ServiceObject, 'ports' | 'families' | 'externalName'>,
  slices: readonly SliceObject[],
  version: string | null,
  allows: (externalName: string) => boolean = () => false,
): ServiceEndpoints {
  const resource = {
    type: 'service-endpoints',
    key: serviceResourceKey(key),
    ports: ports.flatMap(({ name, port, protocol }) => (protocol === 'TCP' ? [{ name, port }] : [])),
    targets: externalName === null ? targetsOf(slices, families) : [],
    ...(externalName !== null && allows(externalName) && { externalName }),
  } as const;
  const sources = version === null ? {} : { sources: [{ uid: resource.key, resourceVersion: version }] };
  return { ...resource, hash: sharedResourceHash(resource), ...sources };
}

/** Makes what Routes are judged by; `before` if nothing about it has changed. */
export function contentOf(
  { resourceVersion, externalName, ports, allowedNamespaces }: ServiceObject,
  { slices, isCut }: ServiceSlices,
  { targets }: Pick<ServiceEndpoints, 'targets'>,
  before: ServiceContent | null,
): ServiceContent {
  const counts = new Map<string, number>();
  for (const target of targets) {
    for (const name of Object.keys(target.ports)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const servedPorts = [...counts.keys()].sort();
  const now = {
    ...{ resourceVersion, externalName, ports, allowedNamespaces, servedPorts },
    crowdedPorts: servedPorts.filter((name) => (counts.get(name) ?? 0) > MOST_USED_ENDPOINTS),
    isCut,
    hasHostNames: slices.some(({ hasHostNames }) => hasHostNames),
  };
  return before !== null && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

/**
 * The targets of all slices, each once. An endpoint may be in several slices for a while, and a Pod with addresses of two
 * families is in a slice of each: the better state counts.
 */
function targetsOf(slices: readonly SliceObject[], families: readonly number[]): readonly ServiceTarget[] {
  const gathered = new Map<string, Gathered>();
  for (const { ports, endpoints } of slices) {
    for (const { address, target, state, zones } of endpoints) {
      const id = `${target ?? address} ${target === null ? JSON.stringify(ports) : ''}`;
      const known = gathered.get(id);
      if (known === undefined) {
        const addresses = new Map([[isIP(address), address]]);
        gathered.set(id, { addresses, ports: { ...ports }, state, zones });
        continue;
      }
      if (!known.addresses.has(isIP(address))) known.addresses.set(isIP(address), address);
      Object.assign(known.ports, ports);
      if (state === 'ready') known.state = state;
      known.zones ??= zones;
    }
  }
  const order = [...families, 4, 6];
  const targets = [...gathered.values()].map(({ addresses, ports, state, zones }): ServiceTarget => {
    const sorted = [...addresses].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
    return {
      addresses: sorted.map(([, address]) => address),
      ports,
      ...(state === 'draining' && { draining: true }),
      ...(zones !== null && { zones }),
    };
  });
  return targets.sort((a, b) => compareTexts(placeOf(a), placeOf(b)));
}

function placeOf({ addresses, ports }: ServiceTarget): string {
  return `${addresses.join(' ')} ${JSON.stringify(ports)}`;
}
