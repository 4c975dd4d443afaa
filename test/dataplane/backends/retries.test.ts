import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import {
  plainAnswer,
  type Script,
  ScriptedBackend,
  type ScriptedPeer,
} from '../../support/backends/scripted-backend.ts';
import { eachStream } from '../../support/backends/scripted-http2-backend.ts';
import { refusalOf } from '../../support/clients/answers.ts';
import { untilTrue } from '../../support/clients/event-loop.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import type { ConfiguredGateway, ConfiguredOptions } from '../../support/gateways/configured-gateway.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';

const AT_ONCE = { delay: 'zero' };

async function backend(script: Script): Promise<ScriptedBackend> {
  const started = await ScriptedBackend.start(script);
  onTestFinished(() => started.close());
  return started;
}

type Step = (peer: ScriptedPeer) => void;

/** Does with each whole request what the next step says, and with those beyond the last what the last one says. */
function steps(...all: readonly Step[]): Script {
  let at = 0;
  return async (peer) => {
    while ((await peer.request()) !== null) all[Math.min(at++, all.length - 1)]!(peer);
  };
}

const answers =
  (body: string, status = '200 OK'): Step =>
  (peer) =>
    peer.send(plainAnswer(body, status));
const closes: Step = (peer) => peer.close();
const resets: Step = (peer) => peer.reset();
const waits: Step = () => {};
const babbles: Step = (peer) => peer.send('what?\r\n\r\n');
const breaksHead: Step = (peer) => {
  peer.send('HTTP/1.1 200 OK\r\nContent-');
  peer.end();
};

/** For backends that do not answer at all. */
const SHORT: JsonObject = { soTimeout: '2 s' };

function handler(retries: JsonObject, type = 'ReverseProxyHandler', more: JsonObject = {}): JsonValue {
  return { type, config: { retries, soTimeout: '4 minutes', ...more } };
}

function to(app: ScriptedBackend): string {
  return `Host: 127.0.0.1:${app.port}`;
}

/** What the handler said of retries: level, message and fields. */
function said(gateway: ConfiguredGateway): unknown[] {
  const fields = ['level', 'msg', 'refusal', 'status', 'retries'];
  return gateway.logged
    .filter(({ msg }) => /retries|a retry|not retried/.test(String(msg)))
    .map((line) => fields.map((field) => line[field]).filter((value) => value !== undefined));
}

const WARN = 40;

/** Everything that it warned of. */
function warned(gateway: ConfiguredGateway): readonly Record<string, unknown>[] {
  return gateway.logged.filter(({ level }) => Number(level) >= WARN);
}

/** How often each metric of retries was counted. */
function counts(gateway: ConfiguredGateway): Record<string, number> {
  const names = gateway.counted.map(({ metric }) => metric);
  return Object.fromEntries([...new Set(names)].map((name) => [name, names.filter((other) => other === name).length]));
}
const DEBUG = 20;

