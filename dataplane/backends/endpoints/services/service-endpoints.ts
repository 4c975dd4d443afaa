import { networkInterfaces } from 'node:os';
import { Uri } from '../../../engine/message/uri.ts';
import { NEVER } from '../../../engine/wire/sweep.ts';
import type { LiveService } from '../../../heap/objects/live-service.ts';
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
}

/** The endpoints of a Service of the cluster, which change as soon as controllers say so. */
export function serviceEndpoints(service: LiveService, options: ServiceEndpointsOptions): EndpointSource {
  const { port, scheme, families = ownFamilies() } = options;
  const { namespace, name, zone } = service;
  const serverName = options.serverName ?? `${name}.${namespace}.svc`;
  return {
    interval: NEVER,
    none: `the Service ${namespace}/${name} has no ready endpoints at port ${port}`,
    ask() {
      const { endpoints } = service;
      const used = endpoints === null ? [] : usedTargets(endpoints, port, { zone, families });
      return used.map(({ address, port: at, isFar }) => {
        const place = address.includes(':') ? `[${address}]` : address;
        const spec = endpointSpec(Uri.parse(`${scheme}://${place}:${at}`), serverName, 1, null);
        return isFar ? { ...spec, isFar } : spec;
      });
    },
    follow: (changed) => service.follow(changed),
  };
}

/** Families of addresses by which this machine reaches others. */
function ownFamilies(): ReadonlySet<number> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outward = all.filter(({ internal, address }) => !internal && !address.toLowerCase().startsWith('fe80'));
  return new Set(outward.map(({ family }) => (family === 'IPv6' ? 6 : 4)));
}
