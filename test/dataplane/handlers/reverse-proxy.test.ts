import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { startFullListener } from '../../support/backends/full-listener.ts';
import { eachRequest, plainAnswer, type Script, ScriptedBackend } from '../../support/backends/scripted-backend.ts';
import { refusalOf, untilAnswers } from '../../support/clients/answers.ts';
import { nextTurn } from '../../support/clients/event-loop.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { clientFrame, frame, framesIn } from '../../support/clients/websocket-frames.ts';
import { switching, tunnels, UPGRADE } from '../../support/clients/websocket-upgrade.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';

const proxying = (config: JsonObject = {}): JsonValue => ({ type: 'ReverseProxyHandler', config });
const target: Script = eachRequest((request) => plainAnswer(`answer to ${request.target}`));

async function backend(script: Script = target): Promise<ScriptedBackend> {
  const started = await ScriptedBackend.start(script);
  onTestFinished(() => started.close());
  return started;
}

const host = (port: number, name = '127.0.0.1'): string => `Host: ${name}:${port}`;

describe('forwarding', () => {
  it('goes to the host and port of the URI, and the response is returned', async () => {
    const app = await backend(eachRequest(({ body }) => plainAnswer(`got ${body}`, '418 Teapot', 'X-App: yes\r\n')));
    const gateway = await serve(proxying());
    const answer = await send(gateway, 'POST /a/b?c=d', [host(app.port), 'X-Client: yes'], 'content');
    expect(answer).toMatchObject({ status: 418, body: 'got content' });
    expect(answer.headers.get('x-app')).toBe('yes');
    const [request] = app.requests;
    expect(request).toMatchObject({ method: 'POST', target: '/a/b?c=d', body: 'content' });
    expect(request!.headers).toContainEqual(['x-client', 'yes']);
  });

  it('passes Host as received where the URI was rebased', async () => {
    const app = await backend();
    const baseURI = `http://127.0.0.1:${app.port}`;
    const gateway = await serve({ type: 'DispatchHandler', config: { bindings: [{ handler: proxying(), baseURI }] } });
    expect((await send(gateway, 'GET /x', ['Host: public.example'])).body).toBe('answer to /x');
    expect(app.requests[0]!.headers).toContainEqual(['host', 'public.example']);
  });

  it('keeps the backends of one handler apart', async () => {
    const apps = await Promise.all(['one', 'two'].map((name) => backend(eachRequest(() => plainAnswer(name)))));
    const gateway = await serve(proxying());
    const bodies: string[] = [];
    for (const app of [...apps, ...apps]) bodies.push((await send(gateway, 'GET /', [host(app.port)])).body);
    expect(bodies).toEqual(['one', 'two', 'one', 'two']);
    expect(apps.map((app) => app.connections)).toEqual([1, 1]);
  });

  it('closes its connections with the configuration', async () => {
    const app = await backend();
    const gateway = await serve(proxying());
    await send(gateway, 'GET /', [host(app.port)]);
    gateway.configuration.close();
    await app.peers[0]!.untilClosed();
    expect(app.open).toBe(0);
  });
});

describe('a request that cannot be forwarded', () => {
  it.each([
    ['a backend that does not listen', ['Host: 127.0.0.1:1'], 502, 'backend-connect'],
    ['a backend whose name does not resolve', ['Host: no.such.host.invalid'], 502, 'backend-address'],
    ['a request that has come round', [...Array(5)].map(() => 'Via: 1.1 gatewarden'), 508, 'loop'],
    ['a request that has come round, in one line', [`Via: ${'1.1 gatewarden, '.repeat(5)}1.1 other`], 508, 'loop'],
  ])('gets an error status: %s', async (_case, head, status, refusal) => {
    const answer = await send(await serve(proxying()), 'GET /', head);
    expect(answer.status).toBe(status);
    expect(refusalOf(answer)).toBe(refusal);
  });

  it('a backend that does not accept in time is 502 too', async () => {
    const full = await startFullListener();
    onTestFinished(() => full.close());
    const gateway = await serve(proxying({ connectionTimeout: '100 ms' }));
    const answer = await send(gateway, 'GET /', [host(full.port)]);
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-connect-timeout']);
  });

  it('an unreachable backend over TLS', async () => {
    const baseURI = 'https://127.0.0.1:1';
    const gateway = await serve({ type: 'DispatchHandler', config: { bindings: [{ handler: proxying(), baseURI }] } });
    const answer = await send(gateway, 'GET /');
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-connect']);
  });

  it('a backend of another scheme', async () => {
    const toFtp = {
      type: 'AssignmentFilter',
      config: { onRequest: [{ target: '${request.uri.scheme}', value: 'ftp' }] },
    };
    const gateway = await serve({ type: 'Chain', config: { filters: [toFtp], handler: proxying() } });
    const answers = [await send(gateway, 'GET /'), await send(gateway, 'GET /')];
    expect(answers.map((answer) => [answer.status, refusalOf(answer)])).toEqual(Array(2).fill([502, 'backend-scheme']));
    const warnings = gateway.logged.filter((line) => line['refusal'] === 'backend-scheme');
    expect(warnings).toMatchObject([{ backend: 'ftp', msg: 'unsupported backend scheme; use http, https, ws or wss' }]);
  });

  it('a request that names no host', async () => {
    const gateway = await serve(proxying());
    const client = await RawClient.connect(gateway.port);
    client.send('GET / HTTP/1.0\r\n\r\n');
    const [answer] = await untilAnswers(client, 1);
    expect([answer!.status, refusalOf(answer!)]).toEqual([502, 'backend-unnamed']);
  });

  it.each(['127.0.0.1', '0.0.0.0', '[::ffff:127.0.0.1]'])('a request for the gateway itself, at %s', async (name) => {
    const gateway = await serve(proxying());
    const answer = await send(gateway, 'GET /', [host(gateway.port, name)]);
    expect([answer.status, refusalOf(answer)]).toEqual([403, 'backend-egress']);
    expect(gateway.finished).toHaveLength(1);
    const msg = 'request would come back to this gateway; set a baseURI on the route';
    expect(gateway.logged).toMatchObject([{ msg, refusal: 'backend-egress' }]);
  });

  it('a request for the gateway itself by any name', async () => {
    const gateway = await serve(proxying());
    const { status } = await send(gateway, 'GET /', [host(gateway.port, 'localhost')]);
    expect([403, 502]).toContain(status); // 502 where the name has a further address, at which nobody listens
    expect(gateway.finished).toHaveLength(1);
  });

  it('but a few gateways in a row are not a loop', async () => {
    const app = await backend();
    const via = ['Via: 1.1 gatewarden', 'Via: 1.1 gatewarden, 1.1 gatewarden', 'Via: 1.1 gatewarden, 1.0 fred'];
    expect((await send(await serve(proxying()), 'GET /', [host(app.port), ...via])).status).toBe(200);
  });
});

