import { once } from 'node:events';
import { createSecureServer, type Http2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canonicalJson } from '../../../contract/document/canonical.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { pathText } from '../../../contract/problem.ts';
import { noReach } from '../../../contract/reach.ts';
import { systemProxy } from '../../../dataplane/backends/system-proxy.ts';
import { startFullListener } from '../../support/backends/full-listener.ts';
import { type ProxyRule, startProxy } from '../../support/backends/http-proxy.ts';
import { eachRequest, plainAnswer, type Script, ScriptedBackend } from '../../support/backends/scripted-backend.ts';
import { Http2Peer } from '../../support/backends/scripted-http2-backend.ts';
import { refusalOf, untilAnswers } from '../../support/clients/answers.ts';
import { type RawAnswer, RawClient } from '../../support/clients/raw-client.ts';
import { switching, UPGRADE } from '../../support/clients/websocket-upgrade.ts';
import { type ConfiguredGateway, checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';

const PASSWORD = 'correct horse';
const secrets = {
  passwordSecretId: 'proxy.password',
  secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
};
const reach = operatorReach({ PROXY_PASSWORD: PASSWORD });

async function backend(script: Script = eachRequest(({ target }) => plainAnswer(`answer to ${target}`))) {
  const started = await ScriptedBackend.start(script);
  onTestFinished(() => started.close());
  return started;
}

const through = (proxyOptions: JsonValue, config: JsonObject = {}): JsonValue => ({
  type: 'ReverseProxyHandler',
  config: { proxyOptions, ...config },
});
const custom = (uri: string, config: JsonObject = {}): JsonValue => ({
  type: 'CustomProxyOptions',
  config: { uri, ...config },
});
const host = ['Host: app.internal'];
const refusalsIn = (gateway: ConfiguredGateway): unknown[] =>
  gateway.logged.filter((line) => 'refusal' in line).map(({ refusal, backend: at, reason }) => [refusal, at, reason]);

/** Asks for a WebSocket and gets something else. */
async function upgrade(gateway: ConfiguredGateway): Promise<RawAnswer> {
  const client = await RawClient.connect(gateway.port);
  onTestFinished(() => client.destroy());
  client.send(`GET / HTTP/1.1\r\n${host[0]}\r\n${UPGRADE}\r\n`);
  return (await untilAnswers(client, 1))[0]!;
}

describe('an HTTP proxy', () => {
  it('reads requests with their whole URI, and resolves the host', async () => {
    const app = await backend();
    const proxy = await startProxy({ hosts: { 'app.internal': app.port } });
    const gateway = await serve(through(custom(proxy.uri)));
    const answers = [
      await send(gateway, 'GET /a/b?c=d', host),
      await send(gateway, 'POST /x', ['Host: app.internal:8080'], 'body'),
      await send(gateway, 'OPTIONS *', host),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, 'answer to /a/b?c=d'],
      [200, 'answer to /x'],
      [200, 'answer to /'],
    ]);
    expect(proxy.asked).toEqual([
      'GET http://app.internal/a/b?c=d',
      'POST http://app.internal:8080/x',
      'OPTIONS http://app.internal',
    ]);
    expect(proxy.credentials).toEqual([undefined, undefined, undefined]);
    expect(app.requests[1]).toMatchObject({ method: 'POST', body: 'body' });
  });

  it('keeps its connections', async () => {
    const app = await backend();
    const proxy = await startProxy({ hosts: { 'app.internal': app.port } });
    const gateway = await serve(through(custom(proxy.uri)));
    for (const path of ['/1', '/2', '/3']) await send(gateway, `GET ${path}`, host);
    expect(proxy.connections).toBe(1);
  });

  it('names the host of the baseURI', async () => {
    const app = await backend();
    const proxy = await startProxy({ hosts: { 'app.internal': app.port } });
    const binding = { handler: through(custom(proxy.uri)), baseURI: 'http://app.internal' };
    const gateway = await serve({ type: 'DispatchHandler', config: { bindings: [binding] } });
    expect((await send(gateway, 'GET /', ['Host: public.example'])).status).toBe(200);
    expect(proxy.asked).toEqual(['GET http://app.internal/']);
  });

  it.each<[string, JsonObject]>([
    ['of a secrets provider', { username: 'gateway', ...secrets }],
    ['in the document', { username: 'gateway', password: PASSWORD }],
  ])('gets the password %s', async (_case, proxyConfig) => {
    const app = await backend();
    const proxy = await startProxy({ credentials: `gateway:${PASSWORD}`, hosts: { 'app.internal': app.port } });
    const handler = { type: 'ReverseProxyHandler', config: { proxy: { uri: proxy.uri, ...proxyConfig } } };
    const gateway = await serve(handler, [], { reach });
    expect((await send(gateway, 'GET /', host)).status).toBe(200);
    expect(app.requests[0]!.headers.map(([name]) => name)).not.toContain('proxy-authorization');
  });

  it('does not get the credentials that a client has for a proxy', async () => {
    const app = await backend();
    const proxy = await startProxy({ hosts: { 'app.internal': app.port } });
    await send(await serve(through(custom(proxy.uri))), 'GET /', [...host, 'Proxy-Authorization: Basic x']);
    expect(proxy.credentials).toEqual([undefined]);
  });

  it('carries WebSockets in a tunnel', async () => {
    const app = await backend(switching(() => {}));
    const proxy = await startProxy({ credentials: `gateway:${PASSWORD}`, hosts: { 'app.internal': app.port } });
    const options = custom(proxy.uri, { username: 'gateway', ...secrets });
    const gateway = await serve(through(options, { websocket: { enabled: true } }), [], { reach });
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send(`GET /socket HTTP/1.1\r\nHost: app.internal\r\n${UPGRADE}\r\n`);
    expect(await client.until((text) => text.includes('\r\n\r\n'))).toMatch(/^HTTP\/1\.1 101 /);
    expect(proxy.asked).toEqual(['CONNECT app.internal:80']);
  });

  it.each<[string, string[]]>([
    ['HTTP/1.1', ['http/1.1']],
    ['HTTP/2', ['h2']],
  ])('leads to backends over TLS in a tunnel: %s', async (protocolVersion, ALPNProtocols) => {
    const certified = certificateAuthority('test').issue({ names: ['app.internal'] });
    const app = createSecureServer({ key: certified.key, cert: certified.chain, allowHTTP1: true, ALPNProtocols });
    const sessions: Http2Session[] = [];
    app.on('session', (session) => sessions.push(session));
    app.on('request', (request, response) => response.end(`HTTP/${request.httpVersion} ${request.url}`));
    app.listen({ port: 0, host: '127.0.0.1' });
    await once(app, 'listening');
    onTestFinished(() => {
      for (const session of sessions) session.destroy();
      app.close();
    });
    const { port } = app.address() as AddressInfo;
    const proxy = await startProxy({ credentials: `gateway:${PASSWORD}`, hosts: { 'app.internal': port } });
    const tls = { type: 'ClientTlsOptions', config: { trustManager: { type: 'TrustAllManager' } } };
    const options = custom(proxy.uri, { username: 'gateway', ...secrets });
    const handler = through(options, { tls, protocolVersion });
    const binding = { handler, baseURI: 'https://app.internal' };
    const gateway = await serve({ type: 'DispatchHandler', config: { bindings: [binding] } }, [], { reach });
    const answers = [await send(gateway, 'GET /1'), await send(gateway, 'GET /2')];
    const version = protocolVersion === 'HTTP/2' ? 'HTTP/2.0' : protocolVersion;
    expect(answers.map(({ body }) => body)).toEqual([`${version} /1`, `${version} /2`]);
    expect(proxy.asked).toEqual(['CONNECT app.internal:443']);
    gateway.configuration.close();
  });

  it('may pass on the HTTP/2 preface of a backend at once', async () => {
    const proxy = await backend(async (peer) => {
      await peer.head();
      const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
      peer.send(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), settings]));
      const speaker = new Http2Peer(peer);
      const asked = await speaker.request();
      speaker.answer(asked!.stream, 'from behind');
    });
    const options = custom(`http://127.0.0.1:${proxy.port}`);
    const gateway = await serve(through(options, { protocolVersion: 'HTTP/2', http2PriorKnowledge: true }));
    expect(await send(gateway, 'GET /', host)).toMatchObject({ status: 200, body: 'from behind' });
    gateway.configuration.close();
  });

  it('is not to blame for the certificate of a backend', async () => {
    const certified = certificateAuthority('test').issue({ names: ['other.internal'] });
    const app = createServer({ key: certified.key, cert: certified.chain });
    app.listen({ port: 0, host: '127.0.0.1' });
    await once(app, 'listening');
    onTestFinished(() => void app.close());
    const proxy = await startProxy({ hosts: { 'app.internal': (app.address() as AddressInfo).port } });
    const tls = { type: 'ClientTlsOptions', config: { trustManager: { type: 'TrustAllManager' } } };
    const binding = { handler: through(custom(proxy.uri), { tls }), baseURI: 'https://app.internal' };
    const gateway = await serve({ type: 'DispatchHandler', config: { bindings: [binding] } });
    const answer = await send(gateway, 'GET /');
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-tls']);
  });

  it.each(['ReverseProxyHandler', 'ClientHandler'])('is by default the object ProxyOptions: %s', async (type) => {
    const app = await backend();
    const proxy = await startProxy({ hosts: { 'app.internal': app.port } });
    const heap = [{ name: 'ProxyOptions', ...(custom(proxy.uri) as JsonObject) }];
    expect((await send(await serve({ type }, heap), 'GET /', host)).status).toBe(200);
    expect(proxy.asked).toEqual(['GET http://app.internal/']);
  });
});

