import { randomBytes } from 'node:crypto';
import type { SlowPatchOptions } from '../../contract/crest/apply-patch.ts';
import { CrestError } from '../../contract/crest/crest-error.ts';
import type { DescribedSchema } from '../../contract/crest/describe/description.ts';
import { PageCookies } from '../../contract/crest/page-cookie.ts';
import type { CollectionProvider, CrestEndpoint } from '../../contract/crest/provider.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { CrestNode, CrestTree } from '../../platform/admin/crest-path.ts';
import type { EvaluateExpression } from './asked-expression.ts';
import { deletedRoutes } from './deleted-routes.ts';
import type { ExplainRequest } from './explained-request.ts';
import type { ManagedInstance } from './managed-instance.ts';
import { managedRoute, managedRoutes } from './managed-route.ts';
import { readOnlyCollection } from './read-only-collection.ts';
import { type ChangedRoute, routeCollection } from './route-collection.ts';
import { INFO_DESCRIPTION, routeDescription } from './route-description.ts';
import { RouteSecrets } from './route-secrets.ts';
import { ROUTE_VERSION, type RouteVersions, shownVersions } from './route-versions.ts';
import { HEAP, routerPaths } from './router-paths.ts';

export interface ApiTreeOptions {
  readonly instance: ManagedInstance;
  /** Routes can be managed; otherwise every request for them is refused. */
  readonly managesRoutes: boolean;
  /** Facts about the server, such as its version. */
  readonly info: JsonObject;
  readonly explain: ExplainRequest;
  readonly evaluate: EvaluateExpression;
  /** Keeps the last versions of routes; absent if none are kept. */
  readonly versions?: RouteVersions;
  /** Transforms values with scripts, for patches. */
  readonly patching?: SlowPatchOptions;
  /** Returns the schema of a route document. */
  readonly routeSchema: () => Promise<DescribedSchema>;
  /** Endpoints beside those of routes, by the first step of their paths. */
  readonly others?: Readonly<Record<string, CrestEndpoint>>;
  /** Transaction ids of callers are believed. */
  readonly trustsTransactions: boolean;
  /** Called after each change of a route. */
  changed(change: ChangedRoute): void;
  /** Returns the events of an audit topic. */
  audit?(topic: string): CrestEndpoint;
}

/** Topics that descriptors show; there may be others. */
const TOPICS = ['access', 'activity', 'authentication', 'config'];

const FOLDER: CrestNode = { kind: 'folder' };
/**
 * Returns the endpoints of an instance: `info`, `routes`, and `system/objects/<router>/routes`, also of routers in routes,
 * and those that are handed in.
 */
