import type { Held } from '../../contract/channel.ts';
import { type SharedResources, withNamedResources } from '../../contract/shared-resources.ts';
import { type BaseEntry, type RouteEntry, routeKeyText, type SharedResource } from '../../contract/snapshot.ts';
import { LayeredMap } from '../../platform/layered-map.ts';
import type { BuildProblem } from '../routes/configuration.ts';

/** State of a data plane from updates of controllers. It is immutable: each change creates a new one. */
export interface Holding {
  readonly revision: string;
  readonly base: BaseEntry;
  /** By `routeKeyText`. */
  readonly routes: ReadonlyMap<string, RouteEntry>;
  readonly defaults: readonly string[];
  /** The versions at which resources were gone, by uid, so that no controller that is behind brings one back. */
  readonly gone: ReadonlyMap<string, string>;
  /** Routes that could not be built and had no version before: they refuse. By `routeKeyText`. */
  readonly unbuilt: ReadonlySet<string>;
  /** What controllers said last, which holds on while none is there. */
  readonly resources: SharedResources;
}

/** Summary of the state for a controller, so that it sends only the difference. */
export function heldBy(holding: Holding | null): Held {
  if (holding === null) return { revision: null, base: null, routes: [] };
  const { revision, base, routes, unbuilt, resources } = holding;
  return {
    revision,
    base: base.hash,
    // what could not be built is no version at all: the controller sends it again, and hears again what is wrong
    routes: [...routes].map(([key, { router, id, hash }]) => [router, id, unbuilt.has(key) ? '' : hash]),
    ...(resources.size > 0 && { resources: [...resources.values()].map(({ key, hash }) => [key, hash] as const) }),
  };
}

/** State after an update was built as far as possible. @param wanted the state if everything could be built */
export function builtHolding(before: Holding | null, wanted: Holding, problems: readonly BuildProblem[]): Holding {
  const isNewBase = before === null || before.base.hash !== wanted.base.hash;
  const unbuilt = new Set(
    [...(isNewBase ? [] : before.unbuilt)].filter((key) => before?.routes.get(key) === wanted.routes.get(key)),
  );
  const routes = new Map<string, RouteEntry>();
  const resources = new Map<string, SharedResource>();
  for (const { route, keepsServing, resource } of problems) {
    if (route === null) continue;
    if (resource !== undefined) {
      // the version before it is in force, and serves after a restart
      const earlier = before?.resources.get(resource);
      if (earlier !== undefined) resources.set(resource, earlier);
      continue;
    }
    const key = routeKeyText(route);
    const old = before?.routes.get(key);
    if (!keepsServing) unbuilt.add(key);
    else if (old !== undefined) routes.set(key, old);
  }
  const built = LayeredMap.from(wanted.routes).with(routes);
  const inForce = resources.size === 0 ? wanted.resources : new Map([...wanted.resources, ...resources]);
  const named = withNamedResources(inForce, before?.resources ?? new Map(), built.values());
  return { ...wanted, routes: built, unbuilt, resources: sameResources(wanted.resources, named) };
}

/** The first map where both hold the same: what did not change is not written to disk again. */
function sameResources(first: SharedResources, second: SharedResources): SharedResources {
  if (first === second) return first;
  const isSame = first.size === second.size && [...second].every(([key, one]) => first.get(key) === one);
  return isSame ? first : second;
}
