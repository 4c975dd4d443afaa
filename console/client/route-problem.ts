/** A problem of a document, as the gateway finds it. */
export interface RouteProblem {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** Place in the document; empty for the whole. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}
