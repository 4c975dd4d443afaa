import type { BaseEntry, RouteEntry, SharedResource } from '../../contract/snapshot.ts';

/** A route as it was compiled; the same object is the same route. */
export type CompiledRoute = RouteEntry;

/** Everything that planes are to run. */
export interface Snapshot {
  /** Hash of the whole: the same revision is the same snapshot. */
  readonly revision: string;
  readonly base: BaseEntry;
  /** By router, then in the order in which they are tried. */
  readonly routes: readonly CompiledRoute[];
  /** Qualified names of the routers that have a default handler, whose requests are counted. */
  readonly defaults: readonly string[];
  /** What planes get beside the routes, each once; absent where there is nothing of the kind. */
  readonly resources?: readonly SharedResource[];
}
