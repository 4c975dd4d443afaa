import { applyPatch } from '../../../contract/crest/apply-patch.ts';
import { badRequest, CrestError } from '../../../contract/crest/crest-error.ts';
import type { PageCookies } from '../../../contract/crest/page-cookie.ts';
import type { CollectionProvider } from '../../../contract/crest/provider.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import type { AdmissionJudge } from '../../admission/admission-judge.ts';
import { readAskedExpression } from '../../manage/asked-expression.ts';
import type { ClusterSource } from '../cluster-source.ts';
import type { Caller, CallerReview, ResourceAccess } from './caller-review.ts';
import type { CallerSlots } from './caller-slots.ts';
import { queryVisible } from './cluster-objects.ts';
import { type ExplainedPlanes, explainForCaller } from './explain-for-caller.ts';
import type { ResourceItem, ResourceItems } from './resource-items.ts';
import { type RoutePlace, readRouteId } from './route-place.ts';
import { judgedProblems } from './route-problems.ts';
import { notFollowed, type RouteWriter, routeObject } from './route-writer.ts';

/** Parts of a controller that answer requests for Routes. */
export interface ClusterRoutesParts extends ExplainedPlanes {
  readonly source: Pick<ClusterSource, 'resources' | 'resource' | 'isFollowed' | 'chosenNamespaces'>;
  readonly items: ResourceItems;
  readonly review: Pick<CallerReview, 'may'>;
  readonly judge: AdmissionJudge;
  /** Limits explanations under way. */
  readonly explanations: CallerSlots;
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

/** Routes of the cluster as resources, as far as a caller may see them. Changes are made with the caller's own token. */
export function clusterRoutes(parts: ClusterRoutesParts, { caller, writer }: CallerParts): CollectionProvider {
  const { source, items, review, judge } = parts;

  async function refuseUnless(access: ResourceAccess, id: string): Promise<void> {
    if (await review.may(caller, access)) return;
    throw new CrestError(403, `${caller.name} may not ${access.verb} the Route '${id}'`);
  }

  /** A Route that is too large for the cache is there without its spec: the API server has it. */
  async function read(id: string): Promise<ResourceItem> {
    const place = readRouteId(id);
    await refuseUnless({ verb: 'get', ...place }, id);
    const route = source.resource('Route', place.namespace, place.name);
    if (route === null) throw new CrestError(404, `there is no Route '${id}'`);
    return route.excess === undefined ? items.item(route) : writer.read(place);
  }

  async function explained(given: string | null, body: JsonValue): Promise<JsonObject> {
    if (given !== null) await read(given);
    return parts.explanations.run(caller.party, () => explainForCaller({ ...parts, caller }, body, given));
  }

  /** An expression reaches nothing of the cluster: rights are asked for because its evaluation takes time. */
  async function evaluated(given: string | null, body: JsonValue): Promise<JsonObject> {
    const asked = readAskedExpression(body);
    const place = given === null ? null : readRouteId(given);
    if (place === null) {
      if (!(await review.may(caller, { verb: 'list' })))
        throw new CrestError(403, `${caller.name} may not list Routes: name the Route, as in /api/routes/shop.orders`);
    } else if (!(await review.may(caller, { verb: 'get', ...place }))) {
      await refuseUnless({ verb: 'create', namespace: place.namespace }, given!);
    }
    return parts.explanations.run(caller.party, () => parts.inTurn(() => parts.evaluate(asked)));
  }

  /** Returns true if a Route exists, to callers who may know that. */
  async function isKnown(place: RoutePlace): Promise<boolean> {
    return (
      source.resource('Route', place.namespace, place.name) !== null &&
      (await review.may(caller, { verb: 'get', ...place }))
    );
  }

  return {
    async create(id, content) {
      const place = readRouteId(id);
      const spec = specOf(id!, content);
      if (await isKnown(place)) throw new CrestError(412, `the Route '${id}' exists already`);
      return writer.create(place, spec);
    },
    read,
    update: async (id, expected, content) => writer.update(readRouteId(id), expected, () => specOf(id, content)),
    patch: async (id, expected, operations) =>
      writer.patch(readRouteId(id), expected, (spec) =>
        parts.inTurn(() => specOf(id, applyPatch({ ...spec, _id: id }, operations, { transform: refuseTransform }))),
      ),
    delete: async (id, expected) => writer.remove(readRouteId(id), expected),
    query: (query) => queryVisible({ ...parts, kind: 'Route' }, caller, query),
    async act(given, action, body) {
      if (action === 'explain') return explained(given, body);
      if (action === 'evaluate') return evaluated(given, body);
      if (action !== 'validate') {
        throw new CrestError(501, `there is no action '${action}'; there are 'validate', 'explain' and 'evaluate'`);
      }
      const content = isJsonObject(body) ? body : given === null ? {} : (await read(given)).content;
      const id = given ?? (typeof content['_id'] === 'string' ? content['_id'] : null);
      const place = readRouteId(id);
      await refuseUnless(
        (await isKnown(place)) ? { verb: 'update', ...place } : { verb: 'create', namespace: place.namespace },
        id!,
      );
      if (!source.isFollowed(place.namespace)) throw notFollowed(place);
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

/** Controllers hold the rights of all tenants, and run no scripts of callers. */
function refuseTransform(): never {
  throw new CrestError(
    501,
    'transform is not available in a cluster, because controllers run no scripts; ' +
      'read the Route, change it and update it with If-Match',
  );
}
