import { z } from 'zod';
import { duration, flag, integer } from '../../contract/vocabulary/configured.ts';
import { unavailable } from '../../contract/vocabulary/field-notes.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import { breakerFields } from './breaker-fields.ts';

/** Fields of `retries`. */
export const retriesFields = z.strictObject({
  enabled: flag().default(true).describe('Whether requests are sent again at all.'),
  condition: runtimeFlag()
    .prefault('${false}')
    .describe('An answer for which this is true is not good enough: the request is sent again.'),
  runtimeExceptionCondition: unavailable('runtime expression<boolean>').describe(
    'Which failures are worth sending a request again.',
  ),
  executor: ref('executor').prefault('ScheduledExecutorService').describe('Sends the request again after the delay.'),
  count: integer({ min: 0 })
    .default(5)
    .describe(
      'How often a request is sent again at most, whatever the reasons; then the last answer is returned. A request ' +
        'that is repeated at once because a kept connection was dead counts too.',
    ),
  delay: duration({ zero: true }).prefault('10 seconds').describe('Time before a request is sent again.'),
});

export type RetriesConfig = z.output<typeof retriesFields>;

/** Whether requests are sent again by such a configuration. */
export function sendsAgain(config: RetriesConfig | undefined): config is RetriesConfig {
  return config?.enabled === true && config.count > 0;
}

/** Fields of a handler about requests that fail. */
export const retryFields = {
  retries: retriesFields
    .optional()
    .describe(
      'Sends requests again that got no answer, of any method; without it none is. What was sent of a body is kept in ' +
        'the `temporaryStorage`; a body that is too long for it is not sent again. Its metrics are `gw_retries_total` and ' +
        '`gw_retries_failed_total`.',
    ),
  circuitBreaker: breakerFields
    .optional()
    .describe(
      'Stops asking backends for a while when they keep giving no answer. Requests that are sent again count once.',
    ),
};
