import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { parseConfig } from '../../../contract/vocabulary/parse-config.ts';
import { breakerFields } from '../../../dataplane/backends/breaker-fields.ts';
import { circuitBreaker } from '../../../dataplane/backends/circuit-breaker.ts';
import type { BackendOptions } from '../../../dataplane/engine/backend/backend-options.ts';
import { textResponse } from '../../../dataplane/engine/message/response.ts';
import type { PlaneServices } from '../../../dataplane/heap/plane-services.ts';
import { namedMemory } from '../../../dataplane/heap/shared-memory.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { plainAnswer, ScriptedBackend, type ScriptedPeer } from '../../support/backends/scripted-backend.ts';
import { ask, refusalOf, untilAnswers } from '../../support/clients/answers.ts';
import { untilTrue } from '../../support/clients/event-loop.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../support/gateways/gateway.ts';
import { type ObjectParts, objectParts } from '../../support/gateways/object-parts.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';
import { HeldExecutor } from '../../support/state/held-executor.ts';

/** A backend that does what the path of each request says. */
function obedient(): Promise<ScriptedBackend> {
  return ScriptedBackend.start(async (peer) => {
    for (let request = await peer.request(); request !== null; request = await peer.request()) {
      const word = request.target.slice(1);
      if (word === 'close') peer.close();
      else if (word === 'reset') peer.reset();
      else if (word === 'babble') peer.send('what?\r\n\r\n');
      else if (word !== 'wait') peer.send(plainAnswer(word, `${Number(word) || 200} Said`));
    }
  });
}

interface Setting extends ObjectParts {
  readonly app: ScriptedBackend;
  readonly gateway: TestGateway;
  readonly executor: HeldExecutor;
  /** Asks for each word on a connection of its own; statuses as a text. */
  asks(words: string): Promise<string>;
}

interface Options {
  readonly services?: Partial<PlaneServices>;
  readonly backend?: Partial<BackendOptions>;
}

/** A breaker in front of a backend, which closes when the test says so. */
async function start(config: JsonObject, { services = {}, backend = {} }: Options = {}): Promise<Setting> {
  const app = await obedient();
  const executor = new HeldExecutor();
  const built = objectParts({ executor, handler: () => textResponse(218, 'open') }, services);
  const reading = documentReading(operatorReach(), [], () => {});
  const fields = parseConfig(breakerFields, { openDuration: '1 hour', ...config }, reading, []).value!;
  const guard = circuitBreaker(fields, built.parts);
  const gateway = await startGateway({
    backend: { destination: app.destination, ...backend },
    handler: (next) => (exchange) => guard(exchange, next),
  });
  onTestFinished(async () => {
    await gateway.close();
    await app.close();
  });
  const asks = async (words: string): Promise<string> => {
    const statuses: number[] = [];
    for (const word of words.split(' ')) {
      statuses.push((await ask(gateway.port, `POST /${word} HTTP/1.1\r\nHost: a\r\n`)).status);
    }
    return statuses.join(' ');
  };
  return { ...built, app, gateway, executor, asks };
}

const WARN = 40;
const INFO = 30;

/** Lines of normal operation; each refused request has one more, at debug. */
const told = (lines: Setting['logged']): Setting['logged'] => lines.filter(({ level }) => Number(level) >= INFO);

it('opens, answers requests itself, and is closed by the executor', async () => {
  const { asks, app, executor, logged, counted, gauges } = await start({ maxFailures: 2 });
  const labels = { fully_qualified_name: 'test.it', name: 'it', route: '', router: '' };
  const gauge = (value: number): object[] => [{ metric: 'gw_circuit_breaker_open', labels, value }];
  expect(gauges.changed()).toEqual(gauge(0));
  expect(await asks('200 close')).toBe('200 502');
  expect([logged, counted, gauges.changed()]).toEqual([[], [], null]);
  expect(await asks('close')).toBe('502');
  expect(logged).toMatchObject([{ level: WARN, msg: 'circuit breaker opened', failures: 2, openDuration: 3_600_000 }]);
  expect(counted).toEqual(['gw_circuit_breaker_transitions_total open']);
  expect(gauges.changed()).toEqual(gauge(1));
  expect(await asks('200 close 200')).toBe('500 500 500');
  expect(app.requests).toHaveLength(3);
  expect(counted.slice(1)).toEqual(Array.from({ length: 3 }, () => 'gw_circuit_breaker_rejected_total'));
  expect(executor.tasks).toHaveLength(1);
  expect(executor.tasks[0]!.delay).toBeGreaterThan(3_590_000);
  executor.run();
  expect(told(logged).slice(1)).toMatchObject([{ level: INFO, msg: 'circuit breaker closed' }]);
  expect(counted.at(-1)).toBe('gw_circuit_breaker_transitions_total closed');
  expect(gauges.changed()).toEqual(gauge(0));
  expect(await asks('200 close 200')).toBe('200 502 200');
});

