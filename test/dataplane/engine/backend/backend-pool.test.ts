import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { COUNTER, counters } from '../../../../dataplane/engine/wire/counters.ts';
import { startFullListener } from '../../../support/backends/full-listener.ts';
import { eachRequest, plainAnswer, type Script } from '../../../support/backends/scripted-backend.ts';
import { refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { untilTrue } from '../../../support/clients/event-loop.ts';
import type { RawAnswer, RawClient } from '../../../support/clients/raw-client.ts';
import { get, type ProxiedBackend, startProxiedBackend } from '../../../support/gateways/proxied-backend.ts';

const usual = eachRequest((request) => plainAnswer(`for ${request.target}`));
const waiting = (): number => counters.block[COUNTER.backendWaiting]!;

/** Answers each request when the test lets it. */
class Held {
  private readonly waiting = new Map<string, (bytes: string) => void>();
  readonly script: Script = eachRequest(
    (request) => new Promise<string>((resolve) => this.waiting.set(request.target, resolve)),
  );

  release(target: string): void {
    this.waiting.get(target)!(plainAnswer(`for ${target}`));
  }
}

async function ask(pair: ProxiedBackend, target: string): Promise<RawAnswer> {
  const client = await pair.client();
  client.send(get(target));
  return (await untilAnswers(client, 1))[0]!;
}

/** Sends a request and returns when the backend has it. */
async function askAndReach(pair: ProxiedBackend, target: string): Promise<RawClient> {
  const client = await pair.client();
  client.send(get(target));
  await pair.backend.until(() => pair.backend.requests.some((request) => request.target === target));
  return client;
}

/** Sends a request that has to wait for a connection, and returns when it waits. */
async function askAndWait(pair: ProxiedBackend, target: string): Promise<RawClient> {
  const client = await pair.client();
  const before = waiting();
  client.send(get(target));
  await untilTrue(() => waiting() > before);
  return client;
}

describe('reuse', () => {
  it('serves sequential clients on one connection', async () => {
    const pair = await startProxiedBackend(usual);
    const client = await pair.client();
    for (let i = 0; i < 5; i++) {
      client.send(get(`/same/${i}`));
      expect((await untilAnswers(client, i + 1)).at(-1)!.body).toBe(`for /same/${i}`);
      expect((await ask(pair, `/other/${i}`)).body).toBe(`for /other/${i}`);
    }
    expect(pair.backend.connections).toBe(1);
  });

  it('reuses the most recently used connection, so that idle ones expire', async () => {
    const held = new Held();
    const pair = await startProxiedBackend(held.script);
    const clients = [await askAndReach(pair, '/0'), await askAndReach(pair, '/1')];
    for (const [i, client] of clients.entries()) {
      held.release(`/${i}`);
      await untilAnswers(client, 1);
    }
    clients[0]!.send(get('/next'));
    await pair.backend.until(() => pair.backend.requests.length === 3);
    pair.backend.peers[1]!.send(plainAnswer('on the second'));
    expect((await untilAnswers(clients[0]!, 2))[1]!.body).toBe('on the second');
    expect(pair.backend.connections).toBe(2);
  });

  it.each([
    ['an answer that says close', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx', 2],
    ['close among others', 'HTTP/1.1 200 OK\r\nConnection: x-a, Close\r\nContent-Length: 1\r\n\r\nx', 2],
    [
      'close in a second line',
      'HTTP/1.1 200 OK\r\nConnection: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx',
      2,
    ],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx', 2],
    ['HTTP/1.0 with keep-alive', 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx', 1],
    ['HTTP/1.1', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx', 1],
    ['a 204', 'HTTP/1.1 204 No Content\r\n\r\n', 1],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n', 1],
  ])('follows the answer: %s', async (_case, answer, connections) => {
    const pair = await startProxiedBackend(eachRequest(() => answer));
    const client = await pair.client();
    for (let i = 1; i < 4; i++) {
      client.send(get('/'));
      await untilAnswers(client, i);
      if (connections > 1) await pair.backend.peers.at(-1)!.untilClosed();
    }
    expect(pair.backend.connections).toBe(connections > 1 ? 3 : 1);
  });

  it('opens a new one when the backend closed the last one after its answer', async () => {
    const pair = await startProxiedBackend(
      eachRequest((_request, peer) => {
        peer.send(plainAnswer(`on ${peer.index}`));
        peer.close();
        return undefined;
      }),
    );
    const client = await pair.client();
    for (let i = 0; i < 20; i++) {
      client.send(get('/'));
      expect((await untilAnswers(client, i + 1)).at(-1)).toMatchObject({ status: 200, body: `on ${i}` });
    }
  });

  it('is disabled by configuration, and the backend gets Connection: close', async () => {
    const pair = await startProxiedBackend(usual, { backend: { reuse: false } });
    const client = await pair.client();
    for (let i = 0; i < 3; i++) {
      client.send(get('/'));
      await untilAnswers(client, i + 1);
      await pair.backend.peers[i]!.untilClosed();
    }
    expect(pair.backend.connections).toBe(3);
    for (const request of pair.backend.requests) expect(request.headers).toContainEqual(['connection', 'close']);
  });

  it('ends with the time to live', async () => {
    const pair = await startProxiedBackend(usual, { backend: { timeToLive: 5 } });
    await ask(pair, '/first');
    const since = performance.now();
    await untilTrue(() => performance.now() - since > 10);
    await ask(pair, '/second');
    expect(pair.backend.connections).toBe(2);
    await pair.backend.peers[0]!.untilClosed();
  });

  it('ends with the time to live under load too', async () => {
    const held = new Held();
    const pair = await startProxiedBackend(held.script, { backend: { timeToLive: 5, connections: 1 } });
    const first = await askAndReach(pair, '/first');
    const second = await askAndWait(pair, '/second');
    const since = performance.now();
    await untilTrue(() => performance.now() - since > 10);
    held.release('/first');
    await untilAnswers(first, 1);
    await pair.backend.until(() => pair.backend.requests.length === 2);
    held.release('/second');
    expect((await untilAnswers(second, 1))[0]!.body).toBe('for /second');
    expect(pair.backend.connections).toBe(2);
  });

  it('ends with the idle time-out', async () => {
    const pair = await startProxiedBackend(usual, { backend: { idleTimeout: 100 } });
    await ask(pair, '/first');
    await pair.backend.peers[0]!.untilClosed();
    expect((await ask(pair, '/second')).body).toBe('for /second');
    expect(pair.backend.connections).toBe(2);
  });

  it('closes an unused connection after the idle timeout', async () => {
    const pair = await startProxiedBackend(usual, {
      backend: { idleTimeout: 100 },
      handler: (backend) => (exchange) => {
        void backend(exchange);
        return textResponse(200, 'from the filter');
      },
    });
    expect((await ask(pair, '/')).body).toBe('from the filter');
    await pair.backend.until(() => pair.backend.connections === 1);
    await pair.backend.peers[0]!.untilClosed();
    expect(pair.backend.requests).toEqual([]);
  });
});

describe('the size of the pool', () => {
  it('limits the connections and serves waiting requests in order', async () => {
    const held = new Held();
    const pair = await startProxiedBackend(held.script, { backend: { connections: 2 } });
    const clients: RawClient[] = [];
    for (let i = 0; i < 8; i++) clients.push(await (i < 2 ? askAndReach : askAndWait)(pair, `/${i}`));
    for (let i = 0; i < 8; i++) {
      await pair.backend.until(() => pair.backend.requests.some((request) => request.target === `/${i}`));
      held.release(`/${i}`);
      expect((await untilAnswers(clients[i]!, 1))[0]!.body).toBe(`for /${i}`);
    }
    expect(pair.backend.requests.map((request) => request.target)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `/${i}`),
    );
    expect(pair.backend.connections).toBe(2);
  });

  it('queues as many requests as the limit allows and rejects the next at once', async () => {
    const held = new Held();
    const pair = await startProxiedBackend(held.script, { backend: { connections: 1, waiting: 2 } });
    const first = await askAndReach(pair, '/first');
    const second = await askAndWait(pair, '/second');
    const third = await askAndWait(pair, '/third');
    const refused = await ask(pair, '/fourth');
    expect(refused.status).toBe(503);
    expect(refusalOf(refused)).toBe('backend-queue-full');
    for (const [target, client] of [
      ['/first', first],
      ['/second', second],
      ['/third', third],
    ] as const) {
      await pair.backend.until(() => pair.backend.requests.some((request) => request.target === target));
      held.release(target);
      expect((await untilAnswers(client, 1))[0]!.body).toBe(`for ${target}`);
    }
    expect(pair.backend.requests).toHaveLength(3);
  });

  it('does not count a request with its own connection as waiting', async () => {
    const held = new Held();
    const pair = await startProxiedBackend(held.script, { backend: { connections: 2, waiting: 0 } });
    const clients = [await pair.client(), await pair.client()];
    for (const [i, client] of clients.entries()) client.send(get(`/${i}`));
    await pair.backend.until(() => pair.backend.requests.length === 2);
    expect((await ask(pair, '/third')).status).toBe(503);
    for (const [i, client] of clients.entries()) {
      held.release(`/${i}`);
      expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200 }]);
    }
  });

  it('also applies to requests that wait for an HTTP/2 connection', async () => {
    const full = await startFullListener();
    onTestFinished(() => full.close());
    const pair = await startProxiedBackend(usual, {
      backend: {
        destination: { host: '127.0.0.1', port: full.port },
        http2: 'negotiated',
        connections: 1,
        waiting: 0,
        connectTimeout: 0,
        waitTimeout: 0,
      },
    });
    const clients: RawClient[] = []; // as many as one connection ever carries
    while (clients.length < 256) clients.push(await pair.client());
    for (const one of clients) one.send(get('/'));
    await untilTrue(() => waiting() === 256);
    expect(refusalOf(await ask(pair, '/one-too-many'))).toBe('backend-queue-full');
  });

  it('rejects only requests that waited too long', async () => {
    const held = new Held();
    const pair = await startProxiedBackend(held.script, { backend: { connections: 1, waitTimeout: 150 } });
    const first = await askAndReach(pair, '/first');
    const second = await askAndWait(pair, '/second');
    const [refused] = await untilAnswers(second, 1);
    expect(refused!.status).toBe(503);
    expect(refusalOf(refused!)).toBe('backend-queue-timeout');
    held.release('/first');
    expect((await untilAnswers(first, 1))[0]!.body).toBe('for /first');
    expect(pair.backend.requests).toHaveLength(1);
  });

  it('measures the waiting time of each request separately', async () => {
    const held = new Held();
    const pair = await startProxiedBackend(held.script, {
      backend: { connections: 1, waitTimeout: 600 },
      limits: { headTimeout: 400 },
    });
    const first = await askAndReach(pair, '/first');
    const gone = await askAndWait(pair, '/gone');
    gone.socket.resetAndDestroy();
    const slow = await pair.client();
    slow.send('GET /slow');
    await untilAnswers(slow, 1); // its 408 says that two thirds of the first time-out are over
    const second = await askAndWait(pair, '/second');
    const since = performance.now();
    await untilAnswers(second, 1);
    expect(performance.now() - since).toBeGreaterThan(550);
    held.release('/first');
    await untilAnswers(first, 1);
  });
});

