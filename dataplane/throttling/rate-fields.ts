import { z } from 'zod';
import { duration, integer } from '../../contract/vocabulary/configured.ts';
import type { Rate } from '../heap/objects/throttling.ts';

const SHORTEST_NANOSECONDS = 1_000_000n;

/** Fields of a rate. */
export const rateFields = () =>
  z
    .strictObject({
      numberOfRequests: integer({ min: 1, max: 2_147_483_647 }).describe(
        'Number of requests allowed within the duration; they may arrive all at once.',
      ),
      duration: duration({ max: '36500 days' }).describe(
        'Duration for this number of requests; at least a millisecond.',
      ),
    })
    .check(({ value, issues }) => {
      if (rateOf(value).nanoseconds >= SHORTEST_NANOSECONDS) return;
      const message = `must be at least 1 millisecond, not ${value.duration}`;
      issues.push({ code: 'custom', message, input: value, path: ['duration'], params: { code: 'duration' } });
    });

/** The rate that its fields say. */
export function rateOf({ numberOfRequests, duration }: z.output<ReturnType<typeof rateFields>>): Rate {
  return { numberOfRequests, nanoseconds: duration.nanoseconds ?? 0n };
}
