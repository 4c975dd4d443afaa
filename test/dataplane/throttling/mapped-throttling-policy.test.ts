import { expect, it } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';

const rate = (numberOfRequests: number) => ({ numberOfRequests, duration: '1 hour' });
const policy = {
  throttlingRateMapper: "${request.headers['X-Plan'][0]}",
  throttlingRatesMapping: { gold: rate(3), "${'sil'}${'ver'}": rate(2) },
  defaultRate: rate(1),
};

it.each([
  ['gold', 3],
  ['silver', 2],
  ['other', 1],
  ['constructor', 1],
  [null, 1],
])('gives %s its rate', async (plan, requests) => {
  const throttlingRatePolicy = { type: 'MappedThrottlingPolicy', config: policy };
  const { ask } = await startFiltered([{ type: 'ThrottlingFilter', config: { throttlingRatePolicy } }]);
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) {
    statuses.push((await ask('/t', { headers: plan === null ? [] : [`X-Plan: ${plan}`] })).status);
  }
  expect(statuses).toEqual(Array.from({ length: 4 }, (_, i) => (i < requests ? 200 : 429)));
});

it.each<[JsonValue, readonly string[]]>([
  [policy, []],
  [{ ...policy, throttlingRatesMapping: {} }, []],
  [
    {},
    [
      'config.throttlingRateMapper: is required',
      'config.throttlingRatesMapping: is required',
      'config.defaultRate: is required',
    ],
  ],
  [
    { ...policy, throttlingRatesMapping: { gold: rate(0) } },
    ['config.throttlingRatesMapping.gold.numberOfRequests: must be at least 1, not 0'],
  ],
  [
    { ...policy, throttlingRatesMapping: { gold: { ...rate(1), duration: '1 us' } } },
    ['config.throttlingRatesMapping.gold.duration: must be at least 1 millisecond, not 1 microsecond'],
  ],
  [
    { ...policy, throttlingRatesMapping: { gold: rate(1), "${'gold'}": rate(2) } },
    [`config.throttlingRatesMapping["\${'gold'}"]: has the same value as another key before it`],
  ],
  [
    { ...policy, throttlingRatesMapping: { '${true}': rate(1) } },
    ['config.throttlingRatesMapping["${true}"]: must be a string, not a boolean'],
  ],
  [{ ...policy, throttlingRatesMapping: 5 }, ['config.throttlingRatesMapping: must be an object, not a number']],
  [{ ...policy, defaultRate: { numberOfRequests: 1 } }, ['config.defaultRate.duration: is required']],
])('configuration %j', (config, problems) => {
  expect(refusals({ type: 'MappedThrottlingPolicy', config })).toEqual(problems);
});
