import type { JsonValue } from '../../../contract/document/json-value.ts';

/** A route that was asked whether it takes a request. */
export interface TriedRoute {
  readonly id: string;
  readonly name: string;
  readonly condition: string | null;
  /** Null if the condition has no value, which counts as false. */
  readonly verdict: boolean | null;
  readonly reason?: string;
  readonly values: readonly { readonly expression: string; readonly value: JsonValue }[];
  readonly refuses?: true;
  readonly claims?: true;
  readonly answers?: { readonly type: string; readonly name: string | null; readonly field: string };
}

/** A router that got a request. */
export interface AskedRouter {
  readonly router: string;
  readonly tried: readonly TriedRoute[];
  readonly route: string | null;
  readonly anotherRoute?: true;
  readonly otherwise?: 'default-handler' | 'not-found';
  readonly notTried: number;
  readonly leftOut?: number;
}

/** Answer of the action `explain`. */
export interface Explanation {
  readonly route: string | null;
  readonly refusal: string | null;
  readonly routers: readonly AskedRouter[];
}
