import type { JsonObject } from '../document/json-value.ts';

/** A resource as a provider has it. */
export interface Resource {
  readonly id: string | null;
  /** Null for a resource without revisions. */
  readonly revision: string | null;
  readonly content: JsonObject;
}
