import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { type Resource, resourceKey } from '../../../../contract/resources/resource.ts';
import { type RouteTls, routeTls } from '../../../../contract/resources/route-tls.ts';

const read = new WeakMap<JsonObject, RouteTls>();

/** The certificates that a Route names: none where `spec.tls` cannot be read. */
export function tlsOf({ spec }: Resource): RouteTls {
  if (spec['tls'] === undefined) return [];
  const known = read.get(spec);
  if (known !== undefined) return known;
  const parsed = routeTls.safeParse(spec['tls']);
  const made = parsed.success ? parsed.data : [];
  read.set(spec, made);
  return made;
}

/** The Secrets that a Route names for its certificates, as `namespace/name`. */
export function tlsSecretsOf(route: Resource): string[] {
  return tlsOf(route).map(({ secretName }) => resourceKey({ namespace: route.namespace, name: secretName }));
}
