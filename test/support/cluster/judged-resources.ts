import type { RouteProblems } from '../../../contract/channel.ts';
import type { Resource } from '../../../contract/resources/resource.ts';
import { routeKeyText } from '../../../contract/snapshot.ts';
import type { ResourceVerdict } from '../../../controller/compile/resources/resource-verdict.ts';
import type { PlaneFacts } from '../../../controller/publish/plane-facts.ts';

export function resource(name: string, over: Partial<Resource> = {}): Resource {
  return {
    kind: 'Route',
    namespace: 'shop',
    name,
    labels: {},
    uid: `uid-of-${name}`,
    resourceVersion: '10',
    generation: 1,
    created: '2026-01-01T00:00:00Z',
    spec: {},
    lastGood: null,
    ...over,
  };
}

/** A Route that is sound and serves, unless told otherwise. */
export function verdict(name: string, over: Partial<ResourceVerdict> = {}): ResourceVerdict {
  const of = over.resource ?? resource(name);
  return {
    resource: of,
    accepted: { status: true, reason: 'Accepted', message: 'sound' },
    resolvedRefs: { status: true, reason: 'ResolvedRefs', message: 'all there' },
    problems: [],
    serves: 'this',
    servingGeneration: of.generation,
    route: { ...keyOf(name), name, document: {}, hash: `${name}-${of.generation}` },
    dataPlanes: null,
    ...over,
  };
}

function keyOf(name: string): { readonly router: string; readonly id: string } {
  return { router: 'gateway._router', id: `shop.${name}` };
}

/** The key of a Route among what planes run. */
export function routeKey(name: string): string {
  return routeKeyText(keyOf(name));
}

/** A plane that runs these routes, by name and hash. */
export function plane(name: string, running: Record<string, string> = {}, over: Partial<PlaneFacts> = {}): PlaneFacts {
  return {
    identity: { id: name, name, group: 'default', namespace: 'edge', labels: {}, isSidecar: false, until: null },
    controller: 'a',
    connectedSince: 1000,
    version: '1.0.0',
    pending: null,
    revision: 'r1',
    running: new Map(Object.entries(running).map(([route, hash]) => [routeKey(route), hash])),
    problems: new Map(),
    lastReport: null,
    ...over,
  };
}

/** What a plane says that could not build a route. */
export function routeProblems(message: string, keepsServing = true): RouteProblems {
  const problem = { code: 'build', severity: 'error', path: ['handler', 'config'], message } as const;
  return { route: { router: 'gateway._router', id: 'any' }, problems: [problem], keepsServing };
}
