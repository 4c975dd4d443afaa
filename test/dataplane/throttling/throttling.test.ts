import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { parseConfig } from '../../../contract/vocabulary/parse-config.ts';
import { textResponse } from '../../../dataplane/engine/message/response.ts';
import type { Executor } from '../../../dataplane/heap/objects/executor.ts';
import type { ThrottlingPolicy } from '../../../dataplane/heap/objects/throttling.ts';
import type { PlaneServices } from '../../../dataplane/heap/plane-services.ts';
import { namedMemory } from '../../../dataplane/heap/shared-memory.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { throttlingFilter } from '../../../dataplane/throttling/throttling.ts';
import { ask, untilAnswers } from '../../support/clients/answers.ts';
import { untilTrue } from '../../support/clients/event-loop.ts';
import { type RawAnswer, RawClient } from '../../support/clients/raw-client.ts';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { startGateway, type TestGateway } from '../../support/gateways/gateway.ts';
import { heldHandler } from '../../support/gateways/held-handler.ts';
import { type ObjectParts, objectParts } from '../../support/gateways/object-parts.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

const byUser = "${request.headers['X-User'][0]}";
const hour = (numberOfRequests: number): JsonObject => ({ numberOfRequests, duration: '1 hour' });

interface Setting extends ObjectParts {
  readonly gateway: TestGateway;
  /** The cleaning that was asked for. */
  readonly repeated: { task: () => void | Promise<void>; interval: number; cancelled: boolean }[];
  /** Asks as each of these users, on a connection of its own; statuses as a text. */
  asks(users: string): Promise<string>;
  get(user: string): Promise<RawAnswer>;
}

interface Options {
  readonly services?: Partial<PlaneServices>;
  readonly policy?: ThrottlingPolicy;
}

/** The filter with parts that the test holds in its hands. */
async function start(config: JsonObject, { services = {}, policy }: Options = {}): Promise<Setting> {
  const repeated: Setting['repeated'] = [];
  const executor: Executor = {
    schedule: () => () => {},
    repeat(task, interval) {
      const entry = { task, interval, cancelled: false };
      repeated.push(entry);
      return () => {
        entry.cancelled = true;
      };
    },
  };
  const built = objectParts({ executor, ...(policy === undefined ? {} : { throttlingPolicy: policy }) }, services);
  const reading = documentReading(operatorReach(), [], () => {});
  const { value, problems } = parseConfig(throttlingFilter.config, config, reading, []);
  expect(problems).toEqual([]);
  const throttle = throttlingFilter.create(value!, built.parts);
  const gateway = await startGateway({ handler: () => (x) => throttle(x, () => textResponse(200, 'passed')) });
  onTestFinished(async () => {
    await gateway.close();
    await built.close();
  });
  const get = (user: string): Promise<RawAnswer> =>
    ask(gateway.port, `GET / HTTP/1.1\r\nHost: a\r\n${user === '-' ? '' : `X-User: ${user}\r\n`}`);
  return {
    ...built,
    gateway,
    repeated,
    get,
    async asks(users) {
      const statuses: number[] = [];
      for (const user of users.split(' ')) statuses.push((await get(user)).status);
      return statuses.join(' ');
    },
  };
}

