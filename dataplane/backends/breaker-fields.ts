import { z } from 'zod';
import { duration, flag, integer } from '../../contract/vocabulary/configured.ts';
import { ref } from '../../contract/vocabulary/reference.ts';

/** Its outcomes are looked through at each failure. */
const LARGEST_WINDOW = 100_000;

/** Fields of a circuit breaker, in a handler or on its own. */
export const breakerFields = z
  .strictObject({
    enabled: flag().default(true).describe('Whether failures are counted at all.'),
    maxFailures: integer({ min: 1, max: 1_000_000_000 }).describe(
      'Failures that open the circuit: among the last requests, or in a row where there is no `slidingCounter`.',
    ),
    openDuration: duration().describe('How long the circuit stays open.'),
    openHandler: ref('handler')
      .optional()
      .describe('Answers while the circuit is open; by default the request fails with 500.'),
    slidingCounter: z
      .strictObject({
        size: integer({ min: 1, max: LARGEST_WINDOW }).describe(
          'How many requests, the last ones, are looked at; must be greater than `maxFailures`.',
        ),
      })
      .optional()
      .describe('Counts the failures among the last requests, with successes between them.'),
    executor: ref('executor').prefault('ScheduledExecutorService').describe('Closes the circuit.'),
  })
  .check(({ value, issues }) => {
    const { maxFailures, slidingCounter } = value;
    if (slidingCounter === undefined || slidingCounter.size > maxFailures) return;
    const message = `must be greater than 'maxFailures', which is ${maxFailures}, not ${slidingCounter.size}`;
    issues.push({ code: 'custom', message, input: value, path: ['slidingCounter', 'size'] });
  });

export type BreakerConfig = z.output<typeof breakerFields>;
