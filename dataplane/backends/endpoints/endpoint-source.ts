import type { EndpointSpec } from './balanced-endpoint.ts';

/** Origin of a list of endpoints. */
export interface EndpointSource {
  /** Milliseconds after which an answer is asked for again; `NEVER` for a list that does not change. */
  readonly interval: number;
  /** Returns all endpoints. Rejects when they cannot be found out. */
  ask(): readonly EndpointSpec[] | Promise<readonly EndpointSpec[]>;
}
