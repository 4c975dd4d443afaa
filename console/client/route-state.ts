import type { ShownFigures } from '../../contract/shown/shown-figures.ts';
import type { RestResource } from './rest-client.ts';

/** The answer that requests meet at a route. */
export type ServedVersion = 'this' | 'last-good' | 'refuses' | 'nothing' | 'waits' | 'unbuilt';

/** A route as `/api/route-states` shows it. */
export interface RouteState extends RestResource {
  readonly route: string;
  readonly name: string;
  readonly router: string;
  readonly position: number;
  /** Null where it takes every request; absent where documents are not shown. */
  readonly condition?: string | null;
  readonly serves: ServedVersion;
  readonly errors: number;
  readonly warnings: number;
  /** Path of its document below the API; null where documents are not shown. */
  readonly document: string | null;
  readonly figures: ShownFigures | null;
  /** Only in a cluster. */
  readonly namespace?: string;
  /** The newest change of its document; null while that is not known. Only in a cluster. */
  readonly changed?: { readonly at: string; readonly by: string } | null;
  /** Tool that keeps it as its source says, such as Argo CD; null for none. Only in a cluster. */
  readonly deliveredBy?: string | null;
  /** Data planes that run it, of those that are to run it; null while that is not known. Only in a cluster. */
  readonly planes?: { readonly current: number; readonly of: number } | null;
}
