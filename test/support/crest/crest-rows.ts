import type { JsonObject } from '../../../contract/document/json-value.ts';

/** Request of a step: the path follows the base, headers are lines. */
export interface ObservedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body?: string;
  readonly bodyBase64?: string;
}

export interface ObservedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Beginning of a long body. */
  readonly bodyStart?: string;
  readonly bodyBase64?: string;
  /** Says what our specification demands in place of this answer. */
  readonly gatewayMd?: string;
  /** The framework failed with a null pointer; 400 is the right answer. */
  readonly crash?: boolean;
  /** The servlet container answered, not the framework. */
  readonly container?: boolean;
}

export interface ObservedStep {
  readonly request: ObservedRequest;
  readonly response: ObservedResponse;
}

/** A row of test/vectors/crest-observed.jsonl. */
export interface CrestRow {
  readonly id: string;
  readonly area: string;
  /** Fixtures that the collection `users` has before the first step. */
  readonly state: readonly string[];
  readonly steps: readonly ObservedStep[];
  readonly note?: string;
}

export function crestRows(text: string): CrestRow[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as CrestRow);
}

export type Fixtures = Readonly<Record<string, JsonObject>>;
