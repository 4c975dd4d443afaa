import type { JsonObject } from './document/json-value.ts';

/** A route as planes receive it: tokens and properties resolved, its name and place decided. */
export interface RouteEntry {
  /** The qualified name of its router, such as `gateway._router`. */
  readonly router: string;
  readonly id: string;
  readonly name: string;
  readonly document: JsonObject;
  /** Hash of everything above: the same hash is the same route. */
  readonly hash: string;
  /** Set when the route must take its requests and refuse them, because it was never sound. */
  readonly refuses?: true;
  /** Where its figures are counted. */
  readonly slot: number;
}

/** What a plane has to change to run a new revision. */
export interface Update {
  readonly revision: string;
  /** `config.json`, resolved; null when it is as before. Everything is built anew when it changes. */
  readonly base: { readonly document: JsonObject; readonly hash: string } | null;
  /** Routes that are new or changed. */
  readonly set: readonly RouteEntry[];
  /** Routes that are gone, as `router` and `id`. */
  readonly remove: readonly RouteKey[];
  /** Where the requests that no route of a router takes are counted, by the router's qualified name. */
  readonly defaultSlots: Readonly<Record<string, number>>;
}

export interface RouteKey {
  readonly router: string;
  readonly id: string;
}
