import { z } from 'zod';
import { runtimeText } from '../../contract/vocabulary/runtime.ts';
import { defineService } from '../heap/definition.ts';
import { mappedRates, ratesByText } from './mapped-rates.ts';
import { rateFields, rateOf } from './rate-fields.ts';

/** Selects the rate of a request by the text of an expression. */
export const mappedThrottlingPolicy = defineService({
  type: 'MappedThrottlingPolicy',
  kind: 'throttlingPolicy',
  summary:
    'Selects the rate of a `ThrottlingFilter` by an expression that is evaluated for each request. A partition ' +
    'whose rate changes starts again with all its tokens. The result of the mapper should therefore depend on ' +
    'the partition, and a client must not be able to choose it.',
  config: z.strictObject({
    throttlingRateMapper: runtimeText().describe('Expression for the key of the rate.'),
    throttlingRatesMapping: mappedRates().describe(
      'Rates by key. The keys can be expressions, which are evaluated once, when the policy is built.',
    ),
    defaultRate: rateFields().describe(
      'Default rate, if the expression has no value or there is no rate for its value.',
    ),
  }),
  examples: [
    {
      title: 'Twenty requests per minute, and more for paying users',
      config: {
        throttlingRateMapper: '${attributes.plan}',
        throttlingRatesMapping: {
          gold: { numberOfRequests: 1000, duration: '1 minute' },
          silver: { numberOfRequests: 100, duration: '1 minute' },
        },
        defaultRate: { numberOfRequests: 20, duration: '1 minute' },
      },
    },
  ],
  create({ throttlingRateMapper, throttlingRatesMapping, defaultRate }) {
    const rates = ratesByText(throttlingRatesMapping);
    const other = rateOf(defaultRate);
    return {
      rate(exchange) {
        const text = throttlingRateMapper.read(exchange, null);
        return (text === null ? undefined : rates.get(text)) ?? other;
      },
    };
  },
});
