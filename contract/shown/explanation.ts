import type { JsonValue } from '../document/json-value.ts';

/** A value that an expression read. */
export type SeenValue = {
  /** Such as `request.uri.path`. */
  readonly expression: string;
  /** Null if there is none. */
  readonly value: JsonValue;
};

/** A filter of a route that answers a request itself, and the field that makes it so. */
export type AnsweringFilter = {
  readonly type: string;
  readonly name: string | null;
  readonly field: 'clientEndpoint' | 'redirectEndpoint' | 'resourceMetadata';
};

/** A route that was asked whether it takes a request. */
export type TriedRoute = {
  readonly id: string;
  readonly name: string;
  /** As written; null where it takes every request. */
  readonly condition: string | null;
  /** Null if the condition has no value, which counts as false. */
  readonly verdict: boolean | null;
  /** Reason why the condition has no value. */
  readonly reason?: string;
  /** Values that the condition read, with stars for credentials. */
  readonly values: readonly SeenValue[];
  /** Set for a route that is not valid and rejects its requests. */
  readonly refuses?: true;
  /** Set for a route that takes the request because one of its objects claims the path, whatever the condition says. */
  readonly claims?: true;
  /** Filter of the route that answers the request itself, such as the end of a sign-in. */
  readonly answers?: AnsweringFilter;
};

/** A router that got a request. */
export type AskedRouter = {
  readonly router: string;
  /** Routes in their order, up to the one that takes the request. */
  readonly tried: readonly TriedRoute[];
  /** Id of the route that takes the request; null for none. */
  readonly route: string | null;
  /** Set if a route takes the request that the caller may not see. */
  readonly anotherRoute?: true;
  /** Answer if no route takes the request. */
  readonly otherwise?: 'default-handler' | 'not-found';
  /** Number of later routes. */
  readonly notTried: number;
  /** Number of routes at the beginning that are tried and not shown, because there are many. */
  readonly leftOut?: number;
};

/** Explanation of the way of a request through the routers. */
export interface RequestExplanation {
  /** Reason why no route is asked; null if they are. */
  readonly refusal: string | null;
  /** The outermost router first. */
  readonly routers: readonly AskedRouter[];
}
