import { expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { parseConfig } from '../../../contract/vocabulary/parse-config.ts';
import type { Exchange } from '../../../dataplane/engine/message/exchange.ts';
import type { Rate, ThrottlingPolicy } from '../../../dataplane/heap/objects/throttling.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { defaultRateThrottlingPolicy } from '../../../dataplane/throttling/default-rate-throttling-policy.ts';
import { startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { objectParts } from '../../support/gateways/object-parts.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';

const own = { numberOfRequests: 1, nanoseconds: 10_000_000_000n };
const given: Rate = { numberOfRequests: 3, nanoseconds: 1_000_000_000n };
const defaultRate = { numberOfRequests: 1, duration: '10 s' };

it.each<[string, ThrottlingPolicy['rate'], Rate]>([
  ['no rate', () => null, own],
  ['no rate later', () => Promise.resolve(null), own],
  ['a rate', () => given, given],
  ['a rate later', () => Promise.resolve(given), given],
])('a policy that gives %s', async (_case, rate, expected) => {
  const { parts } = objectParts({ throttlingPolicy: { rate } });
  const config = { delegateThrottlingRatePolicy: 'other', defaultRate };
  const reading = documentReading(operatorReach(), [], () => {});
  const { value } = parseConfig(defaultRateThrottlingPolicy.config, config, reading, []);
  const policy = defaultRateThrottlingPolicy.create(value!, parts);
  expect(await policy.rate({} as Exchange)).toEqual(expected);
});

it('can be declared in a document', async () => {
  const mapped = {
    throttlingRateMapper: 'x',
    throttlingRatesMapping: {},
    defaultRate: { ...defaultRate, numberOfRequests: 2 },
  };
  const delegateThrottlingRatePolicy = { type: 'MappedThrottlingPolicy', config: mapped };
  const throttlingRatePolicy = {
    type: 'DefaultRateThrottlingPolicy',
    config: { delegateThrottlingRatePolicy, defaultRate },
  };
  const { ask } = await startFiltered([{ type: 'ThrottlingFilter', config: { throttlingRatePolicy } }]);
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await ask('/t')).status);
  expect(statuses).toEqual([200, 200, 429]);
});

it.each<[JsonObject, readonly unknown[]]>([
  [{}, ['config.delegateThrottlingRatePolicy: is required', 'config.defaultRate: is required']],
  [
    { delegateThrottlingRatePolicy: 'Clock', defaultRate },
    ["config.delegateThrottlingRatePolicy: must be a ThrottlingPolicy, but 'Clock' is a Clock"],
  ],
  [
    { delegateThrottlingRatePolicy: { type: 'ScriptableThrottlingPolicy', config: {} }, defaultRate },
    [
      expect.stringMatching(/^config\.delegateThrottlingRatePolicy\.config\.type: is required/),
      expect.stringMatching(/'file' and 'source'/),
    ],
  ],
])('configuration %j', (config, problems) => {
  expect(refusals({ type: 'DefaultRateThrottlingPolicy', config })).toEqual(problems);
});
