import { z } from 'zod';
import { duration, integer, text } from '../../../../contract/vocabulary/configured.ts';
import { noEffect } from '../../../../contract/vocabulary/field-notes.ts';

/** Port of a server. */
export function portField(): z.ZodType<number, unknown> {
  return integer({ min: 1, max: 65_535 });
}

/** Host name or address of a server. */
export function hostField(): z.ZodType<string, unknown> {
  return text().refine((host) => !/[/@\s?#]|^[^:]*:\d+$/.test(host), {
    error: 'must be a host name or an address, without a scheme, a path and a port: these have fields of their own',
  });
}

/** How long a server may take. */
export const answerTimeoutField = () =>
  duration({ max: '10 minutes' })
    .prefault('30 seconds')
    .describe('How long connecting may take, and how long an answer.');

/** Buffer of earlier versions: the size of batches has an effect. */
export const bufferingFields = (batch: number) =>
  z
    .strictObject({
      maxBatchedEvents: integer({ min: 1, max: 10_000 })
        .default(batch)
        .describe('Maximum number of events in a request.'),
      maxSize: noEffect(
        integer({ min: 1 }),
        'events always wait in the queue of the handler, which `queue` limits',
      ).describe('Maximum number of events in the buffer.'),
      writeInterval: noEffect(
        duration({ zero: true, unlimited: true }),
        'events are sent as soon as the request before them is answered',
      ).describe('Interval between requests.'),
    })
    .prefault({})
    .describe('Batches of events.');
