/** Carrier of a call to its backend: a connection of HTTP/1.1, or a stream of HTTP/2. */
export interface CallCarrier {
  /** Whether all of the request has been sent. */
  readonly sentWhole: boolean;
  /** Nobody wants the answer. */
  drop(): void;
}
