import { z } from 'zod';
import { duration, flag, integer } from '../../contract/vocabulary/configured.ts';
import { unavailable } from '../../contract/vocabulary/field-notes.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import { breakerFields } from './breaker-fields.ts';

/** Fields of `retries`. */
export const retriesFields = z.strictObject({
  enabled: flag().default(true).describe('Whether requests are retried.'),
  condition: runtimeFlag()
    .prefault('${false}')
    .describe('Condition on the response; the request is retried if it is true.'),
  runtimeExceptionCondition: unavailable('runtime expression<boolean>').describe(
    'Failures after which a request is retried.',
  ),
  executor: ref('executor').prefault('ScheduledExecutorService').describe('Runs the retry after the delay.'),
  count: integer({ min: 0 })
    .default(5)
    .describe(
      'Maximum number of retries of a request, for all reasons together; then the last response is returned. An ' +
        'immediate retry because a pooled connection was closed counts too.',
    ),
  delay: duration({ zero: true }).prefault('10 seconds').describe('Delay before a retry.'),
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
      'Retries requests of any method that got no response; without this field no request is retried. The request ' +
        'body is buffered in the `temporaryStorage`; a request with a larger body is not retried. The metrics are ' +
        '`gw_retries_total` and `gw_retries_failed_total`.',
    ),
  circuitBreaker: breakerFields
    .optional()
    .describe(
      'Stops asking backends for a while when they keep giving no answer. Requests that are sent again count once.',
    ),
};
