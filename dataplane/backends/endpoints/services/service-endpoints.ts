import { networkInterfaces } from 'node:os';
import type { ServiceEndpoints } from '../../../../contract/snapshot.ts';
import type { Lookup } from '../../../engine/backend/resolver.ts';
import { Uri } from '../../../engine/message/uri.ts';
import { NEVER } from '../../../engine/wire/sweep.ts';
import type { LiveService } from '../../../heap/objects/live-service.ts';
import type { EndpointSpec } from '../balanced-endpoint.ts';
import { dnsEndpoints } from '../dns-endpoints.ts';
import type { EndpointSource } from '../endpoint-source.ts';
import { endpointSpec } from '../endpoint-spec.ts';
import { usedTargets } from './used-targets.ts';

export interface ServiceEndpointsOptions {
  readonly port: number | string;
  readonly scheme: string;
  /** Name that certificates must have; null for that of the Service. */
  readonly serverName: string | null;
  /** Address families of this machine; by default those of its network interfaces. */
  readonly families?: ReadonlySet<number>;
  readonly lookup?: Lookup;
}

/** Milliseconds after which the external name of a Service is resolved again. */
const EXTERNAL_INTERVAL = 5000;

/** The endpoints of a Service of the cluster, which change as soon as controllers say so. */
export function serviceEndpoints(service: LiveService, options: ServiceEndpointsOptions): EndpointSource {
  const { port, scheme, families = ownFamilies(), lookup } = options;
  const { namespace, name, zone } = service;
  const serverName = options.serverName ?? `${name}.${namespace}.svc`;
  let resolved: string | null = null;

  /** Addresses of a host name outside of the cluster. Those of an earlier name are not used any more. */
  async function external(endpoints: ServiceEndpoints, host: string): Promise<readonly EndpointSpec[]> {
    const at = externalPort(endpoints, port);
    if (at === null) return [];
    try {
      const base = Uri.parse(`${scheme}://${host}:${at}`);
      const found = await dnsEndpoints(base, options.serverName, EXTERNAL_INTERVAL, lookup).ask();
      if (service.endpoints !== endpoints) return source.ask(); // the Service has changed meanwhile
      resolved = host;
      return found;
    } catch (error) {
      if (service.endpoints !== endpoints) return source.ask();
      if (resolved === host) throw error;
      return [];
    }
  }

  const source: EndpointSource = {
    get interval() {
      return service.endpoints?.externalName === undefined ? NEVER : EXTERNAL_INTERVAL;
    },
    get none() {
      const host = service.endpoints?.externalName;
      return host === undefined
        ? `the Service ${namespace}/${name} has no ready endpoints at port ${port}`
        : `the external name ${host} of the Service ${namespace}/${name} has no address`;
    },
    ask() {
      const { endpoints } = service;
      if (endpoints?.externalName !== undefined) return external(endpoints, endpoints.externalName);
      resolved = null;
      const used = endpoints === null ? [] : usedTargets(endpoints, port, { zone, families });
      return used.map(({ address, port: at, isFar }) => {
        const place = address.includes(':') ? `[${address}]` : address;
        const spec = endpointSpec(Uri.parse(`${scheme}://${place}:${at}`), serverName, 1, null);
        return isFar ? { ...spec, isFar } : spec;
      });
    },
    follow: (changed) => service.follow(changed),
  };
  return source;
}

/** The port of a host outside of the cluster: what the Service says, or the number itself if it has no ports. */
function externalPort({ ports }: Pick<ServiceEndpoints, 'ports'>, wanted: number | string): number | null {
  if (ports.length === 0 && typeof wanted === 'number') return wanted;
  return ports.find(({ name, port }) => (typeof wanted === 'number' ? port : name) === wanted)?.port ?? null;
}

/** Families of addresses by which this machine reaches others. */
function ownFamilies(): ReadonlySet<number> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outward = all.filter(({ internal, address }) => !internal && !address.toLowerCase().startsWith('fe80'));
  return new Set(outward.map(({ family }) => (family === 'IPv6' ? 6 : 4)));
}
