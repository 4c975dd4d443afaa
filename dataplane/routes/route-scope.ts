import type { RouteEntry } from '../../contract/snapshot.ts';

/**
 * What the scope of a route is called. Its objects share memory and figures with what has the same name, so that routes
 * of tenants, whose names are their own to choose, go by their id.
 */
export function routeScopeName({
  router,
  id,
  name,
  tenant,
}: Pick<RouteEntry, 'router' | 'id' | 'name' | 'tenant'>): string {
  return tenant === undefined ? `${router}.${name}` : `${router}.${tenant}/${id}`;
}
