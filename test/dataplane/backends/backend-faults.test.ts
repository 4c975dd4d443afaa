import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { clock } from '../../../dataplane/engine/wire/clock.ts';
import { COUNTER, counters, readCounters } from '../../../dataplane/engine/wire/counters.ts';
import { startFullListener } from '../../support/backends/full-listener.ts';
import {
  eachRequest,
  plainAnswer,
  type Script,
  ScriptedBackend,
  type ScriptedPeer,
} from '../../support/backends/scripted-backend.ts';
import { ask, refusalOf } from '../../support/clients/answers.ts';
import { untilTrue } from '../../support/clients/event-loop.ts';
import { parseAnswers, RawClient } from '../../support/clients/raw-client.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { send, serve } from '../../support/gateways/served.ts';
import { StoppedClock } from '../../support/gateways/stopped-clock.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const good = eachRequest(({ target }) => plainAnswer(`answer to ${target}`));

/** Something goes wrong on the first connection; all others are good. */
const atFirst =
  (fault: (peer: ScriptedPeer) => void | Promise<void>): Script =>
  (peer) =>
    peer.index === 0 ? fault(peer) : good(peer);

const afterHead =
  (bytes: string, then: (peer: ScriptedPeer) => void): Script =>
  async (peer) => {
    await peer.head();
    peer.send(bytes);
    then(peer);
  };

const refusalCounts = (): Map<string, number> => new Map(readCounters([counters.block]).refusals);
let before = new Map<string, number>();

beforeEach(() => {
  before = refusalCounts();
});

/** The refusals that were counted in this test, each as often as it was. */
function counted(): Record<string, number> {
  const changes = [...refusalCounts()].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(changes.filter(([, count]) => count > 0));
}

afterEach(async () => {
  await untilTrue(() => counters.block[COUNTER.backendConnectionsOpen] === 0);
  expect(counters.block[COUNTER.backendWaiting]).toBe(0);
});

const UPLOAD = 'x'.repeat(3_000_000);
const SO_TIMEOUT = 5000;
const soTimeout = `${SO_TIMEOUT} ms`;
/** Time passes for the backend only: a client that uploads while the clock jumps is not slow. */
const limits = { bodyRate: 0, readRate: 0 };

/** A backend with a fault on its first connection, and a promise that settles when the fault has happened. */
async function startFaulty(fault: Script): Promise<{ app: ScriptedBackend; happened: Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const script = atFirst(async (peer) => {
    await fault(peer);
    resolve();
  });
  const app = await ScriptedBackend.start(script);
  onTestFinished(() => app.close());
  return { app, happened: promise };
}