describe.each(['ReverseProxyHandler', 'ClientHandler'])('%s', (type) => {
  it.each([
    ['closes before it answers', closes],
    ['resets', resets],
    ['does not answer in time', waits],
    ['does not speak HTTP', babbles],
    ['breaks off in the head', breaksHead],
  ])('sends a request again when the backend %s', async (_case, fails) => {
    const app = await backend(steps(fails, fails, answers('at last')));
    const gateway = await serve(handler(AT_ONCE, type, fails === waits ? SHORT : {}));
    expect(await send(gateway, 'GET /x?y', [to(app)])).toMatchObject({ status: 200, body: 'at last' });
    expect(app.requests.map(({ target }) => target)).toEqual(['/x?y', '/x?y', '/x?y']);
    expect(said(gateway)).toEqual([[DEBUG, 'request succeeded after a retry', 2]]);
  });

  it.each([
    [{ ...AT_ONCE, count: 2 }, 3],
    [{ ...AT_ONCE, count: 1 }, 2],
    [AT_ONCE, 6],
  ] as const)('%j: a backend that never answers is asked %i times', async (retries, times) => {
    const app = await backend(steps(closes));
    const gateway = await serve(handler(retries, type));
    const answer = await send(gateway, 'GET /', [to(app)]);
    expect(answer.status).toBe(type === 'ClientHandler' ? 500 : 502);
    expect(app.requests).toHaveLength(times);
    expect(said(gateway)).toEqual([[WARN, 'request failed after all retries', 'backend-closed', times - 1]]);
  });

  it.each([
    ['without the object', {}],
    ['when they are not enabled', { retries: { ...AT_ONCE, enabled: false } }],
    ['when there may be none', { retries: { ...AT_ONCE, count: 0 } }],
  ])('sends no request again %s', async (_case, config) => {
    const app = await backend(steps(closes));
    const gateway = await serve({ type, config });
    expect((await send(gateway, 'GET /', [to(app)])).status).toBe(type === 'ClientHandler' ? 500 : 502);
    expect(app.requests).toHaveLength(1);
    expect(said(gateway)).toEqual([]);
  });
});

it.each([
  ['a backend that does not listen', 'Host: 127.0.0.1:1', 'backend-connect'],
  ['a name without an address', 'Host: no.such.host.invalid', 'backend-address'],
])('%s is retried', async (_case, host, refusal) => {
  const gateway = await serve(handler({ ...AT_ONCE, count: 3 }));
  expect(refusalOf(await send(gateway, 'GET /', [host]))).toBe(refusal);
  expect(said(gateway)).toEqual([[WARN, 'request failed after all retries', refusal, 3]]);
});

it.each([
  ['to the gateway itself', [], 403, 'backend-egress'],
  ['in a circle', [`Via: ${Array.from({ length: 5 }, () => '1.1 gatewarden').join(', ')}`], 508, 'loop'],
] as const)('a request %s is not sent again', async (_case, head, status, refusal) => {
  const gateway = await serve(handler({ ...AT_ONCE, condition: '${response.status.code >= 400}' }));
  const answer = await send(gateway, 'GET /', [`Host: 127.0.0.1:${gateway.port}`, ...head]);
  expect([answer.status, refusalOf(answer)]).toEqual([status, refusal]);
  expect(said(gateway)).toEqual([]);
});

describe('condition', () => {
  const busy = '${response.status.code == 503}';
  const says = "${response.entity.string == 'again'}";

  it.each([
    ['with a body', busy, [answers('busy', '503 Busy')]],
    ['without a body', busy, [answers('', '503 Busy')]],
    ['and failures, counted together', busy, [answers('busy', '503 Busy'), closes, answers('', '503 Busy')]],
    ['on the body', says, [answers('again'), answers('again', '500 Failed')]],
    ['on the body of what breaks off', says, [answers('again'), breaksBody]],
    ['on both', "${response.status.code == 500 && response.entity.string == 'again'}", [answers('again', '500 No')]],
    ['that is always there', "${response.headers['x-good'] == null}", [answers('bad')]],
  ] as const)('%s', async (_case, condition, bad) => {
    const good: Step = (peer) => peer.send(plainAnswer('good', '200 OK', 'X-Good: yes\r\n'));
    const app = await backend(steps(...bad, good));
    const gateway = await serve(handler({ ...AT_ONCE, count: bad.length, condition }));
    const answer = await send(gateway, 'POST /', [to(app)]); // a GET may be repeated on its own on a kept connection
    expect(answer).toMatchObject({ status: 200, body: 'good' });
    expect(said(gateway)).toEqual([[DEBUG, 'request succeeded after a retry', bad.length]]);
  });

  it('that stays true returns the last response completely', async () => {
    const app = await backend(steps(answers('first', '503 Busy'), answers('second', '503 Busy')));
    const gateway = await serve(handler({ ...AT_ONCE, count: 1, condition: busy }));
    expect(await send(gateway, 'GET /', [to(app)])).toMatchObject({ status: 503, body: 'second' });
    expect(said(gateway)).toEqual([[WARN, 'request failed after all retries', 503, 1]]);
  });

  it.each([
    ['by default no answer is too bad', AT_ONCE],
    ['null is not true', { ...AT_ONCE, condition: '${attributes.none}' }],
  ])('%s', async (_case, retries) => {
    const app = await backend(steps(answers('no', '503 Busy')));
    const gateway = await serve(handler(retries));
    expect(await send(gateway, 'GET /', [to(app)])).toMatchObject({ status: 503, body: 'no' });
    expect(app.requests).toHaveLength(1);
  });

  it('releases the answer that is not passed on', async () => {
    const endless: Step = (peer) => peer.send('HTTP/1.1 503 Busy\r\nContent-Length: 100000\r\n\r\nfirst of many');
    const app = await backend(steps(endless, answers('good')));
    const gateway = await serve(handler({ ...AT_ONCE, condition: busy }));
    expect((await send(gateway, 'GET /', [to(app)])).body).toBe('good');
    await app.peers[0]!.untilClosed();
    expect(app.open).toBe(1);
  });

  function breaksBody(peer: ScriptedPeer): void {
    peer.send('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nagain');
    peer.end();
  }
});

