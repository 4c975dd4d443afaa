import type { JsonValue } from '../../contract/document/json-value.ts';
import { listOf } from '../../contract/document/lenient-parts.ts';

/** A problem of a document, as the gateway finds it. */
export interface RouteProblem {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** Place in the document; empty for the whole. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** Reads the member `problems` of an answer. */
export function problemsOf(problems: JsonValue | undefined): readonly RouteProblem[] {
  return listOf(problems) as unknown as readonly RouteProblem[];
}
