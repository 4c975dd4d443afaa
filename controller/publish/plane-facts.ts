import type { Report, RouteProblems } from '../../contract/channel.ts';
import type { PlaneIdentity } from './channel/plane-identity.ts';

/** State of one data plane, known by the controller that has its stream. */
export interface PlaneFacts {
  readonly identity: PlaneIdentity;
  /** Name of that controller. */
  readonly controller: string;
  /** Milliseconds since 1970. */
  readonly connectedSince: number;
  /** The version of its program. */
  readonly version: string;
  /** Number of its event loops; absent while it is not known. */
  readonly units?: number;
  /** Set if it makes dry runs; absent from older ones. */
  readonly explains?: true;
  /** What it was sent last and has not yet answered, or null when nothing is under way. */
  readonly pending: PendingRevision | null;
  /** The revision that it runs; null before its first accepted update. */
  readonly revision: string | null;
  /** Hash of every route that it runs, by `routeKeyText`. */
  readonly running: ReadonlyMap<string, string>;
  /** What it could not build of the newest update, by `routeKeyText`; of the base, under the empty text. */
  readonly problems: ReadonlyMap<string, RouteProblems>;
  readonly lastReport: TimedReport | null;
  /** Set while no controller has a stream with it although it may take requests. Milliseconds since 1970. */
  readonly cutOffSince?: number;
  /** Set while this controller knows of no stream with it, only that its Pod is Ready: what it runs is not known. */
  readonly isAwaited?: true;
}

export interface PendingRevision {
  readonly revision: string;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
}

/** A report with the time on the controller's clock at which it came. */
export interface TimedReport {
  readonly at: number;
  readonly report: Report;
}

/** The key of `PlaneFacts.problems` for what is wrong with the base. */
export const BASE_PROBLEMS = '';
