import { createHash } from 'node:crypto';
import type { Uri } from '../../engine/message/uri.ts';
import type { EndpointSpec } from './balanced-endpoint.ts';

/** Hexadecimal digits of an endpoint in the affinity cookie. */
const DIGITS = 16;

/** Describes an endpoint. A `name` takes the place of the address in the affinity cookie. */
export function endpointSpec(base: Uri, serverName: string | null, weight: number, name: string | null): EndpointSpec {
  const key = endpointKey(base);
  const digest = createHash('sha256').update(name ?? key);
  return { key, base, serverName: serverName ?? base.host, weight, id: digest.digest('hex').slice(0, DIGITS) };
}

/** Host and port of an endpoint: two endpoints differ in one of them. */
export function endpointKey({ host, port }: Uri): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