describe('a client that disconnects', () => {
  it('frees its place in the queue', async () => {
    const held = new Held();
    const pair = await startProxiedBackend(held.script, { backend: { connections: 1, waiting: 1 } });
    const first = await askAndReach(pair, '/first');
    for (let i = 0; i < 5; i++) {
      const gone = await askAndWait(pair, `/gone/${i}`);
      gone.socket.resetAndDestroy();
      await untilTrue(() => waiting() === 0);
    }
    const second = await askAndWait(pair, '/second');
    held.release('/first');
    await untilAnswers(first, 1);
    await pair.backend.until(() => pair.backend.requests.length === 2);
    held.release('/second');
    expect((await untilAnswers(second, 1))[0]!.body).toBe('for /second');
    expect(pair.backend.requests.map((request) => request.target)).toEqual(['/first', '/second']);
  });

  it.each([
    ['before the answer', ''],
    ['within the answer', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
  ])('returns its backend connection to the pool %s', async (_case, bytes) => {
    const pair = await startProxiedBackend(
      eachRequest((request) => (request.target === '/gone' ? bytes : plainAnswer(`for ${request.target}`))),
      { backend: { connections: 1 } },
    );
    const gone = await askAndReach(pair, '/gone');
    if (bytes !== '') await gone.until((text) => text.endsWith('half'));
    const next = await askAndWait(pair, '/next');
    gone.socket.resetAndDestroy();
    expect((await untilAnswers(next, 1))[0]!.body).toBe('for /next');
    await pair.backend.peers[0]!.untilClosed();
    expect(pair.gateway.finished[0]).toMatchObject({ path: '/gone', status: bytes === '' ? 499 : 200 });
  });

  it.each([
    ['of known length', 'Content-Length: 10\r\n\r\nhalf', 'half'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', '4\r\nhalf\r\n'],
  ])('during its upload %s never completes the request to the backend', async (_case, request, received) => {
    for (const leave of [
      (client: RawClient) => client.socket.resetAndDestroy(),
      (client: RawClient) => client.destroy(),
      (client: RawClient) => client.finish(),
    ]) {
      const pair = await startProxiedBackend(async (peer) => {
        await peer.head();
      });
      const client = await pair.client();
      client.send(`PUT /half HTTP/1.1\r\nHost: gateway.test\r\n${request}`);
      await pair.backend.until(() => pair.backend.connections === 1);
      const peer = pair.backend.peers[0]!;
      await peer.until((text) => text === received);
      leave(client);
      await peer.untilClosed();
      expect(peer.received).toBe(received);
    }
  });

  it('is served after a half-close, if half-close is allowed', async () => {
    const held = new Held();
    const pair = await startProxiedBackend(held.script, {
      backend: { connections: 1 },
      limits: { halfClose: true },
    });
    const first = await askAndReach(pair, '/first');
    const second = await askAndWait(pair, '/second');
    second.finish();
    held.release('/first');
    await untilAnswers(first, 1);
    await pair.backend.until(() => pair.backend.requests.length === 2);
    held.release('/second');
    expect((await untilAnswers(second, 1))[0]!.body).toBe('for /second');
    await second.untilClosed();
  });
});

describe('connecting', () => {
  it('answers 502 when the backend port is closed', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const pair = await startProxiedBackend(usual, { backend: { destination: { host: '127.0.0.1', port } } });
    const answers = await Promise.all([ask(pair, '/a'), ask(pair, '/b'), ask(pair, '/c')]);
    for (const answer of answers) {
      expect(answer.status).toBe(502);
      expect(refusalOf(answer)).toBe('backend-connect');
    }
  });

  it.each([
    ['the time to wait is longer', 10_000],
    ['the time to wait is the same', 200],
    ['the time to wait is off', 0],
  ])('answers 502 when the backend does not accept and %s', async (_case, waitTimeout) => {
    const full = await startFullListener();
    onTestFinished(() => full.close());
    const pair = await startProxiedBackend(usual, {
      backend: { destination: { host: '127.0.0.1', port: full.port }, connectTimeout: 200, waitTimeout },
    });
    for (const answer of await Promise.all([ask(pair, '/a'), ask(pair, '/b')])) {
      expect(answer.status).toBe(502);
      expect(refusalOf(answer)).toBe('backend-connect-timeout');
    }
  });
});
