import { unavailable } from '../../contract/vocabulary/field-notes.ts';

/** Fields of a handler about requests that fail. */
export const retryFields = {
  retries: unavailable('object').describe('Repeating requests that failed.'),
  circuitBreaker: unavailable('object').describe('Not asking a backend that keeps failing.'),
};