describe('fields', () => {
  it('connections: no more than these at a time, and waitQueueSize: no more wait', async () => {
    const release = Promise.withResolvers<void>();
    const app = await backend(
      eachRequest(async () => {
        await release.promise;
        return plainAnswer('at last');
      }),
    );
    const gateway = await serve(proxying({ connections: 2, waitQueueSize: 1 }));
    const answers = [1, 2, 3, 4].map(() => send(gateway, 'GET /', [host(app.port)]));
    const refused = await Promise.race(answers);
    expect([refused.status, refusalOf(refused)]).toEqual([503, 'backend-queue-full']);
    release.resolve();
    const statuses = (await Promise.all(answers)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 200, 503]);
    expect(app.connections).toBe(2);
  });

  it('soTimeout: a silent backend times out', async () => {
    const app = await backend(async (peer) => void (await peer.request()));
    const gateway = await serve(proxying({ soTimeout: '100 ms' }));
    const answer = await send(gateway, 'GET /', [host(app.port)]);
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-timeout']);
    await app.peers[0]!.untilClosed();
  });

  it.each([
    ['1 ns', 502],
    ['zero', 200],
    ['unlimited', 200],
  ])('soTimeout %s: a slow backend gives %i', async (soTimeout, status) => {
    const app = await backend(
      eachRequest(async () => {
        const until = performance.now() + 250; // longer than it takes to notice that time is up
        while (performance.now() < until) await nextTurn();
        return plainAnswer('late');
      }),
    );
    expect((await send(await serve(proxying({ soTimeout })), 'GET /', [host(app.port)])).status).toBe(status);
  });

  it.each([
    [{ disableReuseConnection: true }, 2, 'close'],
    [{ disableReuseConnection: false }, 1, null],
    [{ connectionTimeToLive: '1 ns' }, 2, null],
    [{ connectionTimeToLive: '1 hour' }, 1, null],
    [{}, 1, null],
  ])('%j: two requests use %i connections', async (config, connections, connection) => {
    const app = await backend(
      eachRequest(async () => {
        const until = performance.now() + 5; // older than the shortest time to live
        while (performance.now() < until) await nextTurn();
        return plainAnswer('late');
      }),
    );
    const gateway = await serve(proxying(config));
    for (const path of ['/1', '/2']) await send(gateway, `GET ${path}`, [host(app.port)]);
    expect(app.connections).toBe(connections);
    const fields = app.requests.flatMap(({ headers }) => headers.filter(([name]) => name === 'connection'));
    expect(fields).toEqual(connection === null ? [] : Array(2).fill(['connection', connection]));
  });
});

