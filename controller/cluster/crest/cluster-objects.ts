import { CrestError } from '../../../contract/crest/crest-error.ts';
import type { PageCookies } from '../../../contract/crest/page-cookie.ts';
import type { CollectionProvider } from '../../../contract/crest/provider.ts';
import { queryResources } from '../../../contract/crest/query-resources.ts';
import type { QueryPage, ResourceQuery } from '../../../contract/crest/resource-query.ts';
import type { ResourceKind } from '../../../contract/resources/resource.ts';
import type { ClusterSource } from '../cluster-source.ts';
import type { Caller, CallerReview } from './caller-review.ts';
import { listableNamespaces } from './listable-namespaces.ts';
import type { ResourceItems } from './resource-items.ts';
import { readRouteId } from './route-place.ts';

/** Parts of a controller that answer requests for resources of a kind. */
export interface ClusterObjectsParts {
  readonly kind: ResourceKind;
  readonly source: Pick<ClusterSource, 'resources' | 'resource' | 'isFollowed' | 'chosenNamespaces'>;
  readonly items: ResourceItems;
  readonly review: Pick<CallerReview, 'may'>;
  cookies(): PageCookies;
  inTurn<T>(run: () => T): Promise<T>;
}

/** Resources of a kind that are only read, as far as a caller may see them. */
export function clusterObjects(parts: ClusterObjectsParts, caller: Caller): CollectionProvider {
  const { kind, source, items, review } = parts;
  return {
    async read(id) {
      const place = readRouteId(id, kind);
      if (!(await review.may(caller, { kind, verb: 'get', ...place }))) {
        throw new CrestError(403, `${caller.name} may not get the ${kind} '${id}'`);
      }
      const found = source.resource(kind, place.namespace, place.name);
      if (found === null) throw new CrestError(404, `there is no ${kind} '${id}'`);
      return items.item(found);
    },
    query: (query) => queryVisible(parts, caller, query),
  };
}

/** Queries the resources of a kind that a caller may list. @throws CrestError */
export async function queryVisible(
  { kind, source, items, review, inTurn, cookies }: ClusterObjectsParts,
  caller: Caller,
  query: ResourceQuery,
): Promise<QueryPage> {
  const question = { review, caller, kind, source };
  const namespaces = await listableNamespaces(question, query, () => items.namespaces(source.resources(kind)));
  return inTurn(() => {
    const all = items.all(source.resources(kind));
    const visible = namespaces === null ? all : all.filter(({ namespace }) => namespaces.has(namespace));
    return queryResources(visible, query, cookies(), kind);
  });
}