describe.each([
  ['streaming', true],
  ['non_streaming', false],
])('%s', (asyncBehavior, streams) => {
  it.each<[string, string, Script, string]>([
    ['closed before the answer', '', afterHead('', (peer) => peer.close()), 'backend-closed'],
    ['reset before the answer', '', afterHead('', (peer) => peer.reset()), 'backend-closed'],
    ['ended before the answer', '', afterHead('', (peer) => peer.end()), 'backend-closed'],
    ['closed in the head', '', afterHead('HTTP/1.1 200 OK\r\nX-H', (peer) => peer.close()), 'backend-closed'],
    ['never answers', '', afterHead('', () => {}), 'backend-timeout'],
    ['silent in the head', '', afterHead('HTTP/1.1 200 OK\r\nX-H', () => {}), 'backend-timeout'],
    ['not HTTP', '', afterHead('SSH-2.0-x\r\n\r\n', () => {}), 'backend-malformed'],
    ['a head without end', '', afterHead(`${OK}X: ${'y'.repeat(100_000)}`, () => {}), 'backend-head-too-large'],
    ['another protocol', '', afterHead('HTTP/1.1 101 Sure\r\nUpgrade: x\r\n\r\n', () => {}), 'backend-upgrade'],
    ['closed in the request', UPLOAD, afterHead('', (peer) => peer.close()), 'backend-closed'],
    ['reset in the request', UPLOAD, afterHead('', (peer) => peer.reset()), 'backend-closed'],
    ['does not read', UPLOAD, (peer) => void peer.take(), 'backend-timeout'],
  ])('a faulty backend gives 502: %s', async (_case, body, fault, refusal) => {
    const { app, happened } = await startFaulty(fault);
    const gateway = await serve({ type: 'ReverseProxyHandler', config: { asyncBehavior, soTimeout } }, [], { limits });
    onTestFinished(() => gateway.configuration.close());
    const time = new StoppedClock();
    const host = [`Host: 127.0.0.1:${app.port}`];
    const sent = send(gateway, body === '' ? 'GET /1' : 'POST /1', host, body);
    await happened;
    const answer = await (refusal === 'backend-timeout' ? time.passUntil(sent, SO_TIMEOUT) : sent);
    expect([answer.status, refusalOf(answer)]).toEqual([502, refusal]);
    expect(gateway.finished).toMatchObject([{ status: 502, refusal }]);
    expect(counted()).toEqual({ [refusal]: 1 });
    const backend = `127.0.0.1:${app.port}`;
    expect(gateway.logged).toMatchObject([{ level: 40, refusal, backend, object: expect.any(String) }]);
    expect(gateway.logged[0]!['reason']).toEqual(expect.any(String));
    await app.peers[0]!.untilClosed();
    expect(await send(gateway, 'GET /2', host)).toMatchObject({ status: 200, body: 'answer to /2' });
    expect(app.connections).toBe(2);
    gateway.configuration.close();
  });

  it.each<[string, Script, string]>([
    ['closed in the answer', afterHead(`${OK}Content-Length: 6\r\n\r\nabc`, (peer) => peer.close()), 'backend-cut'],
    ['reset in the answer', afterHead(`${OK}Content-Length: 6\r\n\r\nabc`, (peer) => peer.reset()), 'backend-cut'],
    ['silent in the answer', afterHead(`${OK}Content-Length: 6\r\n\r\nabc`, () => {}), 'backend-timeout'],
  ])('a started answer is cut off: %s', async (_case, fault, refusal) => {
    const { app, happened } = await startFaulty(fault);
    const gateway = await serve({ type: 'ReverseProxyHandler', config: { asyncBehavior, soTimeout } }, [], { limits });
    const time = new StoppedClock();
    const client = await RawClient.connect(gateway.port);
    client.send(`GET /1 HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nConnection: close\r\n\r\n`);
    await happened;
    const closed = client.untilClosed();
    const text = await (refusal === 'backend-timeout' ? time.passUntil(closed, SO_TIMEOUT) : closed);
    if (streams) expect(() => parseAnswers(text)).toThrow(/half/);
    else expect(parseAnswers(text).map((answer) => [answer.status, refusalOf(answer)])).toEqual([[502, refusal]]);
    await untilTrue(() => gateway.finished.length === 1);
    expect(gateway.finished).toMatchObject([{ status: streams ? 200 : 502, refusal }]);
    expect(counted()).toEqual({ [refusal]: 1 });
    expect(gateway.logged).toMatchObject([{ level: 40, refusal, backend: `127.0.0.1:${app.port}` }]);
    expect((await send(gateway, 'GET /2', [`Host: 127.0.0.1:${app.port}`])).status).toBe(200);
    gateway.configuration.close();
  });

  it('closed while idle: no request fails', async () => {
    const app = await ScriptedBackend.start(good);
    onTestFinished(() => app.close());
    const gateway = await serve({ type: 'ReverseProxyHandler', config: { asyncBehavior } });
    const host = [`Host: 127.0.0.1:${app.port}`];
    for (let i = 0; i < 3; i++) {
      expect((await send(gateway, `GET /${i}`, host)).status).toBe(200);
      app.peers[i]!.close();
      await untilTrue(() => counters.block[COUNTER.backendConnectionsOpen] === 0);
    }
    expect(gateway.logged).toEqual([]);
    expect(counted()).toEqual({});
  });
});

describe('connecting', () => {
  it('a backend that never accepts times out', async () => {
    const full = await startFullListener();
    onTestFinished(() => full.close());
    const gateway = await serve({ type: 'ReverseProxyHandler', config: { connectionTimeout: '100 ms' } });
    const answer = await send(gateway, 'GET /', [`Host: 127.0.0.1:${full.port}`]);
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-connect-timeout']);
    expect(counted()).toEqual({ 'backend-connect-timeout': 1 });
  });

  it('a backend that is started late', async () => {
    const app = await ScriptedBackend.start(good);
    const { port } = app;
    await app.close();
    const gateway = await serve({ type: 'ReverseProxyHandler' });
    const refused = await send(gateway, 'GET /', [`Host: 127.0.0.1:${port}`]);
    expect([refused.status, refusalOf(refused)]).toEqual([502, 'backend-connect']);
    expect(counted()).toEqual({ 'backend-connect': 1 });
    const again = await ScriptedBackend.start(good, { port, host: '127.0.0.1' });
    onTestFinished(() => again.close());
    expect((await send(gateway, 'GET /', [`Host: 127.0.0.1:${port}`])).status).toBe(200);
    gateway.configuration.close();
  });

  it('a name that stops to resolve keeps its addresses; one that never did is refused until it does', async () => {
    const app = await ScriptedBackend.start(good);
    onTestFinished(() => app.close());
    let known = false;
    const lookup = (): Promise<readonly string[]> =>
      known ? Promise.resolve(['127.0.0.1']) : Promise.reject(new Error('nobody knows it'));
    const destination = { host: 'moving.example', port: app.port };
    const gateway = await startGateway({ backend: { destination, reuse: false, lookup } });
    onTestFinished(() => gateway.close());
    const get = () => ask(gateway.port, 'GET / HTTP/1.1\r\nHost: x\r\n');
    const refused = await get();
    expect([refused.status, refusalOf(refused)]).toEqual([502, 'backend-address']);
    known = true;
    expect((await get()).status).toBe(200);
    known = false;
    clock.now += 6000;
    expect((await get()).status).toBe(200);
    expect(counted()).toEqual({ 'backend-address': 1 });
  });
});

