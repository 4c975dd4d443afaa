import { badRequest, CrestError } from '../../../contract/crest/crest-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import type { CompiledRoute } from '../../compile/snapshot.ts';
import type { EvaluateExpression } from '../../manage/asked-expression.ts';
import { ASKED_REQUEST, type ExplainRequest, readAskedRequest } from '../../manage/explained-request.ts';
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
    ...withoutDryRun(ASKED_REQUEST['properties'] as JsonObject),
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
  if (request.dryRun === true) {
    throw new CrestError(501, "a controller makes no dry runs: leave out 'dryRun' to have conditions evaluated");
  }
  const { published } = parts.live;
  if (published === null) throw unavailable('data planes have nothing to run: the base configuration is not valid');
  const plane = readPlane((body as JsonObject)['dataPlane'], published);
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
  if (given === null) return answer;
  const routers = explanation['routers'] as readonly JsonObject[];
  return { takes: routers.some(({ route }) => route === given), ...answer };
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

function withoutDryRun({ dryRun: _, ...properties }: JsonObject): JsonObject {
  return properties;
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
