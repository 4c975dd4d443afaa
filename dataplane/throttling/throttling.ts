import { z } from 'zod';
import { duration, integer } from '../../contract/vocabulary/configured.ts';
import { exclusive, oneRequired } from '../../contract/vocabulary/groups.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { type RuntimeExpression, runtimeText } from '../../contract/vocabulary/runtime.ts';
import type { Answer, Exchange, Next } from '../engine/message/exchange.ts';
import type { Response } from '../engine/message/response.ts';
import { defineFilter } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import { objectLabels } from '../heap/objects/object-labels.ts';
import type { Rate, ThrottlingPolicy } from '../heap/objects/throttling.ts';
import { BucketMemory } from './bucket-memory.ts';
import { type BucketRate, bucketRate } from './bucket-rate.ts';
import { BucketTable, FULL } from './bucket-table.ts';
import { cleaning } from './cleaning.ts';
import { rateFields, rateOf } from './rate-fields.ts';

/** Refuses requests that come faster than they may. */
export const throttlingFilter = defineFilter({
  type: 'ThrottlingFilter',
  summary:
    'Limits the rate of requests; further requests get 429 with `Retry-After`. Requests are counted per ' +
    'partition. A partition is a token bucket: it starts with as many tokens as the rate has requests, a request ' +
    'takes one, and the tokens come back evenly over the duration. All units of a gateway share the partitions; ' +
    'several gateways do not. Partitions are kept across configuration changes that do not change `rate`, ' +
    '`requestGroupingPolicy` or `maximumPartitions`. A partition whose rate changes starts again. The metrics ' +
    'are `gw_throttled_total`, `gw_throttling_partitions` and `gw_throttling_partitions_refused_total`.',
  config: z
    .strictObject({
      requestGroupingPolicy: runtimeText()
        .prefault('')
        .describe(
          'Expression for the partition of a request; by default all requests share one partition. A request for which ' +
            'it is null fails with 500.',
        ),
      rate: rateFields().optional().describe('Rate of every partition.'),
      throttlingRatePolicy: ref('throttlingPolicy')
        .optional()
        .describe('Policy that returns the rate for a request. If it returns none, the request is not limited.'),
      cleaningInterval: duration({ max: '1 day' })
        .prefault('5 seconds')
        .describe('Interval between removals of partitions that have all their tokens again.'),
      executor: ref('executor').prefault('ScheduledExecutorService').describe('Runs the removal of partitions.'),
      maximumPartitions: integer({ min: 1, max: 10_000_000 })
        .default(1_000_000)
        .describe(
          'Maximum number of partitions, of up to 80 bytes each. Beyond it requests of new partitions get 429; ' +
            'existing partitions are not affected.',
        ),
    })
    .check(oneRequired('throttlingRatePolicy', 'rate'), exclusive('throttlingRatePolicy', 'rate')),
  examples: [
    {
      title: 'Six requests in ten seconds for each client address',
      config: {
        requestGroupingPolicy: '${contexts.client.remoteAddress}',
        rate: { numberOfRequests: 6, duration: '10 seconds' },
      },
    },
    {
      title: 'Rates by the plan of a user',
      config: {
        requestGroupingPolicy: '${attributes.user}',
        throttlingRatePolicy: {
          type: 'MappedThrottlingPolicy',
          config: {
            throttlingRateMapper: '${attributes.plan}',
            throttlingRatesMapping: { gold: { numberOfRequests: 100, duration: '1 second' } },
            defaultRate: { numberOfRequests: 10, duration: '1 second' },
          },
        },
      },
    },
  ],
  create(config, parts) {
    const { requestGroupingPolicy, cleaningInterval } = config;
    const { log, plane, identity } = parts;
    const policy =
      config.throttlingRatePolicy === undefined ? fixed(config.rate) : parts.resolve(config.throttlingRatePolicy);
    const maximum = isConstant(requestGroupingPolicy) ? 1 : config.maximumPartitions;

    const memory = plane.sharedMemory(memoryName(identity, config), BucketMemory.bytes(maximum));
    parts.onClose(() => memory.release());
    const table = new BucketTable(memory.buffer, maximum);
    const isDryRun = plane.isDryRun === true;
    if (!isDryRun) parts.onClose(cleaning(table, parts.resolve(config.executor), cleaningInterval));

    const denied = denials(parts, ['throttled', 'throttling-full']);
    const labels = objectLabels(parts);
    const countThrottled = plane.counter('gw_throttled_total', labels);
    const countRefused = plane.counter('gw_throttling_partitions_refused_total', labels);
    parts.onClose(plane.gauge('gw_throttling_partitions', labels, () => table.partitions));
    const untilCleaned = Number(cleaningInterval.nanoseconds ?? 0n);
    const bucketRates = new WeakMap<Rate, BucketRate>();

    return function throttle(exchange, next) {
      const partition = requestGroupingPolicy.read(exchange, null);
      if (partition === null) throw new Error("'requestGroupingPolicy' gave no text for a request");
      const rate = policy.rate(exchange);
      if (!(rate instanceof Promise)) return admit(partition, rate, exchange, next);
      return rate.then((given) => admit(partition, given, exchange, next));
    };

    function admit(partition: string, rate: Rate | null, exchange: Exchange, next: Next): Answer {
      if (rate === null) return next(exchange);
      const wait = isDryRun ? table.peek(partition, counted(rate)) : table.take(partition, counted(rate));
      if (wait === 0) return next(exchange);
      countThrottled();
      const isFull = wait === FULL;
      const { numberOfRequests, nanoseconds } = rate;
      // the partition itself may be a credential
      const facts = () => ({ numberOfRequests, seconds: Number(nanoseconds) / 1e9 });
      const inputs = () => ({ policy: requestGroupingPolicy.source, ...facts() });
      const answer = denied.answer(exchange, isFull ? 'throttling-full' : 'throttled', inputs, undefined, facts);
      return retryAfter(answer, isFull ? withoutBucket() : wait);
    }

    function counted(rate: Rate): BucketRate {
      let known = bucketRates.get(rate);
      if (known === undefined) {
        known = bucketRate(rate);
        bucketRates.set(rate, known);
      }
      return known;
    }

    function withoutBucket(): number {
      countRefused();
      if (!isDryRun && table.tellsFull()) {
        log.warn({ maximumPartitions: maximum }, 'partition limit reached; new partitions are rejected');
      }
      return untilCleaned;
    }
  },
});

function fixed(rate: Parameters<typeof rateOf>[0] | undefined): ThrottlingPolicy {
  if (rate === undefined) throw new Error('there is neither a rate nor a policy');
  const only = rateOf(rate);
  return { rate: () => only };
}

/** Partitions of other numbers, or by something else, are other partitions, and what has not changed goes on. */
function memoryName(
  identity: string,
  {
    requestGroupingPolicy,
    rate,
  }: {
    readonly requestGroupingPolicy: RuntimeExpression<string>;
    readonly rate?: Parameters<typeof rateOf>[0] | undefined;
  },
): string {
  const numbers = rate === undefined ? 'policy' : `${rate.numberOfRequests} ${rate.duration.nanoseconds}`;
  return `throttling ${JSON.stringify([identity, numbers, requestGroupingPolicy.source])}`;
}

function isConstant({ compiled }: RuntimeExpression<string>): boolean {
  return compiled === null || compiled.constant !== undefined;
}

function retryAfter(response: Response, nanoseconds: number): Response {
  response.headers.append('Retry-After', String(Math.max(1, Math.ceil(nanoseconds / 1e9))));
  return response;
}
