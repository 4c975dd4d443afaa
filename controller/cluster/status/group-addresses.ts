import { isIP } from 'node:net';
import type { TrustSettings } from '../../../contract/trust-settings.ts';
import { groupOfPod } from '../../compile/resources/forbidden-addresses.ts';
import type { PlatformFacts, ServiceFacts } from '../../compile/resources/platform-facts.ts';

/** An address under which clients reach a group of data planes. */
export interface GroupAddress {
  readonly group: string;
  readonly type: 'IPAddress' | 'Hostname';
  readonly value: string;
}

/** Addresses by the name of the group. */
export type GroupAddresses = ReadonlyMap<string, readonly GroupAddress[]>;

/** More are of no use in a status. */
const MOST = 16;

/**
 * The addresses of groups: those that the operator wrote, otherwise those of load balancers and external addresses of
 * their Services, otherwise the names of these Services. Sidecars are reached by the Services of their applications.
 */
export function groupAddresses(platform: PlatformFacts | undefined, groups: TrustSettings['groups']): GroupAddresses {
  const found = new Map<string, readonly GroupAddress[]>();
  for (const group of groups) {
    const values = group.sidecars ? [] : (group.addresses ?? addressesOf(group, platform, groups));
    const all = [...new Set(values)].sort().slice(0, MOST);
    found.set(
      group.name,
      all.map((value) => ({ group: group.name, type: isIP(value) === 0 ? 'Hostname' : 'IPAddress', value })),
    );
  }
  return found;
}

function addressesOf(
  group: TrustSettings['groups'][number],
  platform: PlatformFacts | undefined,
  groups: TrustSettings['groups'],
): readonly string[] {
  if (platform === undefined) return [];
  const { namespace } = platform.controller;
  const pods = [...(platform.pods.get(namespace)?.values() ?? [])].filter((pod) => groupOfPod(pod, groups) === group);
  const services = [...platform.services].filter(([, service]) => pods.some(({ labels }) => selects(service, labels)));
  const published = services.flatMap(([, service]) => service.published);
  return published.length > 0 ? published : services.map(([key]) => `${key.split('/').reverse().join('.')}.svc`);
}

function selects({ selector }: ServiceFacts, labels: Readonly<Record<string, string>>): boolean {
  return selector !== null && Object.entries(selector).every(([name, value]) => labels[name] === value);
}
