import { randomBytes } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { AdminSettings } from '../../contract/admin-settings.ts';
import type { BackendsSummary } from '../../contract/channel.ts';
import { CrestError } from '../../contract/crest/crest-error.ts';
import type { DescribedSchema } from '../../contract/crest/describe/description.ts';
import { PageCookies } from '../../contract/crest/page-cookie.ts';
import type { Resource } from '../../contract/crest/resource.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { firstProblem, MOST_PROBLEMS } from '../../controller/admin/status-report.ts';
import type { LiveInstance } from '../../controller/live-instance.ts';
import { apiTree, notInProduction, refusedInProduction } from '../../controller/manage/api-tree.ts';
import { declaredObjects } from '../../controller/manage/declared-objects.ts';
import { type ExplainRequest, withHost } from '../../controller/manage/explained-request.ts';
import type { UnbuiltPart } from '../../controller/manage/managed-instance.ts';
import { instancePermissions, PERMISSIONS } from '../../controller/manage/permissions.ts';
import { readOnlyCollection } from '../../controller/manage/read-only-collection.ts';
import { ROUTE_OBJECT, routeObjects } from '../../controller/manage/route-objects.ts';
import { ROUTE_STATE, routeStates } from '../../controller/manage/route-states.ts';
import { RouteVersions } from '../../controller/manage/route-versions.ts';
import { routerPaths } from '../../controller/manage/router-paths.ts';
import { AUDIT_SERVICE, SECRET_STORE, shownAuditService, shownStore } from '../../controller/manage/shown-objects.ts';
import {
  PLANE_DESCRIPTION,
  planeResource,
  type ShownPlane,
  type ShownPlaneProblem,
} from '../../controller/manage/shown-plane.ts';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import type { BackendsStatus } from '../../dataplane/metrics/backends-status.ts';
import { auditEndpoint } from '../../dataplane/supervisor/audit-endpoint.ts';
import type { PlaneInside, PlaneStatus } from '../../dataplane/supervisor/plane-options.ts';
import type { CrestTree } from '../../platform/admin/crest-path.ts';
import { errorCode } from '../../platform/error-code.ts';
import { errorText } from '../../platform/error-text.ts';
import { programVersion } from '../version.ts';
import { evaluateExpression } from './evaluate-expression.ts';
import { type ExplainSetting, explainRequest } from './explain-request.ts';
import { serverInfo } from './server-info.ts';
import { transformByScript } from './transform-by-script.ts';

export interface ManagedApiOptions extends ExplainSetting {
  readonly instance: LiveInstance;
  readonly mode: AdminSettings['mode'];
  readonly log: Logger;
}

/** Directory of the instance for earlier versions of routes. */
const HISTORY = 'history';
/** System property by which callers are trusted with their transaction ids, as in OpenIG. */
const TRUST = 'org.forgerock.http.TrustTransactionHeader';

/** Makes the endpoints of Common REST of an instance. The documents of objects are shown where routes are. */
export function managedApi(options: ManagedApiOptions): (inside: PlaneInside) => CrestTree {
  const { instance, mode, reach, log } = options;
  return ({ audits, status, figures, objects, dryRun }) => {
    const cookies = new PageCookies(randomBytes(32));
    const managesRoutes = mode !== 'PRODUCTION';
    const declared = (kind: string) => () => declaredObjects(instance.compilation.snapshot, typesOf(kind));
    const stores = declared('secretStore');
    const services = declared('auditService');
    return apiTree({
      instance,
      managesRoutes,
      info: serverInfo(),
      explain: explainAction(options, dryRun),
      evaluate: evaluateExpression,
      versions: new RouteVersions({
        directory: join(reach.directories.instance, HISTORY),
        failed: (error, { id }) => log.warn({ route: id, reason: errorText(error) }, 'versions of a route not kept'),
      }),
      patching: { transform: transformByScript(reach, log) },
      routeSchema: routeSchema(),
      trustsTransactions: reach.system[TRUST] === 'true',
      changed: (change) => log.info({ ...change }, 'route changed over HTTP'),
      audit: (topic) => auditEndpoint(audits, topic, cookies),
      others: {
        'route-states': readOnlyCollection(ROUTE_STATE, () => statesOf(instance, figures(), managesRoutes), cookies),
        permissions: readOnlyCollection(PERMISSIONS, () => permissionsIn(instance, managesRoutes), cookies),
        'route-objects': readOnlyCollection(ROUTE_OBJECT, () => routeObjects(objects()), cookies),
        planes: readOnlyCollection(PLANE_DESCRIPTION, () => [planeOf(instance, status())], cookies),
        'secret-stores': managesRoutes
          ? readOnlyCollection(SECRET_STORE, () => stores().map(shownStore), cookies)
          : refusedInProduction('secret stores are shown'),
        'audit-services': managesRoutes
          ? readOnlyCollection(AUDIT_SERVICE, () => services().map(shownAuditService), cookies)
          : refusedInProduction('audit services are shown'),
      },
    });
  };
}