describe('websocket', () => {
  async function upgrade(config: JsonObject, port: number): Promise<RawClient> {
    const gateway = await serve(proxying(config));
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send(`GET /socket HTTP/1.1\r\n${host(port)}\r\n${UPGRADE}\r\n`);
    await client.until((text) => text.includes('\r\n\r\n'));
    return client;
  }

  it('enabled: passes data of both sides after the upgrade', async () => {
    const app = await backend(
      switching(async (peer) => {
        await peer.until((text) => framesIn(text).length === 1);
        peer.send(frame({ payload: `answer to ${framesIn(peer.received)[0]!.payload}` }));
      }),
    );
    const client = await upgrade({ websocket: { enabled: true } }, app.port);
    expect(client.text).toMatch(/^HTTP\/1\.1 101 /);
    client.send(clientFrame({ payload: 'ping' }));
    expect(await client.until((text) => text.endsWith('ping'))).toMatch(/answer to ping$/);
    expect(tunnels()).toBe(1);
  });

  it('not enabled: the upgrade is not sent to the backend', async () => {
    const app = await backend();
    const client = await upgrade({}, app.port);
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'answer to /socket' }]);
    expect(app.requests[0]!.headers.map(([name]) => name)).not.toContain('upgrade');
  });

  it('enabled: other requests of the handler are not affected', async () => {
    const app = await backend();
    const gateway = await serve(proxying({ websocket: { enabled: true } }));
    expect((await send(gateway, 'GET /plain', [host(app.port)])).body).toBe('answer to /plain');
  });

  it.each([
    [{ websocket: { enabled: true, soTimeout: '100 ms' } }],
    [{ soTimeout: '100 ms', websocket: { enabled: true } }],
  ])('%j: a silent one is closed', async (config) => {
    const app = await backend(switching(() => {}));
    const client = await upgrade(config, app.port);
    await client.untilClosed();
    await app.peers[0]!.untilClosed();
  });

  it('connectionTimeout: for upgrades only', async () => {
    const full = await startFullListener();
    onTestFinished(() => full.close());
    const client = await upgrade({ websocket: { enabled: true, connectionTimeout: '100 ms' } }, full.port);
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 502 }]);
  });
});

describe('configurations', () => {
  const moot = (field: string, why: string): string => `no-effect handler.config.${field}: has no effect: ${why}`;
  const old = (field: string, instead: string): string =>
    `deprecated-field handler.config.${field}: is deprecated: use ${instead}`;
  const missing = (field: string): string =>
    `reference handler.config.${field}: there is no object 'x' in this heap or in those around it`;

  it.each([
    [{ connections: 0 }, ['value handler.config.connections: must be at least 1, not 0']],
    [{ connectionTimeToLive: '0 s' }, ['duration handler.config.connectionTimeToLive: must be longer than zero']],
    [{ soTimeout: 10 }, ["value handler.config.soTimeout: must be a duration such as '10 seconds', not a number"]],
    [{ waitQueueSize: -1 }, ['value handler.config.waitQueueSize: must be at least 0, not -1']],
    [
      { websocket: { enabled: 'perhaps' } },
      ["value handler.config.websocket.enabled: must be true or false, not 'perhaps'"],
    ],
    [
      { websocket: { enable: true } },
      ["unknown-field handler.config.websocket.enable: there is no field 'enable' here"],
    ],
    [{ protocolVersion: 'HTTP/2', http2PriorKnowledge: true, stateTrackingEnabled: false }, []],
    [
      { protocolVersion: 'HTTP/3' },
      ["value handler.config.protocolVersion: must be one of HTTP/2, HTTP/1.1, not 'HTTP/3'"],
    ],
    [{ http2PriorKnowledge: true }, [moot('http2PriorKnowledge', "'protocolVersion' is not 'HTTP/2'")]],
    [
      { protocolVersion: 'HTTP/1.1', http2PriorKnowledge: true },
      [moot('http2PriorKnowledge', "'protocolVersion' is not 'HTTP/2'")],
    ],
    [{ numberOfWorkers: 2 }, [moot('numberOfWorkers', 'event loops send requests, and `gatewayUnits` says how many')]],
    [{ asyncBehavior: 'STREAMING' }, []],
    [{ asyncBehavior: 'non_Streaming' }, []],
    [
      { asyncBehavior: 'half' },
      ["value handler.config.asyncBehavior: must be one of streaming, non_streaming, not 'half'"],
    ],
    [{ propagateDisconnection: false }, []],
    [
      { disableRetries: true },
      [
        moot(
          'disableRetries',
          'a request is sent once more only when a kept connection turns out to be closed and repeating it is safe',
        ),
      ],
    ],
    [{ websocket: { tls: 'x' } }, [missing('websocket.tls')]],
    [{ tls: 'x' }, [missing('tls')]],
    ...['keyManager', 'trustManager'].map(
      (field) => [{ [field]: 'x' }, [old(field, "'tls' with a ClientTlsOptions"), missing(field)]] as const,
    ),
    [
      { hostnameVerifier: 'x' },
      [
        "value handler.config.hostnameVerifier: must be one of STRICT, ALLOW_ALL, not 'x'",
        old('hostnameVerifier', "'hostnameVerifier' of a ClientTlsOptions"),
      ],
    ],
    [{ connectionTimeout: 'unlimited', soTimeout: 'unlimited', connectionTimeToLive: '1 minute' }, []],
    [
      { connectionTimeout: 'zero', soTimeout: 'disabled', websocket: { connectionTimeout: '0 s', soTimeout: 'zero' } },
      [],
    ],
  ] as const)('with %j have the expected problems', (config, problems) => {
    for (const type of ['ReverseProxyHandler', 'ClientHandler']) {
      expect(problemsOf({ type, config: config as JsonObject })).toEqual(problems);
    }
  });
});
