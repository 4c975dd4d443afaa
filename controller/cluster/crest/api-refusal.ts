import { badRequest, CrestError } from '../../../contract/crest/crest-error.ts';
import type { ApiError } from '../api/api-error.ts';
import { unauthenticated, unavailable } from './caller-review.ts';

/** Turns a failed call with the caller's token into the answer for them, with the API server's own words. */
export function apiRefusal(error: ApiError): CrestError {
  const { status, detail, retryAfter } = error;
  const seconds = Math.max(1, Math.ceil((retryAfter ?? 0) / 1000));
  const message = detail === '' ? error.message : detail;
  if (status === 400) return badRequest(message);
  if (status === 401) return unauthenticated('the API server does not accept the token');
  if (status === 403 || status === 404 || status === 409 || status === 413) return new CrestError(status, message);
  if (status === 0 || status === 429 || status >= 500) return unavailable(message, seconds);
  return new CrestError(500, message);
}
