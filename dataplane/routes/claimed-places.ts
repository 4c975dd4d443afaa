import { compareRoutes } from '../../contract/route-order.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import type { ClaimedPlace } from '../heap/plane-services.ts';
import type { Route } from './route.ts';

/** Everything that objects may claim is below this path, so that other requests cost one comparison. */
const PREFIX = '/.well-known/';

/** Places that routes take whatever their conditions say: the first route by name takes a place that several claim. */
export class ClaimedPlaces {
  private readonly byOwner = new Map<string | undefined, Map<string, Route>>();

  constructor(routes: Iterable<Route>) {
    const claiming = [...routes].filter(({ claims }) => claims.length > 0);
    for (const route of claiming.sort((a, b) => compareRoutes(a.entry, b.entry))) {
      const { tenant } = route.entry;
      const places = this.byOwner.get(tenant) ?? new Map<string, Route>();
      this.byOwner.set(tenant, places);
      for (const place of route.claims) {
        if (!places.has(keyOf(place))) places.set(keyOf(place), route);
      }
    }
  }

  /** The route of this owner that claims the place of a request, or null. */
  find(owner: string | undefined, { request: { uri } }: Exchange): Route | null {
    if (this.byOwner.size === 0 || !uri.rawPath.startsWith(PREFIX)) return null;
    return this.byOwner.get(owner)?.get(keyOf({ host: uri.receivedHost, path: uri.rawPath })) ?? null;
  }
}

export const NO_CLAIMS = new ClaimedPlaces([]);

function keyOf({ host, path }: ClaimedPlace): string {
  return `${host} ${path}`;
}
