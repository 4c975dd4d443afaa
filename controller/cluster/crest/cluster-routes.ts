import { applyPatch } from '../../../contract/crest/apply-patch.ts';
import { badRequest, CrestError } from '../../../contract/crest/crest-error.ts';
import type { PageCookies } from '../../../contract/crest/page-cookie.ts';
import type { CollectionProvider } from '../../../contract/crest/provider.ts';
import { queryResources } from '../../../contract/crest/query-resources.ts';
import type { ResourceQuery } from '../../../contract/crest/resource-query.ts';
import { isJsonObject, type JsonObject } from '../../../contract/document/json-value.ts';
import type { AdmissionJudge } from '../../admission/admission-judge.ts';
import type { ClusterSource } from '../cluster-source.ts';
import type { Caller, CallerReview, RouteAccess } from './caller-review.ts';
import { namedNamespaces } from './named-namespaces.ts';
import type { RouteItem, RouteItems } from './route-items.ts';
import { type RoutePlace, readRouteId } from './route-place.ts';
import { judgedProblems } from './route-problems.ts';
import { type RouteWriter, routeObject } from './route-writer.ts';

/** Parts of a controller that answer requests for Routes. */
export interface ClusterRoutesParts {
  readonly source: Pick<ClusterSource, 'routes' | 'route' | 'isFollowed'>;
  readonly items: RouteItems;
  readonly review: Pick<CallerReview, 'may'>;
  readonly judge: AdmissionJudge;
  /** All controllers read the cookies of each other. */
  cookies(): PageCookies;
  /** Lets queries and patches run one after the other, so that they do not hold up anything else for long. */
  inTurn<T>(run: () => T): Promise<T>;
}

/** A caller, and what writes in their name. */
export interface CallerParts {
  readonly caller: Caller;
  readonly writer: RouteWriter;
}

/** Reviews of namespaces for one query. */
const MOST_NAMESPACES = 200;
const COLLECTION = 'routes';

/** Routes of the cluster as resources, as far as a caller may see them. Changes are made with the caller's own token. */
export function clusterRoutes(parts: ClusterRoutesParts, { caller, writer }: CallerParts): CollectionProvider {
  const { source, items, review, judge } = parts;

  async function refuseUnless(access: RouteAccess, id: string): Promise<void> {
    if (await review.may(caller, access)) return;
    throw new CrestError(403, `${caller.name} may not ${access.verb} the Route '${id}'`);
  }

  /** Namespaces in which the caller may list Routes; null for all. @throws CrestError 403 for none */
  async function listable({ selector }: ResourceQuery): Promise<ReadonlySet<string> | null> {
    if (await review.may(caller, { verb: 'list' })) return null;
    const named = 'filter' in selector ? namedNamespaces(selector.filter) : null;
    const asked = named === null ? items.namespaces(source.routes) : [...named];
    if (asked.length > MOST_NAMESPACES) {
      throw badRequest(
        `the query is about more than ${MOST_NAMESPACES} namespaces, too many to review your rights in each of them: ` +
          'limit it to some, as in _queryFilter=_id sw "shop."',
      );
    }
    const verdicts = await Promise.all(asked.map((namespace) => review.may(caller, { verb: 'list', namespace })));
    const allowed = new Set(asked.filter((_, at) => verdicts[at]));
    if (allowed.size > 0) return allowed;
    throw new CrestError(403, `${caller.name} may not list Routes in any of the namespaces that the query is about`);
  }

  async function query(asked: ResourceQuery) {
    const namespaces = await listable(asked);
    return parts.inTurn(() => {
      const all = items.all(source.routes);
      const visible = namespaces === null ? all : all.filter(({ namespace }) => namespaces.has(namespace));
      return queryResources(visible, asked, parts.cookies(), COLLECTION);
    });
  }

  /** A Route that is too large for the cache is there without its spec: the API server has it. */
  async function read(id: string): Promise<RouteItem> {
    const place = readRouteId(id);
    await refuseUnless({ verb: 'get', ...place }, id);
    const route = source.route(place.namespace, place.name);
    if (route === null) throw new CrestError(404, `there is no Route '${id}'`);
    return route.excess === undefined ? items.item(route) : writer.read(place);
  }

  /** Returns true if a Route exists, to callers who may know that. */
  async function isKnown(place: RoutePlace): Promise<boolean> {
    return source.route(place.namespace, place.name) !== null && (await review.may(caller, { verb: 'get', ...place }));
  }

  function writable(id: string | null): RoutePlace {
    const place = readRouteId(id);
    if (source.isFollowed(place.namespace)) return place;
    throw badRequest(`this gateway does not watch the namespace '${place.namespace}'`);
  }

  return {
    async create(id, content) {
      const place = writable(id);
      const spec = specOf(id!, content);
      if (await isKnown(place)) throw new CrestError(412, `the Route '${id}' exists already`);
      return writer.create(place, spec);
    },
    read,
    update: async (id, expected, content) => writer.update(writable(id), expected, () => specOf(id, content)),
    patch: async (id, expected, operations) =>
      writer.patch(writable(id), expected, (spec) =>
        parts.inTurn(() => specOf(id, { ...applyPatch({ ...spec, _id: id }, operations), _id: id })),
      ),
    delete: async (id, expected) => writer.remove(writable(id), expected),
    query,
    async act(given, action, body) {
      if (action !== 'validate') throw new CrestError(501, `there is no action '${action}'; there is 'validate'`);
      const content = isJsonObject(body) ? body : given === null ? {} : (await read(given)).content;
      const id = given ?? (typeof content['_id'] === 'string' ? content['_id'] : null);
      const place = writable(id);
      await refuseUnless(
        (await isKnown(place)) ? { verb: 'update', ...place } : { verb: 'create', namespace: place.namespace },
        id!,
      );
      const problems = await parts.inTurn(() => judgedProblems(judge, routeObject(place, specOf(id!, content))));
      return {
        valid: !problems.some(({ severity }) => severity === 'error'),
        problems,
      };
    },
  };
}

/** The document of a Route, without what Common REST adds to it. */
function specOf(id: string, { _id, _rev, ...spec }: JsonObject): JsonObject {
  if (_id !== undefined && _id !== id) throw badRequest(`'_id' must be '${id}', as in the path`);
  return spec;
}
