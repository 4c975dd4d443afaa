import type { Decision } from '../message/exchange.ts';
import type { Refusal } from '../message/refusal.ts';
import type { RequestIds } from './request-ids.ts';

/** Outcome of a request, for the access log. */
export interface Finished {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly status: number;
  readonly milliseconds: number;
  /** The same until the answer began. */
  readonly firstByte: number;
  readonly sent: number;
  readonly remote: string;
  readonly refusal: Refusal | null;
  /** What exactly was wrong and which object refused, where an object of the configuration did. */
  readonly decision: Decision | null;
  /** The id of the request and of its trace, or null where requests get none. */
  readonly ids: RequestIds | null;
  /** The id of the route, or null where none took the request. */
  readonly route: string | null;
  /** The backend that was asked, or null. */
  readonly backend: string | null;
  /** The name of the user, or null where nobody found it out. */
  readonly user: string | null;
}
