import { z } from 'zod';
import { mapResponse } from '../engine/message/reply.ts';
import type { Response } from '../engine/message/response.ts';
import { httpDate } from '../engine/wire/clock.ts';
import { defineFilter } from '../heap/definition.ts';

/** Gives responses a date. */
export const dateHeaderFilter = defineFilter({
  type: 'DateHeaderFilter',
  summary:
    'Adds a `Date` header with the current time to responses of backends that have none. Responses of the ' +
    'gateway itself always have one.',
  config: z.strictObject({}),
  examples: [{ title: 'Add a Date header where the backend sends none', config: {} }],
  create() {
    return (exchange, next) => mapResponse(next(exchange), exchange, date);
  },
});

function date(response: Response): Response {
  // the engine dates what does not come from a backend, and two dates would be one too many
  if (response.fromBackend && !response.headers.has('date')) response.headers.append('Date', httpDate());
  return response;
}