export function apiTree(options: ApiTreeOptions): CrestTree {
  const { instance, managesRoutes, info, explain, evaluate } = options;
  const cookies = new PageCookies(randomBytes(32));
  const secrets = new RouteSecrets();
  const describes = routeDescription(options.routeSchema);
  let last: Promise<unknown> = Promise.resolve();
  const queue = <T>(change: () => Promise<T>): Promise<T> => {
    const result = last.then(change);
    last = result.catch(() => {});
    return result;
  };
  const infoNode: CrestEndpoint = {
    kind: 'singleton',
    describes: INFO_DESCRIPTION,
    provider: { read: async () => ({ id: null, revision: null, content: info }) },
  };
  const deleted = options.versions && managesRoutes ? deletedRoutes(options.versions, instance, cookies) : null;
  const single: ReadonlyMap<string, CrestEndpoint> = new Map(
    Object.entries({ info: infoNode, ...options.others, ...(deleted && { 'deleted-routes': deleted }) }),
  );

  function routesOf(router: string): CrestEndpoint | null {
    const directory = instance.compilation.routers.get(router);
    if (directory === undefined) return null;
    if (!managesRoutes) return refusedInProduction('routes are managed');
    const provider = routeCollection({
      instance,
      router,
      directory,
      cookies,
      queue,
      explain,
      evaluate,
      secrets,
      versions: options.versions,
      patching: options.patching,
      changed: options.changed,
    });
    return { kind: 'collection', provider, describes };
  }

  /** Versions of a route, which may be deleted; null if none are kept. */
  function versionsOf(router: string, id: string): CrestEndpoint | null {
    const { versions } = options;
    if (versions === undefined || !managesRoutes) return null;
    const shown = () => {
      const now = managedRoute(instance.compilation.verdicts, router, id, secrets)?.document ?? null;
      return shownVersions(versions.of({ router, id }), id, now, secrets);
    };
    return readOnlyCollection(ROUTE_VERSION, shown, cookies);
  }

  /** Follows `<router>/routes/<id>/objects/<router>/…`; the steps before are `depth`. */
  function below(
    prefix: string,
    [object, word, id, ...rest]: readonly string[],
    depth: number,
  ): ReturnType<CrestTree['find']> {
    const router = `${prefix}.${object}`;
    const node = routesOf(router);
    if (node === null) return null;
    if (word === undefined) return { node: FOLDER, depth: depth + 1 };
    if (word !== 'routes') return null;
    if (rest[0] === 'versions' && id !== undefined) {
      const versions = versionsOf(router, id);
      return versions === null ? null : { node: versions, depth: depth + 4 };
    }
    if (rest[0] !== 'objects' || id === undefined || !managesRoutes) return { node, depth: depth + 2 };
    const { verdicts } = instance.compilation;
    const route =
      managedRoute(verdicts, router, id, secrets) ??
      managedRoutes(verdicts, router, secrets).find((one) => slug(one.id) === id);
    if (route === undefined) return null;
    if (rest.length === 1) return { node: FOLDER, depth: depth + 4 };
    return below(`${router}.${route.name}`, rest.slice(1), depth + 4);
  }

  return {
    trustsTransactions: options.trustsTransactions,
    facts: { title: 'Gatewarden', version: String(info['version'] ?? '') },
    find(steps) {
      const [first, second, ...rest] = steps;
      if (first === undefined) return { node: FOLDER, depth: 0 };
      if (first === 'routes' && second !== undefined && rest[0] === 'versions') {
        const versions = versionsOf(mainRouter(instance), second);
        return versions === null ? null : { node: versions, depth: 3 };
      }
      const node = first === 'routes' ? routesOf(mainRouter(instance)) : (single.get(first) ?? null);
      if (node !== null) return { node, depth: 1 };
      if (first === 'audit' && options.audit !== undefined) {
        return second === undefined ? { node: FOLDER, depth: 1 } : { node: options.audit(second), depth: 2 };
      }
      if (first !== 'system') return null;
      if (second === undefined || (second === 'objects' && rest.length === 0))
        return { node: FOLDER, depth: steps.length };
      return second === 'objects' ? below(HEAP, rest, 2) : null;
    },
    list() {
      const routers = routerPaths(instance.compilation).map(({ steps, router }) => ({
        steps,
        endpoint: routesOf(router),
      }));
      const all = [{ steps: ['routes'], endpoint: routesOf(mainRouter(instance)) }, ...routers];
      return [
        ...[...single].map(([name, endpoint]) => ({ steps: [name], endpoint })),
        ...TOPICS.flatMap((topic) => {
          const endpoint = options.audit?.(topic);
          return endpoint === undefined ? [] : [{ steps: ['audit', topic], endpoint }];
        }),
        ...all.flatMap(({ steps, endpoint }) => (endpoint === null ? [] : [{ steps, endpoint }])),
      ];
    },
  };
}

/** Returns the router that `/api/routes` stands for: the one with the usual name, else the first. */
function mainRouter({ compilation: { routers } }: ManagedInstance): string {
  const usual = `${HEAP}._router`;
  return routers.has(usual) ? usual : ([...routers.keys()][0] ?? usual);
}

/** Returns the form of an id in a path: lower case, without accents, separated by hyphens. */
function slug(id: string): string {
  return id
    .normalize('NFD')
    .replace(/[^\w\s-]/g, '')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '-');
}

/** Returns the reason of a refusal in the mode PRODUCTION. @param what operation of the other modes */
export function notInProduction(what: string): string {
  return `${what} only in the modes EVALUATION and DEVELOPMENT ('mode' of admin.json)`;
}

/** Returns a collection that the mode PRODUCTION does not have. @param what operation of the other modes */
export function refusedInProduction(what: string): CrestEndpoint {
  async function refused(): Promise<never> {
    throw new CrestError(403, notInProduction(what));
  }
  const provider: CollectionProvider = {
    create: refused,
    read: refused,
    update: refused,
    delete: refused,
    patch: refused,
    act: refused,
    query: refused,
  };
  return { kind: 'collection', provider };
}