describe('logs of failures', () => {
  const cut: Step = (peer) => {
    peer.send('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nnot all');
    peer.end();
  };
  const onContent = { condition: "${response.entity.string == 'again'}" };

  it.each([
    ['no answer', closes, {}, {}],
    ['no response in time', waits, {}, SHORT],
    ['half an answer, where it has to be whole', cut, {}, { asyncBehavior: 'non_streaming' }],
    ['half an answer, where a condition reads it', cut, onContent, {}],
    [
      'an answer that is not good enough',
      answers('no', '503 Busy'),
      { condition: '${response.status.code == 503}' },
      {},
    ],
  ] as const)('%s: nobody is warned where another attempt succeeds', async (_case, fails, retries, more) => {
    const app = await backend(steps(fails, fails, answers('good')));
    const gateway = await serve(handler({ ...AT_ONCE, ...retries }, 'ReverseProxyHandler', more));
    expect((await send(gateway, 'POST /', [to(app)])).status).toBe(200);
    expect(warned(gateway)).toEqual([]);
    const attempts = gateway.logged.filter(({ msg }) => msg === 'request failed, retrying');
    expect(attempts).toMatchObject(
      [0, 1].map((tried) => ({ level: DEBUG, retries: tried, backend: to(app).slice(6) })),
    );
    expect(counts(gateway)).toEqual({ gw_retries_total: 2 });
  });

  it('one line when all retries failed, and two figures', async () => {
    const app = await backend(steps(closes));
    const gateway = await serve(handler({ ...AT_ONCE, count: 3 }));
    expect((await send(gateway, 'GET /', [to(app)])).status).toBe(502);
    const backendName = to(app).slice(6);
    expect(warned(gateway)).toMatchObject([
      { msg: 'request failed after all retries', refusal: 'backend-closed', backend: backendName, retries: 3 },
    ]);
    expect(warned(gateway)[0]!['reason']).toEqual(expect.any(String));
    expect(counts(gateway)).toEqual({ gw_retries_total: 3, gw_retries_failed_total: 1 });
    expect(gateway.counted[0]!.labels).toEqual({
      fully_qualified_name: 'gateway.{ReverseProxyHandler}/handler',
      name: '{ReverseProxyHandler}/handler',
      route: '',
      router: '',
    });
  });

  it.each([
    ['that breaks off under way', cut, {}, 'backend-cut'],
    ['of a backend that is not tried again', closes, { count: 0 }, 'backend-closed'],
  ])('an answer %s is warned of as without retries', async (_case, fails, retries, refusal) => {
    const app = await backend(steps(fails));
    const gateway = await serve(handler({ ...AT_ONCE, ...retries }));
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send(`GET / HTTP/1.1\r\n${to(app)}\r\nConnection: close\r\n\r\n`);
    await client.untilClosed();
    expect(warned(gateway)).toMatchObject([{ refusal, msg: 'request to the backend failed' }]);
    expect(counts(gateway)).toEqual({});
  });
});