async function permissionsIn(
  { compilation }: LiveInstance,
  managesRoutes: boolean,
): Promise<[ReturnType<typeof instancePermissions>]> {
  const unwritable = await Promise.all([...compilation.routers.values()].map(isUnwritable));
  return [
    instancePermissions({
      all: managesRoutes ? null : notInProduction('routes are managed'),
      writing: unwritable.includes(true) ? 'the directory of the routes cannot be written' : null,
    }),
  ];
}

/** A directory that does not exist yet is made when a route is. */
async function isUnwritable(directory: string): Promise<boolean> {
  try {
    await access(directory, constants.W_OK);
    return false;
  } catch (error) {
    return errorCode(error) !== 'ENOENT';
  }
}

function statesOf(
  { compilation, unbuiltRoutes }: LiveInstance,
  figures: ReturnType<PlaneInside['figures']>,
  managesRoutes: boolean,
): ReturnType<typeof routeStates> {
  const unbuilt = unbuiltRoutes.flatMap(({ route }) => route ?? []);
  const paths = new Map(routerPaths(compilation).map(({ steps, router }) => [router, steps]));
  return routeStates({
    ...{ compilation, unbuilt, figures, showsConditions: managesRoutes },
    pathOf({ router, id }) {
      const steps = managesRoutes ? paths.get(router) : undefined;
      return steps === undefined ? null : [...steps, id].map(encodeURIComponent).join('/');
    },
  });
}

/** The one data plane of an instance. */
function planeOf(instance: LiveInstance, status: PlaneStatus): Resource & { readonly id: string } {
  const { compilation, revision, unbuiltRoutes } = instance;
  const isCurrent = revision === (compilation.snapshot?.revision ?? null);
  const { units, addresses, draining, unitRestarts, backends, ready } = status;
  const name = hostname();
  const plane: ShownPlane = {
    ...{ name, namespace: null, group: null, labels: {}, isSidecar: false, controller: null },
    state: unbuiltRoutes.length > 0 ? 'refused' : isCurrent ? 'current' : 'behind',
    ...{ isCurrent, version: programVersion(), revision, ready },
    ...{ connectedSince: null, snapshotAge: null, lag: null, clockAhead: null },
    ...{ units: units.length, unitsServing: units.filter(({ serving }) => serving).length },
    ...{ memory: process.memoryUsage.rss(), routes: compilation.snapshot?.routes.length ?? 0 },
    problems: unbuiltRoutes.slice(0, MOST_PROBLEMS).map(shownProblem),
    problemCount: unbuiltRoutes.length,
    backends: backends.map(shownBackends),
  };
  return planeResource(name, plane, { addresses, draining, unitRestarts });
}

/** With the endpoints, which controllers do not know. */
function shownBackends(status: BackendsStatus): BackendsSummary & Pick<BackendsStatus, 'endpoints'> {
  const { router, route, name, endpoints } = status;
  const inState = (wanted: string): number => endpoints.filter(({ state }) => state === wanted).length;
  return {
    router,
    route,
    name,
    total: endpoints.length,
    ejected: inState('ejected'),
    down: inState('down'),
    endpoints,
  };
}

function shownProblem({ route, problems, keepsServing }: UnbuiltPart): ShownPlaneProblem {
  return {
    router: route?.router ?? null,
    route: route?.id ?? 'config.json',
    message: firstProblem(problems),
    keepsServing,
  };
}

function typesOf(kind: string): ReadonlySet<string> {
  return new Set(catalogue.definitions.filter((one) => one.kind === kind).map(({ type }) => type));
}

/** Returns the explanation of requests as a resource of Common REST shows it. */
export function explainAction(setting: ExplainSetting, dryRun?: PlaneInside['dryRun']): ExplainRequest {
  return async (snapshot, request, terms) => {
    const { refusal, routers } = await explainRequest(snapshot, setting, request, terms);
    const isRun = refusal === null && request.dryRun === true && dryRun !== undefined;
    const run = isRun ? await dryRun(withHost(request)).catch(noDryRun) : null;
    const last = routers.at(-1);
    const another = last?.anotherRoute === true ? { anotherRoute: true } : {};
    return { route: last?.route ?? null, ...another, refusal, routers, ...(run !== null && { dryRun: run }) };
  };
}

function noDryRun(error: unknown): never {
  throw new CrestError(503, `the dry run failed: ${errorText(error)}`);
}

/** Returns the schema of a route document, which is made once: it takes a while, and few ask. */
export function routeSchema(): () => Promise<DescribedSchema> {
  let schema: Promise<DescribedSchema> | null = null;
  return () => {
    schema ??= madeSchema();
    return schema;
  };
}

async function madeSchema(): Promise<DescribedSchema> {
  const { documentSchema } = await import('../output/document-schema.ts');
  const { $defs, ...schema } = documentSchema('route') as JsonObject;
  return { schema, definitions: $defs as Readonly<Record<string, JsonObject>> };
}