describe('requests', () => {
  it('pass at their rate, by partition', async () => {
    const { asks, counted, gauges } = await start({ requestGroupingPolicy: byUser, rate: hour(2) });
    expect(await asks('a a b a b b a')).toBe('200 200 200 429 200 429 429');
    expect(counted).toEqual(['gw_throttled_total', 'gw_throttled_total', 'gw_throttled_total']);
    expect(gauges.changed()).toMatchObject([{ metric: 'gw_throttling_partitions', value: 2 }]);
  });

  it('are all in one partition by default', async () => {
    const { asks } = await start({ rate: hour(2) });
    expect(await asks('a b c a')).toBe('200 200 429 429');
  });

  it.each([
    [1, '1 hour', 3600],
    [2, '7201 s', 3600.5],
    [2, '60 minutes', 1800],
    [7, '50 hours', 180_000 / 7],
    [1, '36500 days', 3_153_600_000],
  ])('beyond %i in %s get an empty 429 with Retry-After only: %s', async (requests, duration, seconds) => {
    const { asks, get } = await start({ rate: { numberOfRequests: requests, duration } });
    const startedAt = performance.now();
    expect(await asks(Array.from({ length: requests }, () => 'a').join(' '))).not.toContain('429');
    const { status, head, body } = await get('a');
    const elapsed = (performance.now() - startedAt) / 1000;
    const fields = head
      .split('\r\n')
      .slice(1)
      .map((line) => line.replace(/^Date: .*/, 'Date'));
    expect([status, body]).toEqual([429, '']);
    expect(fields.filter((field) => !/^(?:Date|Connection|Content-Length: 0)/i.test(field) && field !== '')).toEqual([
      expect.stringMatching(/^Retry-After: \d+$/),
    ]);
    const told = Number(/Retry-After: (\d+)/.exec(head)![1]);
    expect(told).toBeLessThanOrEqual(Math.ceil(seconds));
    expect(told).toBeGreaterThanOrEqual(Math.ceil(seconds - elapsed));
  });

  it('fail with a log line if the partition is null', async () => {
    const { asks, gateway } = await start({ requestGroupingPolicy: byUser, rate: hour(1) });
    expect(await asks('- a -')).toBe('500 200 500');
    expect(gateway.faults.map(String)).toEqual(
      Array(2).fill("Error: 'requestGroupingPolicy' gave no text for a request"),
    );
  });

  it('count when they start, not when they finish', async () => {
    const config: JsonObject = { rate: { numberOfRequests: 1, duration: '3 s' } };
    const built = await start(config);
    const value = parseConfig(
      throttlingFilter.config,
      config,
      documentReading(operatorReach(), [], () => {}),
      [],
    ).value!;
    const throttle = throttlingFilter.create(value, built.parts);
    const held = heldHandler();
    let begun = 0;
    const gateway = await startGateway({
      handler: () => {
        const last = held.handler();
        return (exchange) => {
          begun++;
          return throttle(exchange, last);
        };
      },
    });
    onTestFinished(() => gateway.close());
    const first = await RawClient.connect(gateway.port);
    onTestFinished(() => first.destroy());
    first.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await untilTrue(() => begun === 1);
    const second = await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: a\r\n');
    expect([second.status, /retry-after: (\d)/i.exec(second.head)?.[1]]).toEqual([429, '3']);
    held.release();
    expect(await untilAnswers(first, 1)).toMatchObject([{ status: 200 }]);
  });

  it('pass again when tokens have been refilled', async () => {
    const { asks, get } = await start({ rate: { numberOfRequests: 1, duration: '20 ms' } });
    await asks('a');
    await expect.poll(async () => (await get('a')).status, { interval: 1 }).toBe(200);
  });
});

describe('a policy', () => {
  const one = { numberOfRequests: 1, nanoseconds: 3_600_000_000_000n };
  const config = { requestGroupingPolicy: byUser, throttlingRatePolicy: 'other' };

  it.each<[string, ThrottlingPolicy['rate'], string]>([
    ['gives a rate', () => one, '200 429'],
    ['gives a rate later', () => Promise.resolve(one), '200 429'],
    ['gives equal rates', () => ({ ...one }), '200 429'],
    ['gives none', () => null, '200 200'],
    ['gives none later', () => Promise.resolve(null), '200 200'],
    ['fails', () => raise(), '500 500'],
    ['fails later', () => Promise.reject(new Error('broken')), '500 500'],
  ])('%s', async (_case, rate, statuses) => {
    const { asks, gateway } = await start(config, { policy: { rate } });
    expect(await asks('a a')).toBe(statuses);
    expect(gateway.faults.map(String)).toEqual(statuses.startsWith('500') ? Array(2).fill('Error: broken') : []);
  });

  it('is not called for a request without a partition', async () => {
    const { asks } = await start(config, { policy: { rate: () => null } });
    expect(await asks('-')).toBe('500');
  });

  it('that changes the rate of a partition resets the partition', async () => {
    let current = one;
    const { asks } = await start(config, { policy: { rate: () => current } });
    expect(await asks('a a')).toBe('200 429');
    current = { numberOfRequests: 2, nanoseconds: one.nanoseconds };
    expect(await asks('a a a')).toBe('200 200 429');
  });
});

