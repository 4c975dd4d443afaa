import type { Response } from '../message/response.ts';

/** UNAVAILABLE, with which gRPC servers answer that do not take calls. */
const UNAVAILABLE = '14';

/** The status by which a backend is judged: gRPC servers have theirs beside 200, without messages in the header block. */
export function judgedStatus({ status, headers }: Response): number {
  return status === 200 && headers.get('grpc-status') === UNAVAILABLE ? 503 : status;
}
