import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import { planeSelector } from '../../../contract/resources/plane-selector.ts';
import { specProblems } from '../../../contract/resources/read-resource.ts';
import type { Resource } from '../../../contract/resources/resource.ts';
import { routeDocument } from '../../../contract/resources/route-resource.ts';
import { type RouteIdentity, routeIdentity } from '../route-identity.ts';
import { hasErrors } from '../verdict.ts';
import { type JudgedRoute, judgeRoute, type RoutePlace } from './judged-route.ts';
import type { PlaneSelector } from './resource-verdict.ts';

/** What a Route says, looked at by itself. */
export interface RouteResourceDraft {
  readonly identity: RouteIdentity | null;
  /** With its tokens resolved, before SecretStores are put into it; null when there is none to read. */
  readonly document: JsonObject | null;
  readonly dataPlanes: PlaneSelector | null;
  /** Null when it does not say. */
  readonly onInvalid: 'KeepLastGood' | 'Refuse' | null;
  readonly judged: JudgedRoute;
}

/** The id of the route that a Route is. */
export function routeIdOf({ namespace, name }: Resource): string {
  return `${namespace}.${name}`;
}

/** Reads and judges a Route. Whatever cannot be judged is refused, and costs no other Route anything. */
export function draftRoute(resource: Resource, place: RoutePlace): RouteResourceDraft {
  if (resource.excess !== undefined) return unjudged(resource.excess);
  try {
    return judgedDraft(resource, place);
  } catch (error) {
    return unjudged(unjudgeable(error));
  }
}

function unjudged(problem: Problem): RouteResourceDraft {
  const judged = { conditionIsReadable: false, problems: [problem], faults: [], body: null, uses: [], audit: null };
  return { identity: null, document: null, dataPlanes: null, onInvalid: null, judged };
}

function judgedDraft(resource: Resource, place: RoutePlace): RouteResourceDraft {
  const { spec } = resource;
  const own = specProblems('Route', spec)
    .filter(({ path }) => path[1] !== 'name')
    .map((problem) => ({ ...problem, path: problem.path.slice(1) }));
  const { document, problems: found, told } = place.ground.resolve(routeDocument(spec), null);
  const problems: Problem[] = [...own, ...found];
  const { _id, ...named } = document ?? {};
  const id = routeIdOf(resource);
  const identity = routeIdentity(`${id}.yaml`, named, (problem) => void problems.push(problem));
  if (document === null) return { ...unjudged(problems[0]!), identity };
  const judged = judgeRoute(document, identity?.name ?? id, place);
  problems.push(...told(judged.problems));
  const isLost = ([first]: Problem['path']): boolean => first === 'condition' || first === 'dataPlanes';
  const isReadable = !problems.some(({ severity, path }) => severity === 'error' && isLost(path));
  const isServable = identity !== null && document !== null && !hasErrors(problems);
  return {
    identity,
    document,
    dataPlanes: selectorOf(spec),
    onInvalid: spec['onInvalid'] === 'Refuse' || spec['onInvalid'] === 'KeepLastGood' ? spec['onInvalid'] : null,
    judged: {
      ...judged,
      problems,
      conditionIsReadable: judged.conditionIsReadable && isReadable,
      body: isServable ? judged.body : null,
    },
  };
}

function selectorOf({ dataPlanes }: JsonObject): PlaneSelector | null {
  const parsed = planeSelector.safeParse(dataPlanes);
  if (!parsed.success) return null;
  const { matchLabels = {}, matchExpressions = [] } = parsed.data;
  return {
    matchLabels,
    matchExpressions: matchExpressions.map(({ key, operator, values = [] }) => ({ key, operator, values })),
  };
}
