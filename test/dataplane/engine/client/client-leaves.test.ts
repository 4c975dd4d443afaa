import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { FLAG } from '../../../../dataplane/engine/frames/frames.ts';
import { type ListenerLimits, listenerLimits } from '../../../../dataplane/engine/head/limits.ts';
import { Response } from '../../../../dataplane/engine/message/response.ts';
import { eachRequest, plainAnswer, type Script, ScriptedBackend } from '../../../support/backends/scripted-backend.ts';
import { untilAnswers } from '../../../support/clients/answers.ts';
import { untilStill, untilTrue } from '../../../support/clients/event-loop.ts';
import { greeting, headersFrame } from '../../../support/clients/frame-client.ts';
import type { Field } from '../../../support/clients/hpack-blocks.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { secureSocket } from '../../../support/clients/secure-client.ts';
import { startGateway, type TestGateway, type TestGatewayOptions } from '../../../support/gateways/gateway.ts';
import { startSecure } from '../../../support/gateways/secure-gateway.ts';
import { send, serve } from '../../../support/gateways/served.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';
import { changingKeys } from '../../../support/identity/changing-tls-secrets.ts';

const own = certificateAuthority('servers').issue({ names: ['gateway.test'] });
const GET = 'GET /slow HTTP/1.1\r\nHost: gateway.test\r\n\r\n';
/** Nothing but the client ends a call. */
const PATIENT = { responseTimeout: 0, waitTimeout: 0 };
const LEFT = [{ status: 499, path: '/slow' }];

/** One protocol of clients: starts a gateway, asks for something there, and closes its connection in order. */
interface Front {
  start(options: TestGatewayOptions): Promise<TestGateway>;
  /** Asks; the returned function leaves with FIN alone, as a client does that calls `close`. */
  ask(port: number): Promise<() => void>;
}

async function clear(options: TestGatewayOptions): Promise<TestGateway> {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
}

const secure = (options: TestGatewayOptions): Promise<TestGateway> =>
  startSecure({ keys: [changingKeys(own).manager], ...options });

