import { z } from 'zod';
import { defineFilter } from '../heap/definition.ts';
import { httpDate } from '../http/clock.ts';
import { mapResponse } from '../http/reply.ts';
import type { Response } from '../http/response.ts';

/** Gives responses a date. */
export const dateHeaderFilter = defineFilter({
  type: 'DateHeaderFilter',
  summary:
    'Adds a `Date` header with the current time to responses of backends that have none. Answers that the gateway ' +
    'makes by itself always have one.',
  config: z.strictObject({}),
  examples: [{ title: 'Date what the backend does not', config: {} }],
  create() {
    return (exchange, next) => mapResponse(next(exchange), exchange, date);
  },
});

function date(response: Response): Response {
  // the engine dates what does not come from a backend, and two dates would be one too many
  if (response.fromBackend && !response.headers.has('date')) response.headers.append('Date', httpDate());
  return response;
}
