import type { JsonValue } from '../document/json-value.ts';
import type { SeenValue } from './explanation.ts';

/**
 * What became of a request at an object: it went on, it was answered, the object failed, or the object did not run and
 * the dry run assumed that it lets requests pass.
 */
export type DryRunOutcome = 'passed' | 'answered' | 'failed' | 'assumed';

/** An object that a request came to in a dry run, or a route that took it. */
export type DryRunStep = {
  readonly kind: 'filter' | 'handler' | 'route';
  readonly type: string;
  readonly name: string;
  /** Name with those of the scopes around it, as in metrics. */
  readonly object: string;
  /** How many objects it is inside of, such as filters that call others. */
  readonly depth: number;
  readonly outcome: DryRunOutcome;
  /** Status of the answer, for `answered`. */
  readonly status?: number;
  /** Code of a refusal. */
  readonly refusal?: string;
  /** Reason of a refusal, of a failure, or why the object did not run. */
  readonly reason?: string;
  /** Address that the request would be sent to. */
  readonly backend?: string;
  /** Time in the object itself. */
  readonly milliseconds: number;
  /** Values that its expressions read, with stars for secrets. */
  readonly values: readonly SeenValue[];
  /** Facts of its verdict, as audit events have them, such as the issuer of a token. */
  readonly facts: Readonly<Record<string, JsonValue>>;
  /** Changes of the request, and of the response on its way back, without values of headers. */
  readonly changes: readonly string[];
  /** Set for an object that the caller may not see: of it only the outcome and the status are told. */
  readonly hidden?: true;
  /** Set after an object that did not run: what it would have added is missing. */
  readonly unsure?: true;
};

/** A request that passed the objects of a data plane without being sent to a backend. */
export type DryRun = {
  readonly revision: string;
  /** Name of the data plane, where there are several. */
  readonly plane?: string;
  /** Number of the gateway unit that ran it. */
  readonly unit: number;
  readonly steps: readonly DryRunStep[];
  /** Number of steps that are not shown because there are many; absent for none. */
  readonly leftOut?: number;
  /** Status of the answer; null if there is none of the gateway's own. */
  readonly status: number | null;
  readonly milliseconds: number;
};
