import { didYouMean } from '../../../contract/did-you-mean.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import { planeSelector } from '../../../contract/resources/plane-selector.ts';
import { specProblems } from '../../../contract/resources/read-resource.ts';
import type { Resource } from '../../../contract/resources/resource.ts';
import { APART, routeDocument } from '../../../contract/resources/route-resource.ts';
import { workTogether } from '../../../contract/work-budget.ts';
import { type RouteIdentity, routeIdentity } from '../route-identity.ts';
import { hasErrors } from '../verdict.ts';
import { type JudgedRoute, judgeRoute, unjudgedRoute } from './judged-route.ts';
import type { Pass } from './pass.ts';
import type { PlaneSelector } from './resource-verdict.ts';
import { unjudgeable } from './unjudgeable.ts';

/** A Route as written, without its references. */
export interface RouteResourceDraft {
  readonly identity: RouteIdentity | null;
  /** With its tokens resolved; null when there is none to read. */
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
export function draftRoute(resource: Resource, pass: Pass): RouteResourceDraft {
  if (resource.excess !== undefined) return unjudged(resource, [resource.excess]);
  try {
    return workTogether(() => judgedDraft(resource, pass));
  } catch (error) {
    return unjudged(resource, [unjudgeable(error)]);
  }
}

function unjudged({ spec }: Resource, problems: readonly Problem[]): RouteResourceDraft {
  const judged = unjudgedRoute(problems);
  return { identity: null, document: null, dataPlanes: selectorOf(spec), onInvalid: onInvalidOf(spec), judged };
}

function judgedDraft(resource: Resource, pass: Pass): RouteResourceDraft {
  const { spec } = resource;
  const own = specProblems('Route', spec)
    .filter(({ path }) => path[1] !== 'name')
    .map((problem) => ({ ...problem, path: problem.path.slice(1) }));
  const { document, problems: found, told } = pass.terms.resolve(routeDocument(spec), null);
  const problems: Problem[] = [...own, ...found];
  if (document === null) return unjudged(resource, problems);
  const { _id, ...named } = document;
  const id = routeIdOf(resource);
  const identity = routeIdentity(`${id}.yaml`, named, (problem) => void problems.push(problem));
  const judged = judgeRoute(document, identity?.name ?? id, resource.namespace, pass);
  problems.push(...told(judged.problems).map(misspeltField));
  const isLost = ([first]: Problem['path']): boolean =>
    first === 'condition' || first === 'dataPlanes' || meantField(first) === 'dataPlanes';
  const isReadable = !problems.some(({ severity, path }) => severity === 'error' && isLost(path));
  const isServable = identity !== null && !hasErrors(problems);
  return {
    identity,
    document,
    dataPlanes: selectorOf(spec),
    onInvalid: onInvalidOf(spec),
    judged: {
      ...judged,
      problems,
      conditionIsReadable: judged.conditionIsReadable && isReadable,
      body: isServable ? judged.body : null,
    },
  };
}

/** A misspelt field that is no part of the document looks like a decoration of it, and the Route would go to other planes. */
function misspeltField(problem: Problem): Problem {
  const [name, ...below] = problem.path;
  const meant = problem.code === 'decoration' && below.length === 0 ? meantField(name) : undefined;
  if (meant === undefined) return problem;
  const [message, hint] = [`there is no field '${name}' here`, `did you mean '${meant}'?`];
  return { ...problem, code: 'unknown-field', severity: 'error', message, hint };
}

function meantField(name: string | number | undefined): string | undefined {
  return typeof name === 'string' ? didYouMean(name, [...APART]) : undefined;
}

function onInvalidOf({ onInvalid }: JsonObject): RouteResourceDraft['onInvalid'] {
  return onInvalid === 'Refuse' || onInvalid === 'KeepLastGood' ? onInvalid : null;
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
