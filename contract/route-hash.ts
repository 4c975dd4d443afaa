import { contentHash } from './document/canonical.ts';
import type { RouteEntry } from './snapshot.ts';

/** Parts of a route that its hash covers. */
export type HashedRoute = Pick<RouteEntry, 'router' | 'id' | 'name' | 'document'> &
  Partial<Pick<RouteEntry, 'refuses' | 'tenant' | 'resources' | 'files' | 'stores'>>;

/** Whether a route is the one that its hash names. One that no hash can be made of is not. */
export function isRouteOfHash(route: RouteEntry): boolean {
  try {
    return routeHash(route) === route.hash;
  } catch {
    return false; // nested too deeply, or with what JSON does not have
  }
}

/** The hash of a route. Whoever is given a route can tell by it whether it is the one that the hash names. */
export function routeHash(route: HashedRoute): string {
  const { router, id, name, document, refuses, tenant, resources, files, stores } = route;
  return contentHash({
    router,
    id,
    name,
    document,
    ...(refuses === undefined ? {} : { refuses }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(resources === undefined ? {} : { resources }),
    ...(files === undefined ? {} : { files }),
    ...(stores === undefined ? {} : { stores }),
  });
}
