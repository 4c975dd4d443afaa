import type { RouteChoice } from './route-choice.ts';
import type { RouteRecord, RouteRound } from './route-record.ts';
import { routeIdOf } from './route-resource-draft.ts';

/** How a Route is served. */
export interface Choosing {
  /** Null when it takes no requests. */
  readonly choice: RouteChoice | null;
  /** Who has the name of this version, so that it cannot be served. */
  readonly owner: string | null;
}

/** The names that are taken, tenant by tenant. Whoever comes first gets its name. */
export class RouteNames {
  private readonly takenIds: ReadonlySet<string>;
  private readonly tenants = new Map<string, Map<string, string>>();

  constructor(takenIds: ReadonlySet<string>) {
    this.takenIds = takenIds;
  }

  /** Takes the best way for a Route to be served whose name is free. */
  choose(record: RouteRecord, round: RouteRound): Choosing {
    const { own, tenant, key, resource } = record;
    if (tenant === null) return { choice: null, owner: null };
    if (this.takenIds.size > 0 && this.takenIds.has(routeIdOf(resource))) {
      return { choice: null, owner: 'a route of the configuration' };
    }
    const taken = this.tenants.get(tenant) ?? new Map<string, string>();
    this.tenants.set(tenant, taken);
    if (own !== null && !taken.has(own.identity.name)) {
      taken.set(own.identity.name, key);
      return { choice: own, owner: null };
    }
    const wanted = record.draft?.identity?.name;
    const owner = wanted === undefined ? undefined : taken.get(wanted);
    const choice = record.fallbacks(round).find(({ identity }) => !taken.has(identity.name)) ?? null;
    if (choice !== null) taken.set(choice.identity.name, key);
    return { choice, owner: owner === undefined ? null : `the Route ${owner}` };
  }
}
