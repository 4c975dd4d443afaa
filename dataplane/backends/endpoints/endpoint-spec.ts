import type { Uri } from '../../engine/message/uri.ts';
import type { EndpointSpec } from './balanced-endpoint.ts';

/** Describes an endpoint. A `name` takes the place of the address in the affinity cookie. */
export function endpointSpec(base: Uri, serverName: string | null, weight: number, name: string | null): EndpointSpec {
  const key = endpointKey(base);
  return { key, base, serverName: serverName ?? base.host, weight, id: name === null ? key : `name ${name}` };
}

/** Host and port of an endpoint: two endpoints differ in one of them. */
export function endpointKey({ host, port }: Uri): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