it.each([
  ['in a row', { maxFailures: 3 }, 'close close 200 close close 200', '502 502 200 502 502 200'],
  ['in a row, enough', { maxFailures: 3 }, 'close 200 close close close 200', '502 200 502 502 502 500'],
  ['one is enough', { maxFailures: 1 }, '200 close 200', '200 502 500'],
  ['among the last', { maxFailures: 2, slidingCounter: { size: 3 } }, 'close 200 close 200', '502 200 502 500'],
  ['not among them', { maxFailures: 2, slidingCounter: { size: 3 } }, 'close 200 200 close', '502 200 200 502'],
] as const)('counts failures: %s', async (_case, config, words, statuses) => {
  const { asks } = await start(config as JsonObject);
  expect(await asks(words)).toBe(statuses);
});

it.each([
  ['close', {}],
  ['reset', {}],
  ['babble', {}],
  ['wait', { responseTimeout: 100 }],
])('a backend that does this has failed: %s', async (word, backend) => {
  const { asks } = await start({ maxFailures: 1 }, { backend });
  expect(await asks(`${word} 200`)).toBe('502 500');
});

it('a backend that cannot be reached has failed', async () => {
  const { asks } = await start({ maxFailures: 1 }, { backend: { destination: { host: '127.0.0.1', port: 1 } } });
  expect(await asks('200 200')).toBe('502 500');
});

it.each([
  ['an answer, whatever it says', {}, '500 503 404 200', '500 503 404 200'],
  ['what may not be reached', { mayReach: () => false }, '200 200', '403 403'],
] as const)('does not count as a failure: %s', async (_case, backend, words, statuses) => {
  const { asks, counted } = await start({ maxFailures: 1 }, { backend });
  expect(await asks(words)).toBe(statuses);
  expect(counted).toEqual([]);
});

it('does not count a client disconnect as a failure', async () => {
  const { asks, app, gateway } = await start({ maxFailures: 1 });
  const client = await RawClient.connect(gateway.port);
  client.send('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n');
  await app.until(() => app.requests.length === 1);
  client.socket.resetAndDestroy();
  await app.peers[0]!.untilClosed();
  expect(await asks('200')).toBe('200');
});

it('does not count an incomplete request body as a failure', async () => {
  const { asks, gateway } = await start({ maxFailures: 1 }, { backend: { responseTimeout: 2000 } });
  const client = await RawClient.connect(gateway.port);
  onTestFinished(() => client.destroy());
  client.send('POST /200 HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf');
  const [late] = await untilAnswers(client, 1);
  expect([late!.status, refusalOf(late!)]).toEqual([408, 'body-timeout']);
  expect(await asks('200')).toBe('200');
});

it('sends requests to the openHandler', async () => {
  const { asks, gateway } = await start({ maxFailures: 1, openHandler: 'other' });
  expect(await asks('close 200')).toBe('502 218');
  expect(gateway.faults).toEqual([]);
});

it('fails by default, with its own code and no line for each', async () => {
  const { asks, gateway } = await start({ maxFailures: 1 });
  await asks('close');
  const answer = await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: a\r\n');
  expect([answer.status, refusalOf(answer)]).toEqual([500, 'circuit-open']);
  expect(gateway.finished.at(-1)).toMatchObject({ refusal: 'circuit-open' });
  expect(gateway.faults).toEqual([]);
});

it('ignores requests that were running when it opened', async () => {
  const app = { peers: [] as ScriptedPeer[] };
  const setting = await start({ maxFailures: 1 });
  app.peers = setting.app.peers;
  const slow = await RawClient.connect(setting.gateway.port);
  onTestFinished(() => slow.destroy());
  slow.send('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n');
  await setting.app.until(() => setting.app.requests.length === 1);
  expect(await setting.asks('close')).toBe('502');
  setting.executor.run();
  app.peers[0]!.close();
  expect(await untilAnswers(slow, 1)).toMatchObject([{ status: 502 }]);
  expect(await setting.asks('200')).toBe('200');
});

it('is closed by a request if the executor is late', async () => {
  const { asks, executor, logged } = await start({ maxFailures: 1, openDuration: '1 ms' });
  expect(await asks('close')).toBe('502');
  const later = process.hrtime.bigint() + 1_000_000n;
  await untilTrue(() => process.hrtime.bigint() > later);
  expect(await asks('200')).toBe('200');
  executor.run(); // too late
  expect(told(logged).map(({ msg }) => msg)).toEqual(['circuit breaker opened', 'circuit breaker closed']);
});

