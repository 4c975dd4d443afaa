import type { Compilation } from './compile/compiler.ts';
import type { ResourceState } from './compile/resources/resource-state.ts';
import type { ResourceVerdict } from './compile/resources/resource-verdict.ts';
import type { CompiledRoute } from './compile/snapshot.ts';
import type { PublishedState, RememberedRoute, RouteSelection } from './publish/published-state.ts';

const OPERATOR: RouteSelection = { namespace: null, dataPlanes: null };

/** What planes are to be brought of a compilation; null when there is nothing to run. */
export function publishedCompilation(
  { snapshot, resources }: Compilation,
  { routes, seen }: ResourceState,
): PublishedState | null {
  if (snapshot === null || resources === undefined || resources.trust === null) return null;
  const { verdicts, trust } = resources;
  let byRoute: Map<CompiledRoute, RouteSelection> | null = null;
  return {
    snapshot,
    remembered: resources.remembered.length === 0 ? [] : verdicts.flatMap(rememberedBy),
    defaultGroup: trust.groups[0]?.name ?? 'default',
    seen,
    selectionOf(route) {
      byRoute ??= selections(verdicts);
      return byRoute.get(route) ?? OPERATOR;
    },
    versionOf(uid) {
      for (const resource of routes.values()) if (resource.uid === uid) return resource.resourceVersion;
      return null;
    },
  };
}

function selections(verdicts: readonly ResourceVerdict[]): Map<CompiledRoute, RouteSelection> {
  const found = new Map<CompiledRoute, RouteSelection>();
  for (const verdict of verdicts) if (verdict.route !== null) found.set(verdict.route, selectionOf(verdict));
  return found;
}

function rememberedBy(verdict: ResourceVerdict): RememberedRoute[] {
  if (verdict.remembered === undefined) return [];
  const { router, id, hash, fallback } = verdict.remembered;
  return [{ router, id, hash, fallback, selection: selectionOf(verdict) }];
}

function selectionOf({ resource: { namespace }, dataPlanes }: ResourceVerdict): RouteSelection {
  return { namespace, dataPlanes };
}
