import { z } from 'zod';
import { duration, flag, integer } from '../../contract/vocabulary/configured.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';

/** Its outcomes are looked through at each failure. */
const LARGEST_WINDOW = 100_000;

/** Fields of a circuit breaker, in a handler or on its own. */
export const breakerFields = z
  .strictObject({
    enabled: flag().default(true).describe('Whether the circuit breaker is active.'),
    maxFailures: integer({ min: 1, max: 1_000_000_000 }).describe(
      'Number of failures that opens the circuit: consecutive failures or, with a `slidingCounter`, failures among ' +
        'the last requests.',
    ),
    openDuration: duration().describe('How long the circuit stays open.'),
    openHandler: ref('handler')
      .optional()
      .describe('Handler of requests while the circuit is open; by default they fail with 500.'),
    slidingCounter: z
      .strictObject({
        size: integer({ min: 1, max: LARGEST_WINDOW }).describe(
          'Number of latest requests to consider; must be greater than `maxFailures`.',
        ),
      })
      .optional()
      .describe('Counts failures among the last requests instead of consecutive failures.'),
    executor: ref('executor').prefault('ScheduledExecutorService').describe('Runs the task that closes the circuit.'),
  })
  .check(
    rulesAbout(['maxFailures', 'slidingCounter'], ({ maxFailures, slidingCounter }, add) => {
      if (slidingCounter === undefined || slidingCounter.size > maxFailures) return;
      const message = `must be greater than 'maxFailures', which is ${maxFailures}, not ${slidingCounter.size}`;
      add(['slidingCounter', 'size'], message);
    }),
  );

export type BreakerConfig = z.output<typeof breakerFields>;