function raise(): never {
  throw new Error('broken');
}

describe('partitions', () => {
  it('are rejected beyond the maximum, with one log line and a count', async () => {
    const config = { requestGroupingPolicy: byUser, rate: hour(2), maximumPartitions: 2, cleaningInterval: '90 s' };
    const { asks, get, logged, counted } = await start(config);
    expect(await asks('a b c d a b')).toBe('200 200 429 429 200 200');
    expect(/retry-after: (\d+)/i.exec((await get('c')).head)?.[1]).toBe('90');
    expect(logged.filter(({ level }) => level === 40)).toMatchObject([{ maximumPartitions: 2 }]);
    expect(counted.filter((metric) => metric === 'gw_throttling_partitions_refused_total')).toHaveLength(3);
  });

  it.each([
    [undefined, 5000],
    ['1 day', 86_400_000],
    ['1 ns', 1],
  ])('are cleaned by the executor: %s', async (cleaningInterval, interval) => {
    const { repeated, close } = await start({
      rate: hour(1),
      ...(cleaningInterval === undefined ? {} : { cleaningInterval }),
    });
    expect(repeated).toMatchObject([{ interval, cancelled: false }]);
    await repeated[0]!.task();
    await close();
    expect(repeated[0]!.cancelled).toBe(true);
  });

  it('are removed some time after they are full again', async () => {
    const rate = { numberOfRequests: 5, duration: '1 ms' };
    const { asks, repeated, gauges } = await start({ requestGroupingPolicy: byUser, rate, cleaningInterval: '1 ms' });
    await asks('a b c');
    const shown = (): number | undefined => gauges.changed()?.[0]?.value;
    expect(shown()).toBe(3);
    await expect
      .poll(
        async () => {
          await repeated[0]!.task();
          return shown();
        },
        { timeout: 120_000 },
      )
      .toBe(0);
    expect(await asks('a')).toBe('200');
  });

  it('are shared by all units and survive the replacement of a filter', async () => {
    const services = { sharedMemory: namedMemory() };
    const config = { requestGroupingPolicy: byUser, rate: hour(3) };
    const [one, other] = [await start(config, { services }), await start(config, { services })];
    expect([await one.asks('a'), await other.asks('a a a'), await one.asks('a')]).toEqual([
      '200',
      '200 200 429',
      '429',
    ]);
    await one.close();
    const later = await start({ ...config, cleaningInterval: '1 minute' }, { services });
    await other.close();
    expect(await later.asks('a b')).toBe('429 200');
  });

  it.each([
    { requestGroupingPolicy: byUser, rate: hour(2) },
    { requestGroupingPolicy: byUser, rate: { numberOfRequests: 1, duration: '2 hours' } },
    { requestGroupingPolicy: "x${request.headers['X-User'][0]}", rate: hour(1) },
    { requestGroupingPolicy: byUser, rate: hour(1), maximumPartitions: 5 },
  ])('start again when rate, grouping or maximum changes: %j', async (config) => {
    const services = { sharedMemory: namedMemory() };
    const before = await start({ requestGroupingPolicy: byUser, rate: hour(1) }, { services });
    expect(await before.asks('a a')).toBe('200 429');
    expect(await (await start(config as JsonObject, { services })).asks('a')).toBe('200');
  });

  it('use the memory of one partition when there is only one', async () => {
    const sizes: number[] = [];
    const take = namedMemory();
    const sharedMemory: PlaneServices['sharedMemory'] = (name, bytes) => {
      sizes.push(bytes);
      return take(name, bytes);
    };
    await start({ rate: hour(1) }, { services: { sharedMemory } });
    await start({ requestGroupingPolicy: 'all', rate: hour(1) }, { services: { sharedMemory } });
    await start({ requestGroupingPolicy: byUser, rate: hour(1) }, { services: { sharedMemory } });
    expect(sizes.map((bytes) => bytes < 1000)).toEqual([true, true, false]);
  });
});

