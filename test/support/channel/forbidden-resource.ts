import { sharedResourceHash } from '../../../contract/shared-resources.ts';
import type { SharedResource } from '../../../contract/snapshot.ts';

/** A shared resource that forbids these addresses, each with all of its ports or with one, as `10.0.0.1:9090`. */
export function forbidding(name: string, ...addresses: readonly string[]): SharedResource {
  const places = addresses.map((text) => {
    const [address = '', port] = text.split(':');
    return port === undefined ? { address } : { address, port: Number(port) };
  });
  const resource = { type: 'forbidden-addresses', key: `forbidden/${name}`, places } as const;
  return { ...resource, hash: sharedResourceHash(resource) };
}
