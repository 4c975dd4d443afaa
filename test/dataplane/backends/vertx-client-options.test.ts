import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { eachRequest, plainAnswer, type Script, ScriptedBackend } from '../../support/backends/scripted-backend.ts';
import { refusalOf } from '../../support/clients/answers.ts';
import { untilTrue } from '../../support/clients/event-loop.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';

const DISALLOWED = [
  ...['port', 'connectTimeout', 'idleTimeout', 'idleTimeoutUnit', 'protocolVersion', 'http2ClearTextUpgrade'],
  ...['verifyHost', 'ssl', 'enabledSecureTransportProtocols', 'enabledCipherSuites', 'keyStoreOptions'],
  ...['keyCertOptions', 'pemKeyCertOptions', 'pfxKeyCertOptions', 'trustOptions', 'trustStoreOptions'],
  ...['pemTrustOptions', 'pfxTrustOptions', 'useAlpn', 'alpnVersions'],
];

async function backend(script: Script): Promise<ScriptedBackend> {
  const started = await ScriptedBackend.start(script);
  onTestFinished(() => started.close());
  return started;
}

const good = eachRequest(() => plainAnswer('ok'));
const proxying = (config: JsonObject): JsonObject => ({ type: 'ReverseProxyHandler', config });
const places: [string, (vertx: JsonObject) => JsonObject][] = [
  ['vertx', (vertx) => ({ vertx })],
  ['websocket.vertx', (vertx) => ({ websocket: { vertx } })],
];

describe.each(places)('names in %s', (place, config) => {
  it.each(DISALLOWED)('%s is refused by its name', (name) => {
    const problems = problemsOf(proxying(config({ [name]: 1 })));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(
      new RegExp(`^unavailable-field handler\\.config\\.${place}\\.${name}: cannot be given here: `),
    );
  });

  it.each([
    ['maxPoolSize', 'the field `connections` says how many there are'],
    ['tryUseCompression', 'messages are passed on in the encoding that they have'],
    ['forceSni', 'the name of the host is always sent in the handshake'],
    ['poolCleanerPeriod', 'connections are closed when their time comes'],
  ])('%s has no effect', (name, why) => {
    const problem = `no-effect handler.config.${place}.${name}: has no effect: ${why}`;
    expect(problemsOf(proxying(config({ [name]: 1 })))).toEqual([problem]);
  });

  it.each([
    ['proxyOptions', "use 'proxyOptions' of the handler"],
    ['trustAll', "use 'trustManager' of the 'tls' options"],
    ['maxLifetime', "use 'connectionTimeToLive'"],
  ])('%s is decided elsewhere', (name, why) => {
    const problem = `unavailable-field handler.config.${place}.${name}: cannot be given here: ${why}`;
    expect(problemsOf(proxying(config({ [name]: {} })))).toEqual([problem]);
  });

  it('an unknown option is rejected with a suggestion', () => {
    const problems = checkConfigured({ handler: proxying(config({ keepAlife: true })) });
    expect(problems).toMatchObject([{ code: 'unknown-field', hint: "did you mean 'keepAlive'?" }]);
    const [other] = checkConfigured({ handler: proxying(config({ zzz: true })) });
    expect(other!.hint).toMatch(/^known fields: keepAlive, keepAliveTimeout, maxWaitQueueSize, maxHeaderSize,/);
    expect(other!.hint).not.toContain('trustOptions');
  });

  it('values are expressions', () => {
    expect(problemsOf(proxying(config({ keepAlive: '${1 == 1}', keepAliveTimeout: '${5 + 5}' })))).toEqual([]);
    expect(problemsOf(proxying(config({ maxHeaderSize: 'large' })))).toEqual([
      `value handler.config.${place}.maxHeaderSize: must be a whole number, not 'large'`,
    ]);
  });
});

it('options about WebSockets have their effect in `websocket` only', () => {
  const vertx = { tryUsePerMessageWebSocketCompression: false };
  const why = 'options about WebSockets are given in `vertx` of `websocket`';
  expect(problemsOf(proxying({ websocket: { vertx } }))).toEqual([]);
  expect(problemsOf(proxying({ vertx }))).toEqual([
    `no-effect handler.config.vertx.tryUsePerMessageWebSocketCompression: has no effect: ${why}`,
  ]);
});

describe('effects', () => {
  it.each([
    [{ keepAlive: false }, 2],
    [{ keepAlive: true }, 1],
    [{}, 1],
  ])('%j: two requests use %i connections', async (vertx, connections) => {
    const app = await backend(good);
    const gateway = await serve(proxying({ vertx }));
    for (const path of ['/1', '/2']) await send(gateway, `GET ${path}`, [`Host: 127.0.0.1:${app.port}`]);
    expect(app.connections).toBe(connections);
  });

  it('keepAliveTimeout: an unused connection is closed after it', async () => {
    const app = await backend(good);
    const gateway = await serve(proxying({ vertx: { keepAliveTimeout: 1 } }));
    await send(gateway, 'GET /', [`Host: 127.0.0.1:${app.port}`]);
    await untilTrue(() => app.open === 0);
  });

  it.each<[JsonObject, string]>([
    [{ vertx: { maxWaitQueueSize: 0 } }, 'backend-queue-full'],
    [{ vertx: { maxWaitQueueSize: -1 }, waitQueueSize: 0 }, 'backend-queue-full'],
    [{ vertx: { maxWaitQueueSize: -1 }, connectionTimeout: '100 ms' }, 'backend-queue-timeout'],
    [{ vertx: { maxWaitQueueSize: 0 }, waitQueueSize: 9, connectionTimeout: '100 ms' }, 'backend-queue-timeout'],
  ])('%j: a request without a connection is %s', async (config, refusal) => {
    const app = await backend(async (peer) => void (await peer.request()));
    const gateway = await serve(proxying({ connections: 1, ...config }));
    const host = [`Host: 127.0.0.1:${app.port}`];
    const first = send(gateway, 'GET /1', host);
    await app.until(() => app.requests.length === 1);
    const answer = await send(gateway, 'GET /2', host);
    expect([answer.status, refusalOf(answer)]).toEqual([503, refusal]);
    await app.close();
    expect((await first).status).toBe(502);
  });

  it.each([
    [{}, 60_000, 200],
    [{}, 70_000, 502],
    [{ maxHeaderSize: 1000 }, 4000, 200],
    [{ maxHeaderSize: 1000 }, 6000, 502],
    [{ maxHeaderSize: 1000, maxInitialLineLength: 64 }, 2000, 502],
    [{ maxInitialLineLength: 64 }, 60_000, 200],
    [{ maxHeaderSize: 200_000 }, 150_000, 200],
  ])('%j: a head of %i bytes gives %i', async (vertx, size, status) => {
    const app = await backend(eachRequest(() => plainAnswer('ok', '200 OK', `X-Long: ${'x'.repeat(size)}\r\n`)));
    const gateway = await serve(proxying({ vertx }));
    expect((await send(gateway, 'GET /', [`Host: 127.0.0.1:${app.port}`])).status).toBe(status);
  });
});
