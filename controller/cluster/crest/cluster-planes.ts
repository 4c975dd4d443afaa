import { CrestError } from '../../../contract/crest/crest-error.ts';
import type { PageCookies } from '../../../contract/crest/page-cookie.ts';
import type { CollectionProvider } from '../../../contract/crest/provider.ts';
import { queryResources } from '../../../contract/crest/query-resources.ts';
import type { Resource } from '../../../contract/crest/resource.ts';
import { compareTexts } from '../../../contract/route-order.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { PlaneProblem, PlaneReport } from '../../admin/status-report.ts';
import { PLANE_DESCRIPTION, planeResource, type ShownPlane, type ShownPlaneProblem } from '../../manage/shown-plane.ts';
import { type Caller, type CallerReview, unavailable } from './caller-review.ts';

/** Parts of a controller that answer requests for data planes. */
export interface ClusterPlanesParts {
  readonly review: Pick<CallerReview, 'mayUse'>;
  /** Returns the data planes of all controllers. @throws Error when the leader cannot be asked */
  planes(): Promise<readonly PlaneReport[]>;
  cookies(): PageCookies;
  inTurn<T>(run: () => T): Promise<T>;
}

/** The path whose right lets callers see data planes: it shows the same. */
const RIGHT = '/status';
/** Milliseconds for which the leader is not asked again. */
const FRESH = 1000;

type Item = Resource & { readonly id: string };

/** Data planes of all controllers, for callers who may see the status of a controller. */
export function clusterPlanes(parts: ClusterPlanesParts, caller: Caller): CollectionProvider {
  async function all(): Promise<readonly Item[]> {
    if (!(await parts.review.mayUse(caller, 'get', RIGHT))) {
      throw new CrestError(403, `${caller.name} may not get the non-resource URL ${RIGHT}, which data planes need`);
    }
    const reports = await parts.planes().catch(() => {
      throw unavailable('the leader of the controllers, which knows all data planes, does not answer');
    });
    return planeItems(reports);
  }
  return {
    async read(id) {
      const found = (await all()).find((one) => one.id === id);
      if (found === undefined) throw new CrestError(404, `there is no data plane '${id}'`);
      return found;
    },
    async query(query) {
      const items = await all();
      return parts.inTurn(() => queryResources(items, query, parts.cookies(), PLANE_DESCRIPTION.name));
    },
  };
}

/** Data planes by their ids. A Pod that took the place of another one has its name, and only the newer one is shown. */
export function planeItems(reports: readonly PlaneReport[]): Item[] {
  const items = new Map<string, { readonly report: PlaneReport; readonly item: Item }>();
  for (const report of reports) {
    const shown = shownPlane(report);
    const id = shown.namespace === null ? `${report.group}:${shown.name}` : `${shown.namespace}.${shown.name}`;
    const other = items.get(id);
    if (other === undefined || isNewer(report, other.report)) items.set(id, { report, item: planeResource(id, shown) });
  }
  return Array.from(items.values(), ({ item }) => item).sort((a, b) => compareTexts(a.id, b.id));
}

function isNewer(one: PlaneReport, other: PlaneReport): boolean {
  const isGone = ({ state }: PlaneReport): boolean => state === 'left';
  return isGone(one) === isGone(other) ? one.age < other.age : isGone(other);
}

function shownPlane(report: PlaneReport): ShownPlane {
  const { group, state, revision, ready, lag, routes, clockAhead, problems } = report;
  const isKnown = report.version !== '';
  return {
    ...named(report),
    ...{ group, labels: report.labels ?? {}, isSidecar: report.isSidecar ?? false },
    controller: report.controller === '' ? null : report.controller,
    ...{ state, isCurrent: state === 'current', version: isKnown ? report.version : null, revision, ready },
    ...{ connectedSince: report.connectedSince ?? null, snapshotAge: report.snapshotAge ?? null, lag },
    ...{ units: report.units ?? null, unitsServing: report.unitsServing ?? null, memory: report.memory ?? null },
    ...{
      routes,
      clockAhead,
      problems: problems.map(shownProblem),
      problemCount: report.problemCount ?? problems.length,
      backends: report.backends ?? [],
    },
  };
}

/** A leader of an older version tells namespace and name in one text. */
function named({ plane, name, namespace }: PlaneReport): Pick<ShownPlane, 'name' | 'namespace'> {
  if (name !== undefined && namespace !== undefined) return { name, namespace };
  const slash = plane.indexOf('/');
  return slash < 0
    ? { name: plane, namespace: null }
    : { name: plane.slice(slash + 1), namespace: plane.slice(0, slash) };
}

function shownProblem({ router = null, route, message, keepsServing = false }: PlaneProblem): ShownPlaneProblem {
  return { router, route, message, keepsServing };
}

/** Asks at most once in a while, however many want to know. Failures are not held. */
export function recentAnswer<T>(ask: () => Promise<T>, clock: Clock): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | null = null;
  return () => {
    if (last !== null && clock.steady() - last.at < FRESH) return last.answer;
    const asked = { at: clock.steady(), answer: ask() };
    last = asked;
    asked.answer.catch(() => {
      if (last === asked) last = null;
    });
    return asked.answer;
  };
}