it('can be declared in a document', async () => {
  const config = { requestGroupingPolicy: byUser, rate: { numberOfRequests: '${1 + 1}', duration: '1 hour' } };
  const { ask: send, seen } = await startFiltered([{ type: 'ThrottlingFilter', config }]);
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await send('/t', { headers: ['X-User: a'] })).status);
  expect(statuses).toEqual([200, 200, 429]);
  expect(seen).toHaveLength(2);
});

const rate = hour(1);
const mapped = {
  type: 'MappedThrottlingPolicy',
  config: { throttlingRateMapper: 'x', throttlingRatesMapping: {}, defaultRate: rate },
};

it.each<[JsonValue, unknown[]]>([
  [{ rate }, []],
  [{ throttlingRatePolicy: mapped }, []],
  [{ rate: { numberOfRequests: '5', duration: '1 ms' } }, []],
  [{}, ["missing : one of 'throttlingRatePolicy' and 'rate' is required"]],
  [
    { rate, throttlingRatePolicy: mapped },
    ["exclusive rate: 'throttlingRatePolicy' and 'rate' cannot be given together"],
  ],
  [{ rate: {} }, ['missing rate.numberOfRequests: is required', 'missing rate.duration: is required']],
  [{ rate: hour(0) }, ['value rate.numberOfRequests: must be at least 1, not 0']],
  [{ rate: hour(-1) }, ['value rate.numberOfRequests: must be at least 1, not -1']],
  [{ rate: hour(1.5) }, ['value rate.numberOfRequests: must be a whole number, not 1.5']],
  [{ rate: hour(1e10) }, ['value rate.numberOfRequests: must be at most 2147483647, not 10000000000']],
  [{ rate: { ...rate, duration: 'unlimited' } }, ['duration rate.duration: must not be unlimited']],
  [{ rate: { ...rate, duration: '0 s' } }, ['duration rate.duration: must be longer than zero']],
  [
    { rate: { ...rate, duration: '999 us' } },
    ['duration rate.duration: must be at least 1 millisecond, not 999 microseconds'],
  ],
  [{ rate: { ...rate, duration: '40000 days' } }, ['duration rate.duration: must be at most 36500 days']],
  [{ rate: { ...rate, burst: 3 } }, ["unknown-field rate.burst: there is no field 'burst' here"]],
  [{ rate, cleaningInterval: '0' }, [expect.stringMatching(/^duration cleaningInterval: /)]],
  [{ rate, cleaningInterval: '0 s' }, ['duration cleaningInterval: must be longer than zero']],
  [{ rate, cleaningInterval: 'unlimited' }, ['duration cleaningInterval: must not be unlimited']],
  [{ rate, cleaningInterval: '25 hours' }, ['duration cleaningInterval: must be at most 1 day']],
  [{ rate, cleaningInterval: '1 day' }, []],
  [{ rate, executor: 'Clock' }, ["kind executor: must be a ScheduledExecutorService, but 'Clock' is a Clock"]],
  [{ rate, maximumPartitions: 0 }, ['value maximumPartitions: must be at least 1, not 0']],
  [{ rate, maximumPartitions: 1e8 }, ['value maximumPartitions: must be at most 10000000, not 100000000']],
  [
    { rate, requestGroupingPolicy: '${1+1}' },
    [expect.stringMatching(/^expression requestGroupingPolicy: is always a number/)],
  ],
  [{ rate, requestGroupingPolicy: 5 }, [expect.stringMatching(/^value requestGroupingPolicy: must be a string/)]],
  [{ throttlingRatePolicy: null }, [expect.stringMatching(/throttlingRatePolicy: /)]],
  [{ rate, strategy: 'bursty' }, ["unknown-field strategy: there is no field 'strategy' here"]],
])('configuration %j', (config, problems) => {
  expect(problemsOf('ThrottlingFilter', config)).toEqual(problems);
});
