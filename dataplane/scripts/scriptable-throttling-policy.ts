import { readDuration } from '../../contract/duration.ts';
import { defineService } from '../heap/definition.ts';
import { RATE_BOUNDS, type Rate } from '../heap/objects/throttling.ts';
import { scriptParts } from './languages.ts';
import { scriptFields } from './script-fields.ts';
import { ScriptRunner } from './script-runner.ts';

/** Rates that are kept, so that equal rates are the same object. */
const MOST_RATES = 1000;

const { mostRequests, shortestNanoseconds, longest } = RATE_BOUNDS;
const LONGEST_NANOSECONDS = readDuration(longest).nanoseconds!;

/** Gets the rate of a request from a script. */
export const scriptableThrottlingPolicy = defineService({
  type: 'ScriptableThrottlingPolicy',
  kind: 'throttlingPolicy',
  summary:
    'Gets the rate of each request from a script: a `ThrottlingRate(numberOfRequests, duration)`, or a promise of one. ' +
    'If the script returns null, the request is not limited. An exception, or a rate that is not valid, gives 500. ' +
    'Changes that the script makes to the request have no effect. Variables and limits are on the page about scripts.',
  config: scriptFields('throttlingPolicy'),
  parts: scriptParts,
  examples: [
    {
      title: 'A higher rate for premium clients',
      config: {
        type: 'application/x-groovy',
        source: [
          "if (request.headers['X-Plan']?.firstValue == 'premium') {",
          "  return new ThrottlingRate(premiumRequests, '1 second')",
          '}',
          "new ThrottlingRate(10, '1 second')",
        ],
        args: { premiumRequests: 100 },
      },
    },
  ],
  ownCalls: ['clientHandler', 'args'],
  create(config, parts) {
    const runner = new ScriptRunner('throttlingPolicy', config, parts);
    const rates = new Map<string, Rate>();
    return {
      async rate(exchange) {
        const rate = await runner.value(exchange);
        return rate === null ? null : known(rate);
      },
    };

    function known(rate: Rate): Rate {
      const { numberOfRequests, nanoseconds } = rate;
      if (!(numberOfRequests >= 1)) throw new Error('the rate of the script allows no requests; it must allow one');
      if (numberOfRequests > mostRequests)
        throw new Error(`the rate of the script allows more than ${mostRequests} requests`);
      if (nanoseconds < shortestNanoseconds || nanoseconds > LONGEST_NANOSECONDS)
        throw new Error(`the duration of the rate must be 1 millisecond to ${longest}`);
      const key = `${numberOfRequests} ${nanoseconds}`;
      const same = rates.get(key);
      if (same !== undefined) return same;
      if (rates.size >= MOST_RATES) rates.clear();
      rates.set(key, rate);
      return rate;
    }
  },
});
