import { badRequest, CrestError } from '../../../contract/crest/crest-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import type { CompiledRoute } from '../../compile/snapshot.ts';
import type { EvaluateExpression } from '../../manage/asked-expression.ts';
import {
  ASKED_REQUEST,
  type AskedRequest,
  type ExplainRequest,
  readAskedRequest,
  withHost,
} from '../../manage/explained-request.ts';
import type { DryRunAnswer, DryRunQuestion } from '../../publish/dry-run-question.ts';
import type { PublishedState } from '../../publish/published-state.ts';
import { isServed, type SelectablePlane } from '../../publish/sessions/plane-selection.ts';
import { type Caller, type CallerReview, unavailable } from './caller-review.ts';
import { listableOf, MOST_NAMESPACES } from './listable-namespaces.ts';

/** Parts of a controller that know which routes data planes run. */
export interface ExplainedPlanes {
  readonly explain: ExplainRequest;
  readonly evaluate: EvaluateExpression;
  /** Its state is null while there is nothing to run. */
  readonly live: { readonly published: PublishedState | null };
  readonly dryRuns: DryRunPlanes;
  /** Called after each dry run. */
  dryRan?(made: MadeDryRun): void;
}

/** Data planes that make dry runs. */
export interface DryRunPlanes {
  /** Returns the data plane that would be asked, if it is known. */
  explainer(question: Pick<DryRunQuestion, 'plane'>): SelectablePlane | null;
  explain(question: DryRunQuestion): Promise<DryRunAnswer>;
}

/** A dry run for the log. */
export interface MadeDryRun {
  readonly caller: string;
  /** Id of the Route that takes the request; null for none. */
  readonly route: string | null;
  /** Name of the data plane. */
  readonly plane: string;
}

export interface ExplainParts extends ExplainedPlanes {
  readonly caller: Caller;
  readonly review: Pick<CallerReview, 'may'>;
  inTurn<T>(run: () => T): Promise<T>;
}

const MOST_TRIED = 200;
const PLANE_MEMBERS = ['group', 'namespace', 'labels'];

/** Schema of the body of the action in a cluster. */
export const ASKED_OF_PLANES: JsonObject = {
  ...ASKED_REQUEST,
  properties: {
    ...(ASKED_REQUEST['properties'] as JsonObject),
    dataPlane: {
      type: 'object',
      description: 'Data plane that gets the request; by default one of the default group without labels.',
      properties: {
        group: { type: 'string', description: 'Name of its group; by default the first group.' },
        namespace: { type: 'string', description: 'Namespace of its Pod, which a sidecar needs.' },
        labels: { type: 'object', description: 'Labels of its Pod.', additionalProperties: { type: 'string' } },
      },
      additionalProperties: false,
    },
  },
};

/**
 * Explains which Route takes a request on a data plane, and names only Routes that the caller may list.
 *
 * @param given id of a Route that the caller may read; null for none
 * @throws CrestError 403 for a caller who may list none of the Routes that get requests for the host
 */
export async function explainForCaller(
  parts: ExplainParts,
  body: JsonValue,
  given: string | null,
): Promise<JsonObject> {
  const request = readAskedRequest(body, ['dataPlane']);
  const { published } = parts.live;
  if (published === null) throw unavailable('data planes have nothing to run: the base configuration is not valid');
  const asked = readPlane((body as JsonObject)['dataPlane'], published);
  const plane = (request.dryRun === true ? parts.dryRuns.explainer({ plane: asked }) : null) ?? asked;
  const { snapshot, remembered } = published;
  const routes = snapshot.routes.filter((route) => isServed(plane, published.selectionOf(route), published));
  const namespaceOf = (route: CompiledRoute): string | null => published.selectionOf(route).namespace;
  let shownNamespaces: ReadonlySet<string> | null = new Set();
  const isShownIn = (namespace: string | null): boolean =>
    shownNamespaces === null || (namespace !== null && shownNamespaces.has(namespace));
  const explanation = await parts.explain({ ...snapshot, routes }, request, {
    mostTried: MOST_TRIED,
    inTurn: parts.inTurn,
    async shown(candidates) {
      shownNamespaces = await listableFor(parts, candidates.map(namespaceOf), given);
      return (route) => route.id === given || isShownIn(namespaceOf(route));
    },
  });
  const unknown = remembered
    .filter(({ selection }) => isServed(plane, selection, published) && isShownIn(selection.namespace))
    .map(({ id }) => id);
  const answer = { ...explanation, ...(unknown.length > 0 && { unknown }) };
  const routers = explanation['routers'] as readonly JsonObject[];
  const takes = routers.some(({ route }) => route === given);
  const isRun = request.dryRun === true && explanation['refusal'] === null && (given === null || takes);
  const taken = isRun ? routes.find(({ id }) => id === explanation['route']) : undefined;
  const place = taken === undefined ? null : { id: taken.id, namespace: namespaceOf(taken) };
  const dryRun = isRun ? await dryRunFor(parts, { request, plane, place }) : null;
  return { ...(given !== null && { takes }), ...answer, ...(dryRun !== null && { dryRun }) };
}

