import type { ApiError } from './api/api-error.ts';

/** A list or watch that failed: of which kind, in which namespace or of which object, and why. */
export interface SourceFailure {
  readonly kind: string;
  readonly scope: string;
  readonly error: ApiError;
}
