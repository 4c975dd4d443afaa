import type { RouteEntry, Update } from '../../contract/snapshot.ts';

/** A route with the place where its figures are counted. */
export interface PlacedRoute extends RouteEntry {
  readonly slot: number;
}

/** An update as units get it: the supervisor has given every route its place. */
export interface PlacedUpdate extends Omit<Update, 'set' | 'defaults'> {
  readonly set: readonly PlacedRoute[];
  /** Where the requests that no route of a router takes are counted, by the router's qualified name. */
  readonly defaultSlots: Readonly<Record<string, number>>;
  /** Set when nothing of it is to be taken where the base cannot be built. */
  readonly allOrNothing?: true;
}