interface WantedDryRun {
  readonly request: AskedRequest;
  readonly plane: SelectablePlane;
  /** The Route that takes the request, if the caller may see it; a namespace of null is that of an operator. */
  readonly place: { readonly id: string; readonly namespace: string | null } | null;
}

/** @throws CrestError 403 without the right to explain, 501 by older data planes, 503 while none can be asked */
async function dryRunFor(parts: ExplainParts, { request, plane, place }: WantedDryRun): Promise<JsonObject> {
  const { caller, dryRuns, dryRan } = parts;
  const route = await shownRoute(parts, place);
  const { dryRun: _, ...described } = withHost(request);
  const answer = await dryRuns.explain({ request: described, route, plane });
  if ('failure' in answer) {
    throw answer.failure === 'older' ? new CrestError(501, answer.message) : unavailable(answer.message);
  }
  dryRan?.({ caller: caller.name, route: place?.id ?? null, plane: answer.dryRun.plane ?? '' });
  return answer.dryRun;
}

/** Returns the id of the one Route whose objects the caller may see; null for all. @throws CrestError 403 */
async function shownRoute({ review, caller }: ExplainParts, place: WantedDryRun['place']): Promise<string | null> {
  if (await review.may(caller, { verb: 'explain' })) return null;
  const { id, namespace } = place ?? { id: '', namespace: null };
  if (namespace === null) {
    throw new CrestError(
      403,
      `none of the Routes that ${caller.name} may list takes the request: its dry run needs the right to explain Routes ` +
        'in all namespaces',
    );
  }
  const name = id.slice(namespace.length + 1);
  if (await review.may(caller, { verb: 'explain', namespace, name })) return id;
  throw new CrestError(403, `${caller.name} may not explain the Route '${id}'`);
}

/** Returns the namespaces whose Routes the caller may see; null for all. @throws CrestError 403 for none */
async function listableFor(
  { review, caller }: ExplainParts,
  found: readonly (string | null)[],
  given: string | null,
): Promise<ReadonlySet<string> | null> {
  if (await review.may(caller, { verb: 'list' })) return null;
  const namespaces = [...new Set(found.filter((namespace) => namespace !== null))];
  const isMuch = namespaces.length > MOST_NAMESPACES;
  const allowed = isMuch ? new Set<string>() : await listableOf({ review, caller, kind: 'Route' }, namespaces);
  if (allowed.size > 0 || given !== null) return allowed;
  if (isMuch) {
    throw badRequest(
      `Routes of more than ${MOST_NAMESPACES} namespaces get requests for this host, too many to review your rights in ` +
        'each of them: ask about one Route, as in /api/routes/shop.orders?_action=explain',
    );
  }
  throw new CrestError(
    403,
    `${caller.name} may not list Routes in any of the namespaces whose Routes get requests for this host`,
  );
}

function readPlane(given: JsonValue | undefined, { defaultGroup, groups = [] }: PublishedState): SelectablePlane {
  const value = given ?? {};
  if (!isJsonObject(value)) throw badRequest("'dataPlane' must be an object");
  for (const name of Object.keys(value)) {
    if (!PLANE_MEMBERS.includes(name)) {
      throw badRequest(`'dataPlane' has no '${name}': it has ${PLANE_MEMBERS.join(', ')}`);
    }
  }
  const { group = defaultGroup, namespace = null, labels = {} } = value;
  if (typeof group !== 'string') throw badRequest("'dataPlane/group' must be a text");
  if (namespace !== null && typeof namespace !== 'string') throw badRequest("'dataPlane/namespace' must be a text");
  if (!isJsonObject(labels) || !Object.values(labels).every((one) => typeof one === 'string')) {
    throw badRequest("'dataPlane/labels' must be an object of texts");
  }
  const isSidecar = groups.find(({ name }) => name === group)?.sidecars;
  if (isSidecar === undefined && group !== defaultGroup) {
    throw badRequest(`there is no group '${group}' of data planes`);
  }
  if (isSidecar === true && namespace === null) {
    throw badRequest("'dataPlane/namespace' is missing: a sidecar serves the Routes of its own namespace");
  }
  return { group, namespace, labels: labels as Record<string, string>, isSidecar: isSidecar === true };
}
