import { z } from 'zod';
import { duration, integer } from '../../contract/vocabulary/configured.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';
import { RATE_BOUNDS, type Rate } from '../heap/objects/throttling.ts';

/** Fields of a rate. */
export const rateFields = () =>
  z
    .strictObject({
      numberOfRequests: integer({ min: 1, max: RATE_BOUNDS.mostRequests }).describe(
        'Number of requests allowed within the duration; they may arrive all at once.',
      ),
      duration: duration({ max: RATE_BOUNDS.longest }).describe(
        'Duration for this number of requests; at least a millisecond.',
      ),
    })
    .check(
      rulesAbout(['duration'], ({ duration }, add) => {
        if ((duration.nanoseconds ?? 0n) >= RATE_BOUNDS.shortestNanoseconds) return;
        add(['duration'], `must be at least 1 millisecond, not ${duration}`, 'duration');
      }),
    );

/** The rate that its fields say. */
export function rateOf({ numberOfRequests, duration }: z.output<ReturnType<typeof rateFields>>): Rate {
  return { numberOfRequests, nanoseconds: duration.nanoseconds ?? 0n };
}
