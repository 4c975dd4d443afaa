import { isServiceKey } from '../../../../contract/resources/service-reference.ts';
import type { JudgedRoute } from '../judged-route.ts';

/** Services that the Routes of one namespace can name: each costs the API server something. */
export const MOST_SERVICES = 2000;

/** The Services that Routes name, as `namespace/name`. */
export interface WantedServices {
  readonly keys: ReadonlySet<string>;
  /** Those that are too many for the namespace of the Routes, and are not read. */
  readonly beyond: ReadonlySet<string>;
}

/** A Route as far as it names Services. */
interface NamingRoute {
  readonly resource: { readonly namespace: string };
  readonly judgements: Iterable<Pick<JudgedRoute, 'uses'>>;
}

/** The Services of all Routes; the same object as before when they are the same. */
export function wantedServicesOf(routes: Iterable<NamingRoute>, before: WantedServices): WantedServices {
  const keys = new Set<string>();
  const beyond = new Set<string>();
  const counts = new Map<string, Set<string>>();
  for (const { resource, judgements } of routes) {
    for (const { uses } of judgements) {
      for (const [key] of uses) {
        if (!isServiceKey(key)) continue;
        const own = counts.get(resource.namespace) ?? new Set<string>();
        counts.set(resource.namespace, own);
        if (own.size < MOST_SERVICES) own.add(key);
        (own.has(key) ? keys : beyond).add(key.slice(key.indexOf('/') + 1));
      }
    }
  }
  const isSame = isSameSet(keys, before.keys) && isSameSet(beyond, before.beyond);
  return isSame ? before : { keys, beyond: beyond.difference(keys) };
}

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}