function quiet<S extends Socket>(socket: S): S {
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function askInClear(port: number, bytes: string | Buffer): Promise<() => void> {
  const socket = quiet(connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
  await once(socket, 'connect');
  socket.write(bytes);
  return () => socket.end();
}

function getHttp2(scheme: string): Buffer {
  const fields: Field[] = [
    [':method', 'GET'],
    [':scheme', scheme],
    [':path', '/slow'],
    [':authority', 'gateway.test'],
  ];
  return Buffer.concat([greeting(), headersFrame(1, fields, FLAG.END_HEADERS | FLAG.END_STREAM)]);
}

async function askSecurely(port: number, protocol: string, bytes: string | Buffer): Promise<() => void> {
  const socket = quiet(await secureSocket(port, { rejectUnauthorized: false, ALPNProtocols: [protocol] }));
  socket.resume(); // an end that waits behind unread bytes is not seen
  socket.write(bytes);
  return () => socket.end();
}

const FRONTS: readonly (readonly [string, Front])[] = [
  ['HTTP/1.1', { start: clear, ask: (port) => askInClear(port, GET) }],
  ['HTTP/1.0', { start: clear, ask: (port) => askInClear(port, 'GET /slow HTTP/1.0\r\nHost: gateway.test\r\n\r\n') }],
  ['HTTP/1.1 over TLS', { start: secure, ask: (port) => askSecurely(port, 'http/1.1', GET) }],
  ['HTTP/2', { start: clear, ask: (port) => askInClear(port, getHttp2('http')) }],
  ['HTTP/2 over TLS', { start: secure, ask: (port) => askSecurely(port, 'h2', getHttp2('https')) }],
];

async function backend(script: Script): Promise<ScriptedBackend> {
  const app = await ScriptedBackend.start(script);
  onTestFinished(() => app.close());
  return app;
}

/** A backend that never answers `/slow`. */
const slow: Script = eachRequest(({ target }) => (target === '/slow' ? undefined : plainAnswer('quick')));

describe.each(FRONTS)('a client of %s that closes its connection', (_name, front) => {
  it('ends the call to the backend, whose connection the next client gets', async () => {
    const app = await backend(slow);
    const gateway = await front.start({ backend: { destination: app.destination, ...PATIENT, connections: 1 } });
    const leave = await front.ask(gateway.port);
    await app.until(() => app.requests.length === 1);
    leave();
    await app.peers[0]!.untilClosed();
    await untilTrue(() => gateway.finished.length === 1);
    expect(gateway.finished).toMatchObject(LEFT);
  });

  it('frees its place in the queue for a backend connection', async () => {
    const app = await backend(slow);
    const gateway = await front.start({
      backend: { destination: app.destination, ...PATIENT, connections: 1, waiting: 1 },
    });
    const first = await front.ask(gateway.port);
    await app.until(() => app.requests.length === 1);
    const second = await front.ask(gateway.port);
    await untilStill(() => app.requests.length, 50);
    second();
    await untilTrue(() => gateway.finished.length === 1);
    first();
    await untilTrue(() => gateway.finished.length === 2);
    expect(gateway.finished).toMatchObject([...LEFT, ...LEFT]);
    expect(app.requests).toHaveLength(1);
  });

  it('keeps a request from being sent that a filter still thinks about', async () => {
    const app = await backend(slow);
    const decided = Promise.withResolvers<void>();
    let passed = 0;
    const gateway = await front.start({
      backend: { destination: app.destination, ...PATIENT },
      handler: (next) => async (exchange) => {
        await decided.promise;
        passed++;
        return next(exchange);
      },
    });
    const leave = await front.ask(gateway.port);
    leave();
    await untilTrue(() => gateway.finished.length === 1);
    decided.resolve();
    await untilTrue(() => passed === 1);
    await untilStill(() => app.connections, 50);
    expect(app.requests).toHaveLength(0);
    expect(gateway.finished).toMatchObject(LEFT);
  });

  it('ends an answer that is being streamed', async () => {
    const app = await backend(eachRequest(() => 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n'));
    const gateway = await front.start({ backend: { destination: app.destination, ...PATIENT } });
    const leave = await front.ask(gateway.port);
    await app.until(() => app.requests.length === 1);
    await untilStill(() => gateway.finished.length, 50);
    leave();
    await app.peers[0]!.untilClosed();
    await untilTrue(() => gateway.finished.length === 1);
  });

  it('ends an answer that a filter streams', async () => {
    const over = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const gateway = await front.start({
      handler: () => () => {
        const response = new Response(200);
        response.entity.setStream(
          (async function* () {
            try {
              for (;;) {
                yield Buffer.from('some');
                begun.resolve();
                await new Promise((resolve) => setImmediate(resolve));
              }
            } finally {
              over.resolve();
            }
          })(),
        );
        return response;
      },
    });
    const leave = await front.ask(gateway.port);
    await begun.promise;
    leave();
    await over.promise;
    await untilTrue(() => gateway.finished.length === 1);
  });
});

describe.each(['streaming', 'non_streaming'])('a client whose answer is %s', (asyncBehavior) => {
  async function asked(script: Script, config: JsonObject = {}) {
    const app = await backend(script);
    const gateway = await serve({
      type: 'ReverseProxyHandler',
      config: { asyncBehavior, soTimeout: '1 hour', ...config },
    });
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send(`GET /slow HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\n\r\n`);
    await app.until(() => app.requests.length === 1);
    return { app, gateway, client };
  }

  it.each([
    ['before it begins', ''],
    ['after half of it', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
  ])('ends the call by FIN %s', async (_when, bytes) => {
    const { app, gateway, client } = await asked(eachRequest(() => bytes));
    await untilStill(() => client.bytes.length, 50);
    client.finish();
    await app.peers[0]!.untilClosed();
    await untilTrue(() => gateway.finished.length === 1);
  });

  it('leaves the only connection of the route to the next client', async () => {
    const { app, gateway, client } = await asked(slow, { connections: 1 });
    client.finish();
    const answer = await send(gateway, 'GET /quick', [`Host: 127.0.0.1:${app.port}`]);
    expect(answer).toMatchObject({ status: 200, body: 'quick' });
  });

  it('ends the time before a request is sent again', async () => {
    const retries = { condition: '${response.status.code == 500}', count: 5, delay: '1 hour' };
    const { gateway, client } = await asked(
      eachRequest(() => plainAnswer('no', '500 No')),
      { retries },
    );
    client.finish();
    await untilTrue(() => gateway.finished.length === 1);
    expect(gateway.finished).toMatchObject(LEFT);
  });
});

describe('requests that were sent ahead of FIN', () => {
  async function ahead(limits: Partial<ListenerLimits>) {
    const app = await backend(eachRequest(({ target }) => plainAnswer(target)));
    const gateway = await clear({ backend: { destination: app.destination }, limits });
    const client = await RawClient.connect(gateway.port);
    client.send(['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`).join(''));
    client.finish();
    await client.untilClosed();
    return { app, gateway, client };
  }

  it('are not answered by default', async () => {
    expect(listenerLimits.parse({}).halfClose).toBe(false);
    const { client, app } = await ahead({});
    expect(client.text).toBe('');
    expect(app.requests.map(({ target }) => target)).not.toContain('/2');
  });

  it('are answered where clients may close their side alone', async () => {
    const { client } = await ahead({ halfClose: true });
    const bodies = (await untilAnswers(client, 3)).map(({ body }) => body);
    expect(bodies).toEqual(['/1', '/2', '/3']);
  });

  it('do not lose a response that was ready before', async () => {
    const gateway = await clear({
      handler: () => (exchange) =>
        exchange.request.uri.path === '/now' ? new Response(204) : new Promise<Response>(() => {}),
    });
    const client = await RawClient.connect(gateway.port);
    client.send('GET /now HTTP/1.1\r\nHost: h\r\n\r\nGET /never HTTP/1.1\r\nHost: h\r\n\r\n');
    client.finish();
    await client.untilClosed();
    expect((await untilAnswers(client, 1)).map(({ status }) => status)).toEqual([204]);
    expect(gateway.finished.map(({ status }) => status)).toEqual([204, 499]);
  });
});
