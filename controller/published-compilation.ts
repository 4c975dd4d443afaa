import type { Compilation } from './compile/compiler.ts';
import type { ResourceVerdict } from './compile/resources/resource-verdict.ts';
import type { CompiledRoute } from './compile/snapshot.ts';
import { groupGrants } from './publish/channel/group-grants.ts';
import type { PublishedState, RememberedRoute, RouteSelection } from './publish/published-state.ts';

/** How far Routes were seen, apart from everything else: a Route that is not known may only not be known yet. */
export interface SeenRoutes {
  /** The version up to which it is known which Routes there are; null outside of a cluster. */
  readonly seen: string | null;
  /** The version of the Route with this uid, or the one at which it was gone; null when nothing is known of it. */
  versionOf(uid: string): string | null;
}

/** How many routes are looked for one by one. */
const FEW = 16;

const OPERATOR: RouteSelection = { namespace: null, dataPlanes: null };

/** State to publish to data planes for a compilation; null when there is nothing to run. */
export function publishedCompilation(
  { snapshot, resources }: Compilation,
  { seen, versionOf }: SeenRoutes,
): PublishedState | null {
  if (snapshot === null || resources === undefined || resources.trust === null) return null;
  const { verdicts, trust } = resources;
  let asked = 0;
  let byRoute: Map<CompiledRoute, RouteSelection> | null = null;
  return {
    snapshot,
    remembered: resources.remembered.length === 0 ? [] : verdicts.flatMap(rememberedBy),
    defaultGroup: trust.groups[0]?.name ?? 'default',
    groups: trust.groups,
    grants: groupGrants(trust),
    ...(resources.sidecarBase === null ? {} : { sidecarBase: resources.sidecarBase }),
    ...(resources.certificateUsers.size === 0 ? {} : { certificateUsers: resources.certificateUsers }),
    seen,
    selectionOf(route) {
      // one that changed is looked for; a table of all pays when many are asked for
      if (++asked > FEW) byRoute ??= selections(verdicts);
      if (byRoute !== null) return byRoute.get(route) ?? OPERATOR;
      const verdict = verdicts.find((one) => one.route === route);
      return verdict === undefined ? OPERATOR : selectionOf(verdict);
    },
    versionOf,
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
