import type { EndpointDescription } from '../../contract/crest/describe/description.ts';
import type { Resource } from '../../contract/crest/resource.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { compareRoutes } from '../../contract/route-order.ts';
import { type RouteKey, routeKeyText } from '../../contract/snapshot.ts';
import type { Compilation } from '../compile/compiler.ts';
import type { Verdict, VerdictRoute } from '../compile/verdict.ts';

export interface RouteStatesOptions {
  readonly compilation: Compilation;
  /** Routes that data planes could not build. */
  readonly unbuilt: readonly RouteKey[];
  /** Figures of routes by the texts of their keys. */
  readonly figures: ReadonlyMap<string, JsonObject>;
  /** Conditions are shown: they are part of documents, which not everybody may read. */
  readonly showsConditions: boolean;
  /** Returns the path of the document of a route below `/api`; null if it cannot be read there. */
  pathOf(route: VerdictRoute): string | null;
}

const text = { type: 'string' };
const count = { type: 'integer' };

export const ROUTE_STATE: EndpointDescription = {
  name: 'route-state',
  title: 'States of routes',
  description: 'Routes of all routers in their order, what requests meet there, and figures. No documents.',
  hasRevisions: false,
  schema: () => ({
    schema: {
      type: 'object',
      properties: {
        route: text,
        name: text,
        router: text,
        position: count,
        condition: { type: ['string', 'null'] },
        serves: { type: 'string', enum: ['this', 'last-good', 'refuses', 'nothing', 'waits', 'unbuilt'] },
        errors: count,
        warnings: count,
        document: { type: ['string', 'null'] },
        figures: { type: ['object', 'null'] },
      },
    },
  }),
};

/** Returns the state of each route: routers in the order of their names, routes in the order in which they are tried. */
export function routeStates(options: RouteStatesOptions): (Resource & { readonly id: string })[] {
  const unbuilt = new Set(options.unbuilt.map(routeKeyText));
  const found = options.compilation.verdicts.flatMap((verdict) =>
    verdict.role === 'route' && verdict.route !== null ? [{ verdict, route: verdict.route }] : [],
  );
  const byRouter = [...Map.groupBy(found, ({ route }) => route.router)].sort(([a], [b]) => (a < b ? -1 : 1));
  return byRouter.flatMap(([, routes]) =>
    routes
      .sort((a, b) => compareRoutes(a.route, b.route))
      .map(({ verdict, route }, at) => stateOf(verdict, route, at + 1, unbuilt, options)),
  );
}

function stateOf(
  verdict: Verdict,
  route: VerdictRoute,
  position: number,
  unbuilt: ReadonlySet<string>,
  { figures, showsConditions, pathOf }: RouteStatesOptions,
): Resource & { readonly id: string } {
  const { id, name, router, condition } = route;
  const key = routeKeyText(route);
  const errors = verdict.problems.filter(({ severity }) => severity === 'error').length;
  const isUnbuilt = verdict.serves === 'this' && unbuilt.has(key);
  return {
    id: `${router}/${id}`,
    revision: null,
    content: {
      route: id,
      ...{ name, router, position },
      ...(showsConditions && { condition }),
      serves: isUnbuilt ? 'unbuilt' : verdict.serves,
      errors,
      warnings: verdict.problems.length - errors,
      document: pathOf(route),
      figures: verdict.serves === 'nothing' ? null : (figures.get(key) ?? null),
    },
  };
}
