import type { EndpointSpec } from './balanced-endpoint.ts';

/** Origin of a list of endpoints. */
export interface EndpointSource {
  /** Milliseconds after which an answer is asked for again; `NEVER` for a list that does not change. */
  readonly interval: number;
  /** Returns all endpoints. Rejects when they cannot be found out. */
  ask(): readonly EndpointSpec[] | Promise<readonly EndpointSpec[]>;
  /** Why there are none, for a source whose empty list is true; missing where the last list stays in use instead. */
  readonly none?: string | undefined;
  /** Calls back when the answer has changed; missing for a source that is asked now and again. The result ends it. */
  follow?(changed: () => void): () => void;
}
