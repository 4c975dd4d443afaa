/** Figures of a route since it was added. Times are in milliseconds. */
export type ShownFigures = {
  readonly requests: number;
  readonly active: number;
  readonly answered: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  /** Requests that ended without an answer. */
  readonly unanswered: number;
  /** Requests per second, over about a minute. */
  readonly rate: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly longest: number;
};
