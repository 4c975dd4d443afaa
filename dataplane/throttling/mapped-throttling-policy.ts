import { z } from 'zod';
import { runtimeText } from '../../contract/vocabulary/runtime.ts';
import { defineService } from '../heap/definition.ts';
import { mappedRates, ratesByText } from './mapped-rates.ts';
import { rateFields, rateOf } from './rate-fields.ts';

/** Says how fast requests may come by a text that each of them gives. */
export const mappedThrottlingPolicy = defineService({
  type: 'MappedThrottlingPolicy',
  kind: 'throttlingPolicy',
  summary:
    'The rate of a `ThrottlingFilter` by what an expression gives for a request. A partition whose rate changes begins ' +
    'anew, with all of its requests: what the mapper looks at should follow from the partition, and must not be up to ' +
    'the client alone.',
  config: z.strictObject({
    throttlingRateMapper: runtimeText().describe('The text by which the rate is found.'),
    throttlingRatesMapping: mappedRates().describe(
      'Rates by such texts, which can be expressions that are evaluated once, when the policy is built.',
    ),
    defaultRate: rateFields().describe('The rate where there is no text, or no rate for it.'),
  }),
  examples: [
    {
      title: 'Twenty requests a minute, and more for those who pay for it',
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