describe('a proxy that does not lead to the backend', () => {
  const wanting = 'it rejected our credentials, or we sent none (407)';
  const cases: [string, ProxyRule, string][] = [
    ['wants credentials', { credentials: 'other:one' }, wanting],
    ['refuses', { refuses: 403 }, 'it refuses (403)'],
    ['closes', { babbles: '' }, 'it closed the connection'],
    ['speaks something else', { babbles: 'SSH-2.0-x\r\n\r\n' }, 'its response is not HTTP'],
    ['says too much', { babbles: 'HTTP/1.1 200 OK\r\n\r\nhello' }, 'it sends data after its response'],
    [
      'never comes to an end',
      { babbles: `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(4000)}` },
      'the head of its response is too long',
    ],
  ];

  it.each(cases)('%s: a tunnel', async (_case, rule, reason) => {
    const proxy = await startProxy(rule);
    const options = custom(proxy.uri, { username: 'gateway', ...secrets });
    const gateway = await serve(through(options, { websocket: { enabled: true } }), [], { reach });
    const answer = await upgrade(gateway);
    const refusal = reason === wanting ? 'backend-proxy-credentials' : 'backend-proxy';
    expect([answer.status, refusalOf(answer)]).toEqual([502, refusal]);
    const why = `proxy 127.0.0.1:${proxy.port}: ${reason}`;
    expect(refusalsIn(gateway)).toEqual([[refusal, 'app.internal:80', why]]);
    expect(gateway.finished).toMatchObject([{ refusal }]);
    expect(JSON.stringify(gateway.logged)).not.toContain(PASSWORD);
    expect(JSON.stringify(gateway.logged)).not.toContain(Buffer.from(`gateway:${PASSWORD}`).toString('base64'));
  });

  it('requires credentials: a request', async () => {
    const proxy = await startProxy({ credentials: 'other:one' });
    const gateway = await serve(through(custom(proxy.uri, { username: 'gateway', ...secrets })), [], { reach });
    const answer = await send(gateway, 'GET /', host);
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-proxy-credentials']);
    const why = `proxy 127.0.0.1:${proxy.port}: ${wanting}`;
    expect(refusalsIn(gateway)).toEqual([['backend-proxy-credentials', 'app.internal:80', why]]);
    expect(JSON.stringify(gateway.logged)).not.toContain(PASSWORD);
  });

  it.each([
    ['a request that wants credentials', 'request', { credentials: 'other:one' }, 1],
    ['a tunnel that wants credentials', 'websocket', { credentials: 'other:one' }, 1],
    ['a tunnel that it refuses', 'websocket', { refuses: 403 }, 3],
  ])('is retried only if that can help: %s', async (_case, kind, rule, times) => {
    const proxy = await startProxy(rule);
    const options = custom(proxy.uri, { username: 'gateway', ...secrets });
    const retries = { enabled: true, count: 2, delay: '1 ms' };
    const gateway = await serve(through(options, { retries, websocket: { enabled: true } }), [], { reach });
    expect((await (kind === 'websocket' ? upgrade(gateway) : send(gateway, 'GET /', host))).status).toBe(502);
    expect(proxy.asked).toHaveLength(times);
  });

  it('answers instead of the backend: its response is returned', async () => {
    const proxy = await startProxy({ refuses: 503 });
    expect((await send(await serve(through(custom(proxy.uri))), 'GET /', host)).status).toBe(503);
  });

  it.each(['request', 'websocket'])('has a missing password: a %s', async (kind) => {
    const proxy = await startProxy();
    const options = custom(proxy.uri, { username: 'gateway', ...secrets });
    const gateway = await serve(through(options, { websocket: { enabled: true } }));
    const answer = await (kind === 'websocket' ? upgrade(gateway) : send(gateway, 'GET /', host));
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-proxy']);
    expect(String(refusalsIn(gateway))).toContain(
      "its credentials are not available: there is no secret 'proxy.password'",
    );
    expect(proxy.asked).toEqual([]);
  });

  it.each([
    ['does not listen', 'http://127.0.0.1:1', 'the connection was refused or could not be established'],
    ['has a name that does not resolve', 'http://no.such.proxy.invalid:3128', 'ENOTFOUND'],
  ])('%s', async (_case, uri, reason) => {
    const gateway = await serve(through(custom(uri)));
    const answer = await send(gateway, 'GET /', host);
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-proxy']);
    expect(String(refusalsIn(gateway))).toContain(reason);
    expect(String(refusalsIn(gateway))).toContain(`proxy ${uri.slice('http://'.length)}: `);
  });

  it('does not accept in time', async () => {
    const full = await startFullListener();
    onTestFinished(() => full.close());
    const gateway = await serve(through(custom(`http://127.0.0.1:${full.port}`), { connectionTimeout: '100 ms' }));
    const answer = await send(gateway, 'GET /', host);
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-proxy']);
  });

  it('accepts the connection and does not answer CONNECT', async () => {
    const silent = await backend(async (peer) => void (await peer.head()));
    const config = { connectionTimeout: '100 ms', websocket: { enabled: true } };
    const gateway = await serve(through(custom(`http://127.0.0.1:${silent.port}`), config));
    const answer = await upgrade(gateway);
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-proxy']);
    await silent.peers[0]!.untilClosed();
  });

  it('works the next time', async () => {
    const app = await backend();
    const rule = { refuses: 407 as number | undefined, hosts: { 'app.internal': app.port } };
    const proxy = await startProxy(rule as ProxyRule);
    const gateway = await serve(through(custom(proxy.uri)));
    expect((await send(gateway, 'GET /', host)).status).toBe(502);
    rule.refuses = undefined;
    expect((await send(gateway, 'GET /', host)).status).toBe(200);
  });

  it('is the gateway itself', async () => {
    const gateway = await serve({ type: 'StaticResponseHandler', config: { status: 200 } });
    const document = { baseURI: 'http://app.internal', handler: through(custom(gateway.url)) };
    const base = { document, hash: canonicalJson(document) };
    expect(gateway.configuration.apply({ revision: '2', base, set: [], remove: [], defaultSlots: {} })).toEqual([]);
    const answer = await send(gateway, 'GET /', host);
    expect([answer.status, refusalOf(answer)]).toEqual([403, 'backend-egress']);
  });

  it('is a failure of the chain for a ClientHandler', async () => {
    const proxy = await startProxy({ credentials: 'other:one' });
    const gateway = await serve({ type: 'ClientHandler', config: { proxyOptions: custom(proxy.uri) } });
    expect((await send(gateway, 'GET /', host)).status).toBe(500);
    const lines = gateway.logged.map((line) => JSON.stringify(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('backend-proxy-credentials (proxy 127.0.0.1:');
  });
});

describe('the proxy of the system', () => {
  const properties = (port: number, more: Record<string, string> = {}) =>
    operatorReach({}, { 'http.proxyHost': '127.0.0.1', 'http.proxyPort': String(port), ...more });

  it.each<[string, JsonObject]>([
    ['SystemProxyOptions', { proxyOptions: { type: 'SystemProxyOptions' } }],
    ['systemProxy', { systemProxy: true }],
    ['systemProxy before proxyOptions', { systemProxy: true, proxyOptions: custom('http://127.0.0.1:1') }],
  ])('is used with %s', async (_case, config) => {
    const app = await backend();
    const proxy = await startProxy({ hosts: { 'app.internal': app.port } });
    const gateway = await serve({ type: 'ReverseProxyHandler', config }, [], { reach: properties(proxy.port) });
    expect((await send(gateway, 'GET /', host)).status).toBe(200);
    expect((await send(gateway, 'GET /', [`Host: 127.0.0.1:${app.port}`])).status).toBe(200);
    expect(proxy.asked).toEqual(['GET http://app.internal/']);
  });

  it('proxy wins over both', async () => {
    const app = await backend();
    const proxy = await startProxy({ hosts: { 'app.internal': app.port } });
    const config = { proxy: { uri: proxy.uri }, systemProxy: true, proxyOptions: custom('http://127.0.0.1:1') };
    const gateway = await serve({ type: 'ReverseProxyHandler', config }, [], { reach: properties(1) });
    expect((await send(gateway, 'GET /', host)).status).toBe(200);
  });

  it.each<[string, JsonObject]>([
    ['SystemProxyOptions', { proxyOptions: { type: 'SystemProxyOptions' } }],
    ['systemProxy', { systemProxy: true }],
  ])('reports a missing proxy, for %s', async (_case, config) => {
    const gateway = await serve({ type: 'ReverseProxyHandler', config });
    expect(gateway.logged.map((line) => line['msg'])).toEqual([
      'neither http.proxyHost nor https.proxyHost is set; requests go directly to backends',
    ]);
  });

  it.each<[Record<string, string>, 'http' | 'https', string, string | null]>([
    [{}, 'http', 'app.example', null],
    [{ 'http.proxyHost': 'p' }, 'http', 'app.example', 'p:80'],
    [{ 'http.proxyHost': 'p' }, 'https', 'app.example', null],
    [{ 'https.proxyHost': 'p' }, 'https', 'app.example', 'p:443'],
    [{ 'https.proxyHost': 'p', 'https.proxyPort': '8443' }, 'https', 'app.example', 'p:8443'],
    [{ 'http.proxyHost': 'p' }, 'http', 'localhost', null],
    [{ 'http.proxyHost': 'p' }, 'http', '127.1.2.3', null],
    [{ 'http.proxyHost': 'p' }, 'http', '::1', null],
    [{ 'http.proxyHost': '[fd00::1]' }, 'http', 'fd00::2', 'fd00::1:80'],
    [{ 'http.proxyHost': 'p', 'http.nonProxyHosts': '*.example|other' }, 'http', 'app.example', null],
    [{ 'http.proxyHost': 'p', 'http.nonProxyHosts': '*.example|other' }, 'http', 'APP.EXAMPLE', null],
    [{ 'http.proxyHost': 'p', 'http.nonProxyHosts': '*.example|other' }, 'http', 'app.examples', 'p:80'],
    [{ 'http.proxyHost': 'p', 'http.nonProxyHosts': '*.example|other' }, 'http', 'localhost', null],
    [{ 'http.proxyHost': 'p', 'http.nonProxyHosts': '10.*' }, 'http', '10.0.0.1', null],
    [{ 'http.proxyHost': 'p', 'http.nonProxyHosts': 'a.b' }, 'http', 'axb', 'p:80'],
    [{ 'http.proxyHost': 'p', 'http.nonProxyHosts': '' }, 'http', 'localhost', 'p:80'],
    [{ 'https.proxyHost': 'p', 'http.nonProxyHosts': 'x' }, 'https', 'x', null],
    [{ 'https.proxyHost': 'p', 'http.nonProxyHosts': 'x', 'https.nonProxyHosts': 'y' }, 'https', 'x', 'p:443'],
  ])('%j: %s://%s uses %s', (system, scheme, to, expected) => {
    const proxy = systemProxy(operatorReach({}, system)).proxyFor(scheme, to);
    expect(proxy === null ? null : `${proxy.host}:${proxy.port}`).toBe(expected);
  });

  it.each(['0', '65536', 'http', ''])('port %j is invalid', (port) => {
    const system = { 'http.proxyHost': 'p', 'http.proxyPort': port };
    expect(() => systemProxy(operatorReach({}, system))).toThrow('the system property http.proxyPort is not a port');
  });
});

describe('configurations', () => {
  const at = 'handler.config.proxyOptions.config';
  const deprecated = (field: string, type: string): string =>
    `deprecated-field handler.config.${field}: is deprecated: use a \`proxyOptions\` of the type ${type}`;

  it.each<[JsonValue, string[]]>([
    [custom('http://p'), []],
    [custom('http://p:3128/'), []],
    [{ type: 'CustomProxyOptions', config: {} }, [`missing ${at}.uri: is required`]],
    [custom('https://p'), [`value ${at}.uri: must have the scheme http, not https`]],
    [custom('http://a:b@p'), [`value ${at}.uri: must hold no credentials: use 'username'`]],
    [custom('http://p/path'), [`value ${at}.uri: must end with the host or the port`]],
    [custom('http://p', { username: 'a' }), [`missing ${at}.passwordSecretId: is required: 'username' needs it`]],
    [
      custom('http://p', { username: 'a:b', ...secrets }),
      [`value ${at}.username: must hold no colon and no control character`],
    ],
    [
      custom('http://p', { username: 'a', passwordSecretId: 'x' }),
      [`missing ${at}.secretsProvider: is required: 'passwordSecretId' needs it`],
    ],
    [{ type: 'NoProxyOptions', config: {} }, []],
    [{ type: 'SystemProxyOptions' }, []],
    [
      { type: 'TemporaryStorage' },
      ['kind handler.config.proxyOptions: must be a ProxyOptions, not a TemporaryStorage'],
    ],
  ])('proxyOptions %j', (options, problems) => {
    expect(problemsOf(through(options))).toEqual(problems);
  });

  it.each<[JsonObject, string[]]>([
    [{ proxy: { uri: 'http://p' } }, [deprecated('proxy', 'CustomProxyOptions')]],
    [
      { proxy: { uri: 'http://p', username: 'a', password: 'b' } },
      [
        deprecated('proxy', 'CustomProxyOptions'),
        'deprecated-field handler.config.proxy.password: is deprecated: use `passwordSecretId`: anyone who can read ' +
          'the document can read the password',
      ],
    ],
    [
      { proxy: { uri: 'http://p', username: 'a' } },
      [
        "missing handler.config.proxy.passwordSecretId: is required: 'username' needs it",
        deprecated('proxy', 'CustomProxyOptions'),
      ],
    ],
    [{ systemProxy: false }, [deprecated('systemProxy', 'SystemProxyOptions')]],
    [
      { proxy: { uri: 'http://p' }, systemProxy: true, proxyOptions: 'ProxyOptions' },
      [
        deprecated('proxy', 'CustomProxyOptions'),
        deprecated('systemProxy', 'SystemProxyOptions'),
        "no-effect handler.config.systemProxy: has no effect: 'proxy' wins",
      ],
    ],
    [
      { proxy: { uri: 'http://p' }, proxyOptions: { type: 'NoProxyOptions' } },
      [deprecated('proxy', 'CustomProxyOptions'), "no-effect handler.config.proxyOptions: has no effect: 'proxy' wins"],
    ],
    [
      { systemProxy: true, proxyOptions: { type: 'NoProxyOptions' } },
      [
        deprecated('systemProxy', 'SystemProxyOptions'),
        "no-effect handler.config.proxyOptions: has no effect: 'systemProxy' wins",
      ],
    ],
  ])('with %j have the expected problems', (config, problems) => {
    for (const type of ['ReverseProxyHandler', 'ClientHandler']) expect(problemsOf({ type, config })).toEqual(problems);
  });

  it.each<[JsonObject, string]>([
    [{ systemProxy: true }, 'handler.config.systemProxy'],
    [{ proxyOptions: { type: 'SystemProxyOptions' } }, 'handler.config.proxyOptions'],
  ])('%j is not for tenants', (config, path) => {
    const problems = checkConfigured({ handler: { type: 'ReverseProxyHandler', config } }, noReach);
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map((problem) => [problem.code, pathText(problem.path)])).toEqual([
      ['not-allowed', expect.stringContaining(path)],
    ]);
  });
});
