import type { BaseEntry, GroupSessionKeys, RouteKey, ServiceEndpoints } from '../../contract/snapshot.ts';
import type { PlaneSelector } from '../compile/resources/resource-verdict.ts';
import type { CompiledRoute, Snapshot } from '../compile/snapshot.ts';
import type { GroupGrants } from './channel/group-grants.ts';
import type { PlaneIdentity } from './channel/plane-identity.ts';

/** Which planes are to run a route. */
export interface RouteSelection {
  /** The namespace that the route was written in; null when an operator wrote it. */
  readonly namespace: string | null;
  /** Null stands for all planes of the default group that are no sidecars. */
  readonly dataPlanes: PlaneSelector | null;
}

/** A route whose version to run is known by its hash only: planes that hold it keep it. */
export interface RememberedRoute extends RouteKey {
  readonly hash: string;
  readonly selection: RouteSelection;
  /** What planes run that do not hold it; null for nothing. */
  readonly fallback: CompiledRoute | null;
}

/** Makes the base of sidecars, which get less of it than other planes. */
export interface BaseForSidecars {
  /** @param hasUnknown whether they also run routes that are known by their hash only */
  of(routes: Iterable<CompiledRoute>, hasUnknown: boolean): BaseEntry;
}

/** Makes the session keys of planes. Another object has other keys. */
export interface SessionKeysForPlanes {
  of(plane: Pick<PlaneIdentity, 'group' | 'namespace' | 'isSidecar'>): GroupSessionKeys;
}

/** Everything that is to be brought to planes, at one moment. */
export interface PublishedState {
  /** The same route object has the same selection in every state. */
  readonly snapshot: Snapshot;
  /** Who gets a route of the snapshot. */
  selectionOf(route: CompiledRoute): RouteSelection;
  /** Its routes are not in the snapshot. */
  readonly remembered: readonly RememberedRoute[];
  /** Name of the group that gets routes that select no planes. */
  readonly defaultGroup: string;
  /** All groups, as far as they are known. */
  readonly groups?: readonly { readonly name: string; readonly sidecars: boolean }[];
  /** Which groups are for whom; by default all are for everybody. */
  readonly grants?: GroupGrants;
  /** The base that sidecars get; absent where they get all of it. */
  readonly sidecarBase?: BaseForSidecars;
  /** Session keys of planes; absent where there are none, and planes keep those that they have. */
  readonly sessionKeys?: SessionKeysForPlanes;
  /** By the key of a certificate, the routes, as `routeKeyText`, that name it: only planes that run one of them get it. */
  readonly certificateUsers?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Endpoints of Services by the key of the resource: they change without the snapshot. Absent where there are none. */
  readonly services?: ReadonlyMap<string, ServiceEndpoints>;
  /** The resourceVersion up to which it is known which Routes there are; null outside of a cluster. */
  readonly seen: string | null;
  /** The version of the Route with this uid as it is now, or the one at which it was gone; null for as far as was seen. */
  versionOf(uid: string): string | null;
}
