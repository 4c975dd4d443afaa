import type { RestResource } from './rest-client.ts';

/** What requests meet at a route. */
export type ServedVersion = 'this' | 'last-good' | 'refuses' | 'nothing' | 'waits' | 'unbuilt';

/** Figures of a route since it was added; times are in milliseconds. */
export interface RouteFigures {
  readonly requests: number;
  readonly active: number;
  readonly answered: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly unanswered: number;
  readonly rate: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly longest: number;
}

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
  readonly figures: RouteFigures | null;
}
