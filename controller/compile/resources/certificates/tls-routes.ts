import type { Resource } from '../../../../contract/resources/resource.ts';
import { LayeredMap } from '../../../../platform/layered-map.ts';

/** Finds the Routes that name certificates. A change of other Routes costs no look at all of them. */
export class TlsRoutes {
  private routes: ReadonlyMap<string, Resource> = new Map();
  private found: readonly Resource[] = [];

  /** The same array as long as none of them changes. */
  of(routes: ReadonlyMap<string, Resource>): readonly Resource[] {
    if (routes === this.routes) return this.found;
    const before = this.routes;
    this.routes = routes;
    const changed = routes instanceof LayeredMap ? routes.changedSince(before) : null;
    const isNamed = (key: string): boolean => hasTls(before.get(key)) || hasTls(routes.get(key));
    if (changed === null || [...changed].some(isNamed)) this.found = [...routes.values()].filter(hasTls);
    return this.found;
  }
}

function hasTls(route: Resource | undefined): boolean {
  return route?.spec['tls'] !== undefined;
}