describe('the log', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
  });

  it('logs the first failure of a cause at once and the others together', async () => {
    const gateway = await serve({ type: 'ReverseProxyHandler' });
    for (let i = 0; i < 5; i++) await send(gateway, 'GET /', ['Host: 127.0.0.1:1']);
    await send(gateway, 'GET /', ['Host: no.such.host.invalid']);
    gateway.configuration.close();
    await untilTrue(() => gateway.logged.length === 3);
    expect(gateway.logged).toMatchObject([
      { refusal: 'backend-connect', backend: '127.0.0.1:1' },
      { refusal: 'backend-address', backend: 'no.such.host.invalid:80' },
      { refusal: 'backend-connect', backend: '127.0.0.1:1', leftOut: 3 },
    ]);
    expect(gateway.logged[0]).not.toHaveProperty('leftOut');
  });

  it('logs backends separately, up to a limit', async () => {
    const gateway = await serve({ type: 'ReverseProxyHandler' });
    for (let port = 1; port <= 19; port++) await send(gateway, 'GET /', [`Host: no.such.host.invalid:${port}`]);
    gateway.configuration.close();
    await untilTrue(() => gateway.logged.length >= 18);
    expect(gateway.logged.map(({ backend, leftOut }) => [backend, leftOut])).toEqual([
      ...Array.from({ length: 17 }, (_, i) => [`no.such.host.invalid:${i + 1}`, undefined]),
      ['no.such.host.invalid:19', 1],
    ]);
  });

  it('logs the remaining failures after a second', async () => {
    const gateway = await serve({ type: 'ReverseProxyHandler' });
    for (let i = 0; i < 3; i++) await send(gateway, 'GET /', ['Host: 127.0.0.1:1']);
    expect(gateway.logged.length).toBe(1);
    vi.advanceTimersByTime(1000);
    expect(gateway.logged.length).toBe(2);
    expect(gateway.logged[1]).toMatchObject({ refusal: 'backend-connect', leftOut: 1 });
  });
});

describe('propagateDisconnection', () => {
  async function leave(config: JsonObject): Promise<ScriptedBackend> {
    const left = Promise.withResolvers<void>();
    const app = await ScriptedBackend.start(
      eachRequest(async (_request, peer) => {
        if (peer.index === 0) await left.promise;
        return `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
      }),
    );
    onTestFinished(() => app.close());
    const gateway = await serve({ type: 'ReverseProxyHandler', config });
    const client = await RawClient.connect(gateway.port);
    client.send(`GET /1 HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\n\r\n`);
    await app.until(() => app.requests.length === 1);
    client.socket.resetAndDestroy();
    await untilTrue(() => gateway.finished.length === 1);
    left.resolve();
    if (config['propagateDisconnection'] !== false) await app.peers[0]!.untilClosed();
    expect((await send(gateway, 'GET /2', [`Host: 127.0.0.1:${app.port}`])).body).toBe('abc');
    gateway.configuration.close();
    return app;
  }

  it.each([[{}], [{ propagateDisconnection: true }]])('%j: the call ends with its client', async (config) => {
    expect((await leave(config)).connections).toBe(2);
  });

  it.each(['streaming', 'non_streaming'])(
    'false: the call continues after the client disconnected, %s',
    async (asyncBehavior) => {
      const app = await leave({ propagateDisconnection: false, asyncBehavior, connections: 1 });
      expect(app.connections).toBe(1);
    },
  );

  it.each(['streaming', 'non_streaming'])('false: not for ever, %s', async (asyncBehavior) => {
    const left = Promise.withResolvers<void>();
    const app = await ScriptedBackend.start(
      eachRequest(async (_request, peer) => {
        if (peer.index > 0) return `${OK}Content-Length: 3\r\n\r\nabc`;
        await left.promise;
        const dripping = setInterval(() => peer.send('1\r\nx\r\n'), 20);
        peer.socket.on('close', () => clearInterval(dripping));
        return `${OK}Transfer-Encoding: chunked\r\n\r\n`;
      }),
    );
    onTestFinished(() => app.close());
    const config = { propagateDisconnection: false, asyncBehavior, connections: 1, soTimeout };
    const gateway = await serve({ type: 'ReverseProxyHandler', config });
    const time = new StoppedClock();
    const client = await RawClient.connect(gateway.port);
    client.send(`GET /1 HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\n\r\n`);
    await app.until(() => app.requests.length === 1);
    client.socket.resetAndDestroy();
    await untilTrue(() => gateway.finished.length === 1);
    left.resolve();
    await time.passUntil(app.peers[0]!.untilClosed(), SO_TIMEOUT);
    expect((await send(gateway, 'GET /2', [`Host: 127.0.0.1:${app.port}`])).body).toBe('abc');
    gateway.configuration.close();
  });
});