describe('one memory', () => {
  const config = { maxFailures: 2 };

  it('holds one circuit for several breakers', async () => {
    const services = { sharedMemory: namedMemory() };
    const [one, other] = [await start(config, { services }), await start(config, { services })];
    expect([await one.asks('close'), await other.asks('close')]).toEqual(['502', '502']);
    expect([await one.asks('200'), await other.asks('200')]).toEqual(['500', '500']);
    expect(told([...one.logged, ...other.logged])).toHaveLength(1);
    other.executor.run();
    expect([await one.asks('200'), await other.asks('200')]).toEqual(['200', '200']);
  });

  it('survives the replacement of its object', async () => {
    const services = { sharedMemory: namedMemory() };
    const before = await start(config, { services });
    await before.asks('close close');
    const after = await start(config, { services });
    await before.close();
    expect(before.executor.tasks[0]!.cancelled).toBe(true);
    expect(before.gauges.changed()).toBe(null);
    expect(await after.asks('200')).toBe('500');
    expect(after.executor.tasks).toHaveLength(1);
    after.executor.run();
    expect(await after.asks('200')).toBe('200');
    expect(told(after.logged).map(({ msg }) => msg)).toEqual(['circuit breaker closed']);
  });

  it.each([
    { maxFailures: 3 },
    { maxFailures: 2, openDuration: '2 hours' },
    { maxFailures: 2, slidingCounter: { size: 5 } },
  ])('is reset when its numbers change: %j', async (other) => {
    const services = { sharedMemory: namedMemory() };
    const before = await start(config, { services });
    await before.asks('close close');
    expect(await (await start(other as JsonObject, { services })).asks('200')).toBe('200');
  });
});

describe.each(['ReverseProxyHandler', 'ClientHandler'])('%s', (type) => {
  const config = { maxFailures: 2, openDuration: '1 hour', slidingCounter: { size: 3 } };
  const failed = type === 'ClientHandler' ? 500 : 502;

  async function statuses(handler: JsonValue, words: readonly string[], app: ScriptedBackend): Promise<number[]> {
    onTestFinished(() => app.close());
    const gateway = await serve(handler);
    const all: number[] = [];
    for (const word of words) {
      all.push((await send(gateway, `POST /${word}`, [`Host: 127.0.0.1:${app.port}`])).status);
    }
    return all;
  }

  it('has a breaker', async () => {
    const openHandler = { type: 'StaticResponseHandler', config: { status: 218 } };
    const handler = { type, config: { circuitBreaker: { ...config, openHandler } } };
    const words = ['close', '503', 'close', '200'];
    expect(await statuses(handler, words, await obedient())).toEqual([failed, 503, failed, 218]);
  });

  it('counts a retried request once', async () => {
    const app = await obedient();
    const retries = { count: 2, delay: 'zero' };
    const handler = { type, config: { circuitBreaker: config, retries } };
    expect(await statuses(handler, ['close', 'close', '200'], app)).toEqual([failed, failed, 500]);
    expect(app.requests).toHaveLength(6);
  });

  it('is absent when disabled', async () => {
    const handler = { type, config: { circuitBreaker: { ...config, enabled: false } } };
    expect(await statuses(handler, ['close', 'close', 'close', '200'], await obedient())).toEqual([
      ...[failed, failed, failed],
      200,
    ]);
  });

  const at = 'handler.config.circuitBreaker';
  it.each([
    [config, []],
    [{}, [`missing ${at}.maxFailures: is required`, `missing ${at}.openDuration: is required`]],
    [{ ...config, maxFailures: 0 }, [`value ${at}.maxFailures: must be at least 1, not 0`]],
    [{ ...config, openDuration: 'zero' }, [`duration ${at}.openDuration: must be longer than zero`]],
    [{ ...config, openDuration: 'unlimited' }, [`duration ${at}.openDuration: must not be unlimited`]],
    [{ ...config, slidingCounter: {} }, [`missing ${at}.slidingCounter.size: is required`]],
    [{ ...config, slidingCounter: { size: 0 } }, [`value ${at}.slidingCounter.size: must be at least 1, not 0`]],
    ...[1, 2].map(
      (size) =>
        [
          { ...config, slidingCounter: { size } },
          [`value ${at}.slidingCounter.size: must be greater than 'maxFailures', which is 2, not ${size}`],
        ] as const,
    ),
    [
      { ...config, slidingCounter: { size: 1e6 } },
      [`value ${at}.slidingCounter.size: must be at most 100000, not 1000000`],
    ],
    [
      { ...config, openHandler: 'none' },
      [`reference ${at}.openHandler: there is no object 'none' in this heap or in those around it`],
    ],
    [
      { ...config, executor: 'Clock' },
      [`kind ${at}.executor: must be a ScheduledExecutorService, but 'Clock' is a Clock`],
    ],
    [{ ...config, window: 5 }, [`unknown-field ${at}.window: there is no field 'window' here`]],
  ] as const)('configuration %j', (circuitBreaker, problems) => {
    expect(problemsOf({ type, config: { circuitBreaker: circuitBreaker as JsonObject } })).toEqual(problems);
  });
});
