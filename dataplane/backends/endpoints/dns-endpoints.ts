import { type Lookup, systemLookup } from '../../engine/backend/resolver.ts';
import { Uri } from '../../engine/message/uri.ts';
import type { EndpointSource } from './endpoint-source.ts';
import { endpointSpec } from './endpoint-spec.ts';

/** Addresses of a name that are used: whoever answers for the name must not fill the memory. */
const MOST_ADDRESSES = 1000;

/** All addresses of a name, one endpoint each. Certificates are verified for the name. */
export function dnsEndpoints(
  base: Uri,
  serverName: string | null,
  interval: number,
  lookup: Lookup = systemLookup,
): EndpointSource {
  const { scheme, host, port } = base;
  return {
    interval,
    async ask() {
      const found = [...new Set(await lookup(host))].filter((address) => !address.includes('%'));
      const addresses = found.sort().slice(0, MOST_ADDRESSES); // without zones, which no URI can have
      return addresses.map((address) => {
        const place = address.includes(':') ? `[${address}]` : address;
        return endpointSpec(Uri.parse(`${scheme}://${place}:${port}`), serverName ?? host, 1, null);
      });
    },
  };
}