describe('a retried request', () => {
  it('has every header once, also behind a trusted proxy', async () => {
    const app = await backend(steps(closes, closes, answers('good')));
    const options: ConfiguredOptions = { trustedProxies: ['127.0.0.1'] };
    const gateway = await serve(handler(AT_ONCE), [], options);
    const head = ['X-Forwarded-For: 192.0.2.7', 'X-Forwarded-Proto: https', 'Via: 1.1 other', 'X-Own: 1', 'X-Own: 2'];
    expect((await send(gateway, 'POST /', [to(app), ...head], 'content')).status).toBe(200);
    const [first, ...others] = app.requests.map(({ headers }) => [...headers].sort());
    expect(first).toContainEqual(['x-forwarded-for', '192.0.2.7, 127.0.0.1']);
    expect(first!.filter(([name]) => name === 'x-own')).toHaveLength(2);
    expect(others).toEqual([first, first]);
  });

  it('has the changes of filters once', async () => {
    const app = await backend(steps(closes, answers('good')));
    const add = { type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { 'X-Added': ['yes'] } } };
    const set = { type: 'StaticRequestFilter', config: { method: 'POST', uri: `http://127.0.0.1:${app.port}/made` } };
    const gateway = await serve({ type: 'Chain', config: { filters: [set, add], handler: handler(AT_ONCE) } });
    expect((await send(gateway, 'GET /')).status).toBe(200);
    for (const request of app.requests) {
      expect(request).toMatchObject({ method: 'POST', target: '/made', body: '' });
      expect(request.headers.filter(([name]) => name === 'x-added')).toEqual([['x-added', 'yes']]);
    }
    expect(app.requests).toHaveLength(2);
  });

  const long = 'abcdefghij'.repeat(30_000);
  const inFiles = { name: 'TemporaryStorage', type: 'TemporaryStorage', config: { memoryLimit: 1000 } };

  it.each([
    ['a short body', 'content', []],
    ['a long body, in memory', long, [{ ...inFiles, config: { memoryLimit: 1_000_000 } }]],
    ['a long body, in a file', long, [inFiles]],
  ])('has %s whole', async (_case, content, heap) => {
    const app = await backend(steps(closes, resets, waits, answers('good')));
    const gateway = await serve(handler(AT_ONCE, 'ReverseProxyHandler', SHORT), heap);
    expect((await send(gateway, 'POST /', [to(app)], content)).status).toBe(200);
    expect(app.requests.map(({ body }) => body === content)).toEqual([true, true, true, true]);
  });

  it.each([
    ['of a known length', (content: string) => `Content-Length: ${content.length}\r\n\r\n${content}`],
    [
      'in chunks',
      (content: string) =>
        `Transfer-Encoding: chunked\r\n\r\n${content.length.toString(16)}\r\n${content}\r\n0\r\n\r\n`,
    ],
  ])('has a complete body %s after the backend disconnected midway', async (_case, framed) => {
    const app = await backend(async (peer) => {
      if (peer.index < 2) {
        await peer.until((text) => text.length > 40_000);
        peer.close();
        return;
      }
      await peer.request();
      peer.send(plainAnswer('good'));
    });
    const gateway = await serve(handler(AT_ONCE), [inFiles]);
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send(`PUT / HTTP/1.1\r\n${to(app)}\r\n${framed(long)}`);
    expect(await client.until((text) => text.endsWith('good'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(app.requests.map(({ body }) => body === long)).toEqual([true]);
    expect(app.connections).toBe(3);
  });

  it('has the trailers of the body', async () => {
    const app = await backend(async (peer) => {
      await peer.until((text) => /\r\netag: 7\r\n\r\n$/i.test(text));
      if (peer.index === 0) peer.close();
      else peer.send(plainAnswer('good'));
    });
    const gateway = await serve(handler(AT_ONCE));
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    const head = `POST / HTTP/1.1\r\n${to(app)}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    client.send(`${head}7\r\ncontent\r\n0\r\nETag: 7\r\n\r\n`);
    expect(await client.until((text) => text.endsWith('good'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(app.connections).toBe(2);
  });

  it('continues a body that the client is still sending', async () => {
    const app = await backend(async (peer) => {
      if (peer.index === 0) {
        await peer.until((text) => text.endsWith('first'));
        peer.close();
        return;
      }
      await peer.until((text) => text.endsWith('first'));
      client.send('second');
      await peer.request();
      peer.send(plainAnswer('good'));
    });
    const gateway = await serve(handler(AT_ONCE));
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send(`POST / HTTP/1.1\r\n${to(app)}\r\nContent-Length: 11\r\n\r\nfirst`);
    expect(await client.until((text) => text.endsWith('good'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(app.requests.map(({ body }) => body)).toEqual(['firstsecond']);
  });

  it.each([
    ['that a filter made', { type: 'StaticRequestFilter', config: { method: 'POST', uri: '', entity: 'made' } }],
    [
      'that an expression read',
      { type: 'AssignmentFilter', config: { onRequest: [{ target: '${attributes.a}', value: '${request.entity}' }] } },
    ],
  ])('has a body %s', async (_case, filter) => {
    const app = await backend(steps(closes, answers('good')));
    const uri = `http://127.0.0.1:${app.port}/`;
    const config = 'uri' in filter.config ? { ...filter.config, uri } : filter.config;
    const filters = [{ ...filter, config }] as JsonValue;
    const gateway = await serve({ type: 'Chain', config: { filters, handler: handler(AT_ONCE) } });
    expect((await send(gateway, 'POST /', [to(app)], 'made')).status).toBe(200);
    expect(app.requests.map(({ body }) => body)).toEqual(['made', 'made']);
  });

  it.each(['1234567890 and more', long])('is not sent when the body is too large to buffer', async (content) => {
    const app = await backend(steps(closes));
    const storage = { name: 'small', type: 'TemporaryStorage', config: { memoryLimit: 10, fileLimit: 10 } };
    const gateway = await serve(handler(AT_ONCE, 'ReverseProxyHandler', { temporaryStorage: 'small' }), [storage]);
    expect(refusalOf(await send(gateway, 'POST /', [to(app)], content))).toBe('backend-closed');
    expect(app.requests.map(({ body }) => body === content)).toEqual([true]);
    expect(said(gateway)).toEqual([[WARN, 'request not retried: its body was not buffered', 'backend-closed']]);
    expect(warned(gateway)).toHaveLength(1);
    for (let more = 0; more < 3; more++) await send(gateway, 'POST /', [to(app)], content);
    gateway.configuration.close();
    const told = (): number => warned(gateway).reduce((sum, { leftOut }) => sum + 1 + Number(leftOut ?? 0), 0);
    await untilTrue(() => told() === 4); // in fewer lines, unless they are a second apart
  });

  it.each(['content', long])('is whole where messages are made whole first', async (content) => {
    const cut: Step = (peer) => {
      peer.send('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nnot all');
      peer.end();
    };
    const app = await backend(steps(closes, cut, answers('good')));
    const gateway = await serve(handler(AT_ONCE, 'ReverseProxyHandler', { asyncBehavior: 'non_streaming' }), [inFiles]);
    expect(await send(gateway, 'POST /', [to(app)], content)).toMatchObject({ status: 200, body: 'good' });
    expect(app.requests.map(({ body }) => body === content)).toEqual([true, true, true]);
  });

  it('may have a body too large to buffer when nothing fails', async () => {
    const app = await backend(steps(answers('good')));
    const storage = { name: 'TemporaryStorage', type: 'TemporaryStorage', config: { memoryLimit: 10, fileLimit: 10 } };
    const gateway = await serve(handler(AT_ONCE), [storage]);
    expect((await send(gateway, 'POST /', [to(app)], long)).status).toBe(200);
    expect(app.requests.map(({ body }) => body === long)).toEqual([true]);
  });
});

describe('configurations', () => {
  const at = 'handler.config.retries';
  it.each([
    [{}, []],
    [{ enabled: 'perhaps' }, [`value ${at}.enabled: must be true or false, not 'perhaps'`]],
    [{ count: -1 }, [`value ${at}.count: must be at least 0, not -1`]],
    [{ count: 1.5 }, [`value ${at}.count: must be a whole number, not 1.5`]],
    [{ delay: 'unlimited' }, [`duration ${at}.delay: must not be unlimited`]],
    [{ condition: 'no' }, [`value ${at}.condition: must be true, false or an expression, not 'no'`]],
    [{ executor: 'none' }, [`reference ${at}.executor: there is no object 'none' in this heap or in those around it`]],
    [
      { executor: 'TemporaryStorage' },
      [`kind ${at}.executor: must be a ScheduledExecutorService, but 'TemporaryStorage' is a TemporaryStorage`],
    ],
    [
      { runtimeExceptionCondition: '${true}' },
      [`unavailable-field ${at}.runtimeExceptionCondition: is known, but not available in this version`],
    ],
    [{ tries: 5 }, [`unknown-field ${at}.tries: there is no field 'tries' here`]],
  ] as const)('with %j have the expected problems', (retries, problems) => {
    for (const type of ['ReverseProxyHandler', 'ClientHandler']) {
      expect(problemsOf({ type, config: { retries: retries as JsonObject } })).toEqual(problems);
    }
  });
});

describe('a request whose pooled connection is closed', () => {
  /** Answers the first request of all; every later one costs its connection. */
  const failing = (): Script => steps(answers('warm'), closes);

  it.each([
    [{ count: 0, ...AT_ONCE }, 1],
    [{ count: 1, ...AT_ONCE }, 2],
    [{ count: 4, ...AT_ONCE }, 5],
    [{ enabled: false, count: 4 }, 2],
  ])('is sent as often as %j allows', async (retries, attempts) => {
    const app = await backend(failing());
    const gateway = await serve(handler(retries));
    expect((await send(gateway, 'GET /', [to(app)])).status).toBe(200);
    expect((await send(gateway, 'GET /', [to(app)])).status).toBe(502);
    expect(app.requests).toHaveLength(1 + attempts);
  });

  it('is repeated at once, and not after the delay of retries', async () => {
    const app = await backend(steps(answers('warm'), closes, answers('again')));
    const gateway = await serve(handler({ count: 1, delay: '1 hour' }));
    await send(gateway, 'GET /', [to(app)]);
    expect(await send(gateway, 'GET /', [to(app)])).toMatchObject({ status: 200, body: 'again' });
  });

  it('is sent as often as count allows over HTTP/2 too', async () => {
    let asked = 0;
    const app = await backend(
      eachStream(({ stream }, peer) => {
        if (asked++ === 0) peer.answer(stream, 'warm');
        else peer.peer.close();
      }),
    );
    const http2 = { protocolVersion: 'HTTP/2', http2PriorKnowledge: true };
    const gateway = await serve(handler({ count: 2, ...AT_ONCE }, 'ReverseProxyHandler', http2));
    expect((await send(gateway, 'GET /', [to(app)])).status).toBe(200);
    expect((await send(gateway, 'GET /', [to(app)])).status).toBe(502);
    expect(asked).toBe(1 + 3);
  });
});
