/**
 * The result of an expression that somebody tried: a value, a failure of this evaluation, a text that is no expression, or
 * an expression that cannot be tried, because it needs more than a request.
 */
export type EvaluatedExpression = {
  readonly outcome: 'value' | 'failed' | 'invalid' | 'unavailable';
  /** Type of the value, such as `String`. */
  readonly type?: string;
  /** The value as JSON text; cut off if it is long. */
  readonly value?: string;
  /** Reason why there is no value. */
  readonly message?: string;
  /** Place of the error in the text, in code units. */
  readonly offset?: number;
  /** Remarks, as the check of a route makes them. */
  readonly warnings: readonly string[];
};
