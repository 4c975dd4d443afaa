import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { defineService } from '../heap/definition.ts';
import { rateFields, rateOf } from './rate-fields.ts';

/** Another policy, and a rate for where that one has none. */
export const defaultRateThrottlingPolicy = defineService({
  type: 'DefaultRateThrottlingPolicy',
  kind: 'throttlingPolicy',
  summary: 'Returns the rate of another policy, or a default rate if that policy returns none.',
  config: z.strictObject({
    delegateThrottlingRatePolicy: ref('throttlingPolicy').describe('Policy that determines the rate.'),
    defaultRate: rateFields().describe('Default rate, if the other policy returns none.'),
  }),
  examples: [
    {
      title: 'A policy of the heap, with ten requests per second as the default rate',
      config: {
        delegateThrottlingRatePolicy: {
          type: 'MappedThrottlingPolicy',
          config: {
            throttlingRateMapper: '${attributes.plan}',
            throttlingRatesMapping: { gold: { numberOfRequests: 100, duration: '1 second' } },
            defaultRate: { numberOfRequests: 20, duration: '1 second' },
          },
        },
        defaultRate: { numberOfRequests: 10, duration: '1 second' },
      },
    },
  ],
  create({ delegateThrottlingRatePolicy, defaultRate }, { resolve }) {
    const policy = resolve(delegateThrottlingRatePolicy);
    const other = rateOf(defaultRate);
    return {
      rate(exchange) {
        const rate = policy.rate(exchange);
        return rate instanceof Promise ? rate.then((given) => given ?? other) : (rate ?? other);
      },
    };
  },
});
