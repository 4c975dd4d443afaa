import type { JsonValue } from './document/json-value.ts';
import type { Problem } from './problem.ts';
import type { DryRun } from './shown/dry-run.ts';
import type { BaseEntry, RemovedRoute, ResourceChanges, RouteEntry, RouteKey } from './snapshot.ts';

/** The version of these messages. A controller refuses a plane that speaks another one. */
export const CHANNEL_PROTOCOL = 1;

/** The one method of the channel: a stream of JSON messages both ways. */
export const CHANNEL_METHOD = '/gatewarden.v1.Channel/Connect';

/** State that a data plane already has, so that only the difference is sent. */
export interface Held {
  /** Null before the first accepted update. */
  readonly revision: string | null;
  readonly base: string | null;
  /** `[router, id, hash]` of every route. */
  readonly routes: readonly (readonly [router: string, id: string, hash: string])[];
  /** `[key, hash]` of every shared resource; absent where the plane knows of none. */
  readonly resources?: readonly (readonly [key: string, hash: string])[];
}

/** A plane introduces itself. Who it is, is not said here: that follows from its credential. */
export interface Hello {
  readonly type: 'hello';
  readonly protocol: number;
  /** The version of the program. */
  readonly version: string;
  /** Digest of the types it can build. */
  readonly catalogue: string;
  /** How many event loops it has, for those who look. */
  readonly units: number;
  /** For planes outside of a cluster; of those inside, the name of the Pod counts. */
  readonly name: string;
  /** For planes outside of a cluster only, where the credential lets them say so. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly holds: Held;
  /** Kinds of notices that it takes; absent for none. */
  readonly notices?: readonly string[];
  /** Set if it takes `explain`. */
  readonly explains?: true;
}

/** Identity of the data plane as the controller determined it, and the terms of the stream. */
export interface Welcome {
  readonly type: 'welcome';
  /** Name of the controller that answers. */
  readonly controller: string;
  readonly plane: string;
  readonly group: string;
  readonly namespace: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds between heartbeats, both ways; three that stay away end the stream. */
  readonly heartbeat: number;
  /** Milliseconds between reports. */
  readonly report: number;
  /**
   * Certificates of the authorities that controllers are certified by from now on, in PEM: a plane that was given its
   * own once, and never again, goes on after those have ended.
   */
  readonly authorities?: string;
  /** Kinds of notices that it passes on; absent for none. */
  readonly notices?: readonly string[];
}

/** One part of what has to change. Parts with the same nonce belong together; the last one has no `more`. */
export interface UpdateMessage {
  readonly type: 'update';
  readonly nonce: number;
  readonly revision: string;
  /** Set when what the plane holds beside this is to go, unless it is newer than what `seen` says. */
  readonly full: boolean;
  readonly more?: true;
  readonly base: BaseEntry | null;
  readonly set: readonly RouteEntry[];
  readonly remove: readonly RemovedRoute[];
  /** Routes that stay as the plane holds them although nothing else is known of them, by their hash. */
  readonly keep: readonly (RouteKey & { readonly hash: string })[];
  readonly defaults: readonly string[];
  /** How far the controller has seen the cluster, as the highest resourceVersion; null where there is no cluster. */
  readonly seen: string | null;
  /** What changes of the shared resources, with one of the parts; absent when all of them stay as they are. */
  readonly resources?: ResourceChanges;
}

/**
 * Problems of one route (null: of the base) that could not be built, and whether its previous version keeps serving.
 */
export interface RouteProblems {
  readonly route: RouteKey | null;
  readonly problems: readonly Problem[];
  readonly keepsServing: boolean;
}

/** The update runs, apart from the routes named. */
export interface Ack {
  readonly type: 'ack';
  readonly nonce: number;
  readonly revision: string;
  readonly problems: readonly RouteProblems[];
  /** Routes of which the plane kept a newer version than it was given. */
  readonly newer: readonly RouteKey[];
}

/** Nothing of the update was taken: what ran before it still does. */
export interface Nack {
  readonly type: 'nack';
  readonly nonce: number;
  readonly revision: string;
  readonly problems: readonly RouteProblems[];
}

/** The controller needs the bodies of these routes, which it knows by hash only. */
export interface Recall {
  readonly type: 'recall';
  readonly routes: readonly (RouteKey & { readonly hash: string })[];
}

export interface Recalled {
  readonly type: 'recalled';
  readonly routes: readonly RouteEntry[];
}

/** A request that somebody describes instead of sending it. */
export interface DescribedRequest {
  readonly method: string;
  /** Absolute, or a path. */
  readonly uri: string;
  /** Lines, such as `Name: value`. */
  readonly headers: readonly string[];
  /** A text as it is, anything else as JSON; absent for no body. */
  readonly entity?: JsonValue;
}

