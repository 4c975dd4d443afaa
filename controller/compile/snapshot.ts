import type { JsonObject } from '../../contract/document/json-value.ts';
import type { RouteEntry } from '../../contract/snapshot.ts';

/** A route whose place for figures is not yet given. */
export type CompiledRoute = Omit<RouteEntry, 'slot'>;

/** Everything that a plane is to run. */
export interface Snapshot {
  /** Hash of the whole: the same revision is the same snapshot. */
  readonly revision: string;
  readonly base: { readonly document: JsonObject; readonly hash: string };
  /** By router, then in the order in which they are tried. */
  readonly routes: readonly CompiledRoute[];
  /** Qualified names of the routers that have a default handler, whose requests are counted. */
  readonly defaults: readonly string[];
}
