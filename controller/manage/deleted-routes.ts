import type { EndpointDescription } from '../../contract/crest/describe/description.ts';
import type { PageCookies } from '../../contract/crest/page-cookie.ts';
import type { CrestEndpoint } from '../../contract/crest/provider.ts';
import { routeKeyText } from '../../contract/snapshot.ts';
import type { ManagedInstance } from './managed-instance.ts';
import { readOnlyCollection } from './read-only-collection.ts';
import type { RouteVersions } from './route-versions.ts';
import { routerPaths } from './router-paths.ts';

const text = { type: 'string' };

const DELETED_ROUTE: EndpointDescription = {
  name: 'deleted-route',
  title: 'Deleted routes',
  description: 'Routes that were deleted over HTTP and whose versions are kept, the last one first. Read-only.',
  hasRevisions: false,
  schema: () => ({ schema: { type: 'object', properties: { route: text, router: text, at: text, versions: text } } }),
};

/** Returns the routes that were deleted and are not there again. */
export function deletedRoutes(versions: RouteVersions, instance: ManagedInstance, cookies: PageCookies): CrestEndpoint {
  return readOnlyCollection(
    DELETED_ROUTE,
    () => {
      const { compilation } = instance;
      const there = new Set(compilation.verdicts.flatMap(({ route }) => (route === null ? [] : [routeKeyText(route)])));
      const paths = new Map(routerPaths(compilation).map(({ router, steps }) => [router, steps]));
      return versions.deleted().flatMap(({ router, id, at }) => {
        const steps = paths.get(router);
        // Without its router a route cannot be made again.
        if (steps === undefined || there.has(routeKeyText({ router, id }))) return [];
        const path = [...steps, id, 'versions'].map(encodeURIComponent).join('/');
        return [{ id: `${router}/${id}`, revision: null, content: { route: id, router, at, versions: path } }];
      });
    },
    cookies,
  );
}
