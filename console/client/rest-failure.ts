import type { JsonValue } from '../../contract/document/json-value.ts';

/** Reason why there is no answer, as pages tell them apart. */
export type FailureKind = 'unreachable' | 'signed-out' | 'forbidden' | 'missing' | 'failed';

/** A request to the gateway that failed. */
export class RestFailure extends Error {
  readonly kind: FailureKind;
  /** Status of the answer; 0 without one. */
  readonly status: number;
  /** Details, such as the problems of a document. */
  readonly detail: JsonValue;

  constructor(kind: FailureKind, status: number, message: string, detail: JsonValue = null) {
    super(message);
    this.name = 'RestFailure';
    this.kind = kind;
    this.status = status;
    this.detail = detail;
  }
}

/** Returns the kind of failure that a status stands for. */
export function failureKind(status: number): FailureKind {
  if (status === 401 || status === 0) return 'signed-out';
  if (status === 403) return 'forbidden';
  return status === 404 ? 'missing' : 'failed';
}
