import type { LastGoodMark } from '../../../contract/resources/resource.ts';
import type { RouteIdentity } from '../route-identity.ts';
import type { CompiledRoute } from '../snapshot.ts';
import type { ServedVersion } from '../verdict.ts';
import type { PlaneSelector, RememberedRoute } from './resource-verdict.ts';

/** One way in which a Route can be served. */
export interface RouteChoice {
  readonly serves: ServedVersion;
  readonly identity: RouteIdentity;
  readonly generation: number | null;
  readonly route: CompiledRoute | null;
  readonly remembered: RememberedRoute | null;
  readonly dataPlanes: PlaneSelector | null;
  /** What the status is to name as accepted last. */
  readonly lastGood: LastGoodMark | null;
}
