import { type RoutePermissions, unknownPermissions, usePermissions } from '../../client/permissions.ts';
import { clusterIdOf } from './cluster-id.ts';
import type { EditedRoute } from './edited-route.ts';

/** Returns what the user may do with an edited route: with the one that it began from, and with the id that it has now. */
export function useDesignPermissions({ base, id }: EditedRoute, isCluster: boolean): RoutePermissions {
  const { namespace, name } = clusterIdOf(id);
  const there = usePermissions(isCluster && namespace !== '' ? namespace : undefined);
  const own = usePermissions(isCluster && base !== null ? base.id : undefined);
  if (!isCluster) return own;
  const missing = namespace === '' ? 'Choose a namespace' : name === '' ? 'The route needs a name' : null;
  const { create } = missing === null ? there : unknownPermissions(missing);
  return { ...(base === null ? there : own), create };
}
