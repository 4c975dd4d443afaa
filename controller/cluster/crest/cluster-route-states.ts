import { CrestError } from '../../../contract/crest/crest-error.ts';
import type { EndpointDescription } from '../../../contract/crest/describe/description.ts';
import type { PageCookies } from '../../../contract/crest/page-cookie.ts';
import type { CollectionProvider } from '../../../contract/crest/provider.ts';
import { queryResources } from '../../../contract/crest/query-resources.ts';
import type { Resource } from '../../../contract/crest/resource.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { textOf } from '../../../contract/document/lenient-parts.ts';
import { compareRoutes } from '../../../contract/route-order.ts';
import type { ResourceVerdict } from '../../compile/resources/resource-verdict.ts';
import { ROUTE_STATE } from '../../manage/route-states.ts';
import type { ClusterSource } from '../cluster-source.ts';
import type { ServedRoute } from '../status/served-routes.ts';
import type { Caller, CallerReview } from './caller-review.ts';
import { listableNamespaces } from './listable-namespaces.ts';
import { readRouteId, routeId } from './route-place.ts';

/** Parts of a controller that answer requests for the states of Routes. */
export interface ClusterRouteStatesParts {
  readonly source: Pick<ClusterSource, 'isFollowed' | 'chosenNamespaces'>;
  readonly review: Pick<CallerReview, 'may'>;
  /** Returns the verdicts of the newest compilation. */
  verdicts(): readonly ResourceVerdict[];
  /** Returns the Routes on all data planes. @throws Error when the leader cannot be asked */
  served(): Promise<readonly ServedRoute[]>;
  cookies(): PageCookies;
  inTurn<T>(run: () => T): Promise<T>;
}

const count = { type: 'integer' };

/** Description of the states of Routes. */
export const CLUSTER_ROUTE_STATE: EndpointDescription = {
  ...ROUTE_STATE,
  description:
    'Routes that the caller may list, in their order, what requests meet there, how many data planes run them, and ' +
    'figures of all data planes together. No documents.',
  async schema() {
    const { schema } = (await ROUTE_STATE.schema?.()) ?? { schema: {} };
    const properties = {
      ...(schema['properties'] as JsonObject),
      namespace: { type: 'string' },
      position: { type: ['integer', 'null'] },
      changed: {
        type: ['object', 'null'],
        description: 'The newest change of the document: when, and by which field manager.',
        properties: { at: { type: 'string' }, by: { type: 'string' } },
      },
      deliveredBy: {
        type: ['string', 'null'],
        description: 'Tool that keeps the Route as its source says, such as Argo CD, Flux or Helm.',
      },
      planes: {
        type: ['object', 'null'],
        description: 'Data planes that run it, of those that are to run it; null while the leader does not answer.',
        properties: { current: count, of: count },
      },
    };
    return { schema: { type: 'object', properties } };
  },
};

type Item = Resource & { readonly id: string };
type OnPlanes = ReadonlyMap<string, ServedRoute> | null;

/** States of the Routes that a caller may see. */
export function clusterRouteStates(parts: ClusterRouteStatesParts, caller: Caller): CollectionProvider {
  const { review, source } = parts;
  const routes = (): ResourceVerdict[] => parts.verdicts().filter(({ resource }) => resource.kind === 'Route');

  /** A state without data planes is better than none: the verdicts are known here. */
  async function onPlanes(): Promise<OnPlanes> {
    try {
      return new Map((await parts.served()).map((one) => [one.id, one]));
    } catch {
      return null;
    }
  }

  return {
    async read(id) {
      const place = readRouteId(id);
      if (!(await review.may(caller, { verb: 'get', ...place }))) {
        throw new CrestError(403, `${caller.name} may not get the Route '${id}'`);
      }
      const found = routes().find(({ resource }) => routeId(resource) === id);
      if (found === undefined) throw new CrestError(404, `there is no Route '${id}'`);
      // The order among Routes is for callers who may list them.
      return stateOf(found, null, await onPlanes());
    },
    async query(query) {
      const question = { review, caller, kind: 'Route', source } as const;
      const existing = (): string[] => [...new Set(routes().map(({ resource }) => resource.namespace))];
      const namespaces = await listableNamespaces(question, query, existing);
      const live = await onPlanes();
      return parts.inTurn(() => {
        const all = routes();
        const visible = namespaces === null ? all : all.filter(({ resource }) => namespaces.has(resource.namespace));
        return queryResources(ordered(visible, live), query, parts.cookies(), ROUTE_STATE.name);
      });
    },
  };
}

/** Positions count visible Routes only, so that nobody learns how many others there are. */
function ordered(verdicts: readonly ResourceVerdict[], live: OnPlanes): Item[] {
  const named = verdicts.map((verdict) => ({ verdict, id: routeId(verdict.resource), name: nameOf(verdict) }));
  return named.sort(compareRoutes).map(({ verdict }, at) => stateOf(verdict, at + 1, live));
}

function nameOf({ resource, route }: ResourceVerdict): string {
  return route?.name ?? (textOf(resource.spec['name']) || routeId(resource));
}

function stateOf(verdict: ResourceVerdict, position: number | null, live: OnPlanes): Item {
  const { resource, route, problems, serves } = verdict;
  const { condition } = resource.spec;
  const id = routeId(resource);
  const served = live?.get(id) ?? null;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const isUnbuilt = serves === 'this' && served !== null && served.unbuilt > 0;
  return {
    id,
    revision: null,
    content: {
      ...{ route: id, namespace: resource.namespace, name: nameOf(verdict) },
      ...{
        router: route?.router ?? MAIN_ROUTER,
        position,
        condition: typeof condition === 'string' ? condition : null,
      },
      serves: isUnbuilt ? 'unbuilt' : serves,
      ...{ errors, warnings: problems.length - errors },
      document: `routes/${encodeURIComponent(id)}`,
      changed: resource.changed === undefined ? null : { at: resource.changed.at, by: resource.changed.manager },
      deliveredBy: resource.deliveredBy ?? null,
      planes: served === null ? null : { current: served.current, of: served.of },
      figures: served?.figures ?? null,
    },
  };
}

/** Router of Routes that are not compiled. */
const MAIN_ROUTER = 'gateway._router';