/** Asks a plane to pass a request through its filters, without sending it to a backend. */
export interface Explain {
  readonly type: 'explain';
  /** Names the answer on this stream. */
  readonly number: number;
  readonly request: DescribedRequest;
  /** Id of the one route whose objects are shown; absent if all are. */
  readonly route?: string;
}

/** The answer to `explain`. */
export interface Explained {
  readonly type: 'explained';
  readonly number: number;
  /** Absent if there is none. */
  readonly dryRun?: DryRun;
  /** Reason why there is none, for people. */
  readonly failure?: string;
}

/** Most bytes of an answer to `explain`. */
export const MOST_EXPLAINED = 1024 * 1024;

/** Figures of one route since the plane started, as `contract/route-report.ts` defines them. */
export interface RouteReport extends RouteKey {
  readonly name: string;
  readonly figures: readonly number[];
  /** What its objects counted and show, as `contract/route-counts.ts` defines it; left out where that is nothing. */
  readonly counts?: readonly number[];
}

/** State of the endpoints of one Backends, as a plane sees them. */
export interface BackendsSummary {
  /** Router and id of its route; both empty outside of routes. */
  readonly router: string;
  readonly route: string;
  readonly name: string;
  /** All endpoints that it knows. */
  readonly total: number;
  /** Endpoints that get no requests because requests failed, or because probes did. */
  readonly ejected: number;
  readonly down: number;
}

/** Backends that a report summarises. */
export const MOST_SUMMARIES = 100;

/** How a plane fares. */
export interface Report {
  readonly type: 'report';
  readonly revision: string | null;
  readonly ready: boolean;
  readonly unitsServing: number;
  /** Milliseconds since 1970 on the clock of the plane, to tell when clocks differ. */
  readonly clock: number;
  /** Tells figures that begin at zero again from those that go on: the start of the plane. */
  readonly since: string;
  /** Resident memory of the process, in bytes; absent from older planes. */
  readonly memory?: number;
  /** When a controller last confirmed what the plane serves, on the same clock; absent from older planes and before that. */
  readonly confirmed?: number;
  /** Its Backends, those with the fewest sound endpoints first; absent from older planes and where there are none. */
  readonly backends?: readonly BackendsSummary[];
  readonly routes: readonly RouteReport[];
}

/** Sessions that ended before their time. */
export interface EndedRecord {
  /** Digest of 12 bytes of what the sessions have in common, in base64url: nobody learns whose they are. */
  readonly key: string;
  /** Milliseconds since 1970: sessions that began later go on. */
  readonly at: number;
}

/** Ended sessions that one plane tells the others of its group; controllers pass them on and keep them. */
export interface Notice {
  readonly type: 'notice';
  readonly kind: 'ended-session';
  readonly entries: readonly EndedRecord[];
}

/**
 * A token refresh that several planes of a group may need at the same time, and only one may ask the provider for. The
 * leader of the controllers tells all planes of the group, also the one that sent it, in one order, and keeps nothing.
 */
export interface RefreshNews {
  readonly type: 'refresh';
  /** Digest of the tenant whose session it is, in base64url. */
  readonly realm: string;
  /** Digest of the client and the refresh token, in base64url. */
  readonly key: string;
  /**
   * `claimed`: the plane asks the provider if its claim comes first. `begun`: it asks. `wanted`: it waits for the result
   * of another plane. `renewed`, `refused`, `failed`: the result.
   */
  readonly stage: (typeof REFRESH_STAGES)[number];
  /** A random number of a claim, by which a plane knows its own. */
  readonly claim?: number;
  /** The renewed tokens, sealed under a key of the session: controllers cannot read them. */
  readonly sealed?: string;
  /** Beside `sealed` where the refresh token stayed the same: milliseconds since 1970 until it has to be used again. */
  readonly until?: number;
}

export const REFRESH_STAGES = ['claimed', 'begun', 'wanted', 'renewed', 'refused', 'failed'] as const;

/** Messages for other planes of the group that not every version knows. */
export const NOTICE_KINDS = ['ended-session', 'refresh'] as const;

/** Most characters of renewed tokens that planes tell each other. */
export const MOST_SEALED = 64 * 1024;

/** Most entries of one notice. */
export const MOST_ENTRIES = 1000;

export interface Heartbeat {
  readonly type: 'heartbeat';
}

/** The stream ends in a moment, for a reason that is no fault: the plane connects again. */
export interface GoAway {
  readonly type: 'goaway';
  readonly reason: string;
}

export type PlaneMessage = Hello | Ack | Nack | Recalled | Explained | Report | Notice | RefreshNews | Heartbeat;
export type ControllerMessage = Welcome | UpdateMessage | Recall | Explain | Notice | RefreshNews | Heartbeat | GoAway;
