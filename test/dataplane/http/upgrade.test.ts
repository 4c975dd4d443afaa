import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { COUNTER, counters } from '../../../dataplane/http/counters.ts';
import type { Next } from '../../../dataplane/http/exchange.ts';
import { textResponse } from '../../../dataplane/http/response.ts';
import { refusalOf, untilAnswers } from '../../support/answers.ts';
import { BytePattern, PatternCheck, readPattern, writePattern } from '../../support/byte-pattern.ts';
import { nextTurn, untilStill, untilTrue } from '../../support/event-loop.ts';
import {
  get,
  type ProxiedBackend,
  type ProxiedBackendOptions,
  startProxiedBackend,
} from '../../support/proxied-backend.ts';
import type { RawClient } from '../../support/raw-client.ts';
import { eachRequest, plainAnswer, type Script, type ScriptedPeer } from '../../support/scripted-backend.ts';

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const SWITCH =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n';
const MEBIBYTE = 1 << 20;

/** Lets websockets through. */
const websockets = (options: ProxiedBackendOptions = {}): ProxiedBackendOptions => ({
  ...options,
  backend: { upgrades: ['websocket'], ...options.backend },
});

/** Switches protocols on the first request, then does what the test says. */
const switching =
  (then: (peer: ScriptedPeer) => void | Promise<void>, early = ''): Script =>
  async (peer) => {
    if ((await peer.head()) === null) return;
    peer.send(SWITCH + early);
    await then(peer);
  };

/** What a socket receives, without closing it at the end. */
const unowned = (socket: Socket): AsyncIterable<unknown> => ({
  [Symbol.asyncIterator]: () => socket.iterator({ destroyOnReturn: false }),
});

const tunnels = (): number => counters.block[COUNTER.tunnelsOpen]!;
const afterHead = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);

/** Asks for a websocket and waits for the 101. */
async function upgraded(pair: ProxiedBackend, early = ''): Promise<RawClient> {
  const client = await pair.client();
  client.send(get('/socket', UPGRADE) + early);
  await client.until((text) => text.includes('\r\n\r\n'));
  expect(client.text).toMatch(/^HTTP\/1\.1 101 /);
  return client;
}

/** A filter that needs a while, so that the answer is passed on in a later turn. */
const slowFilter = (next: Next): Next => {
  return async (exchange) => {
    await nextTurn();
    const answer = await next(exchange);
    await nextTurn();
    await nextTurn();
    return answer;
  };
};

describe('the handshake', () => {
  it('reaches the backend as it came and comes back as it should', async () => {
    const heads: string[] = [];
    const pair = await startProxiedBackend(async (peer) => {
      heads.push((await peer.head())!);
      peer.send(SWITCH);
    }, websockets());
    const client = await upgraded(pair);
    expect(client.text.toLowerCase().split('\r\n').sort()).toEqual(SWITCH.toLowerCase().split('\r\n').sort());
    const sent = heads[0]!.toLowerCase();
    expect(sent.match(/^connection: upgrade\r$/gm)).toHaveLength(1);
    expect(sent.match(/^upgrade: websocket\r$/gm)).toHaveLength(1);
    expect(sent).toContain('\r\nsec-websocket-key: dghlihnhbxbszsbub25jzq==\r\n');
    expect(pair.gateway.finished).toMatchObject([{ status: 101, path: '/socket' }]);
    expect(tunnels()).toBe(1);
  });

  it.each([
    ['at once', (): Next => () => textResponse(403, 'not you')],
    ['after a while', (): Next => async () => nextTurn().then(() => textResponse(403, 'not you'))],
  ])('is refused by a filter %s before anything reaches the backend', async (_case, handler) => {
    const pair = await startProxiedBackend(
      switching(() => {}),
      websockets({ handler }),
    );
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 403, body: 'not you' }]);
    expect(pair.backend.connections).toBe(0);
    expect(tunnels()).toBe(0);
    client.send(get('/socket'));
    expect(await untilAnswers(client, 2)).toHaveLength(2);
  });

  it('is refused by a filter that replaces the 101', async () => {
    const handler =
      (backend: Next): Next =>
      async (exchange) => {
        await backend(exchange);
        return textResponse(403, 'not you');
      };
    const pair = await startProxiedBackend(
      switching(() => {}, 'early bytes'),
      websockets({ handler }),
    );
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 403, body: 'not you' }]);
    await pair.backend.peers[0]!.untilClosed();
    expect(client.text).not.toContain('early');
    expect(tunnels()).toBe(0);
  });

  it('may end in an ordinary answer, which leaves both connections usable', async () => {
    const pair = await startProxiedBackend(
      eachRequest((request) => plainAnswer(request.target)),
      websockets(),
    );
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: '/socket' }]);
    client.send(get('/plain'));
    expect((await untilAnswers(client, 2))[1]!.body).toBe('/plain');
    expect(pair.backend.connections).toBe(1);
  });

  it.each([
    ['426 Upgrade Required', 'Upgrade: websocket\r\nConnection: upgrade\r\n'],
    ['400 Bad Request', ''],
  ])('may be refused by the backend with %s', async (status, fields) => {
    const pair = await startProxiedBackend(
      eachRequest(() => plainAnswer('no', status, fields)),
      websockets(),
    );
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: Number(status.slice(0, 3)), body: 'no' }]);
    expect(tunnels()).toBe(0);
  });

  it.each([
    ['h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'],
    ['h2c without naming its settings', 'Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'],
    ['a list with h2c', 'Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n'],
    ['TLS', 'Connection: Upgrade\r\nUpgrade: TLS/1.0\r\n'],
    ['websocket without Connection', 'Upgrade: websocket\r\n'],
    ['websocket with another Connection', 'Connection: keep-alive\r\nUpgrade: websocket\r\n'],
  ])('is not passed on for %s', async (_case, fields) => {
    const pair = await startProxiedBackend(
      eachRequest(() => plainAnswer('plain')),
      websockets(),
    );
    const client = await pair.client();
    client.send(get('/socket', fields));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'plain' }]);
    const names = pair.backend.requests[0]!.headers.map((header) => header[0]);
    for (const name of ['upgrade', 'connection', 'http2-settings']) expect(names).not.toContain(name);
  });

  it('is not passed on where no upgrades are allowed', async () => {
    const pair = await startProxiedBackend(eachRequest(() => plainAnswer('plain')));
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'plain' }]);
    expect(pair.backend.requests[0]!.headers.map((header) => header[0])).not.toContain('upgrade');
  });

  it('is not passed on for an HTTP/1.0 client', async () => {
    const pair = await startProxiedBackend(
      eachRequest(() => plainAnswer('plain')),
      websockets(),
    );
    const client = await pair.client();
    client.send(`GET /socket HTTP/1.0\r\nHost: gateway.test\r\n${UPGRADE}\r\n`);
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'plain' }]);
    expect(pair.backend.requests[0]!.headers.map((header) => header[0])).not.toContain('upgrade');
  });

  it.each([
    ['to another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'],
    ['to no protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n'],
    ['to several', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket, h2c\r\n\r\n'],
  ])('is a 502 when the backend switches %s', async (_case, bytes) => {
    const pair = await startProxiedBackend(
      eachRequest(() => bytes),
      websockets(),
    );
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    const [answer] = await untilAnswers(client, 1);
    expect(answer!.status).toBe(502);
    expect(refusalOf(answer!)).toBe('backend-upgrade');
    await pair.backend.peers[0]!.untilClosed();
  });

  it('carries no length: what follows is not content', async () => {
    const bytes = SWITCH.replace('\r\n\r\n', '\r\nContent-Length: 4\r\n\r\nmore');
    const pair = await startProxiedBackend(async (peer) => {
      await peer.head();
      peer.send(bytes);
    }, websockets());
    const client = await upgraded(pair);
    await client.until((text) => text.endsWith('more'));
    expect(client.text.toLowerCase()).not.toContain('content-length');
  });
});

describe.each([
  ['without filters', undefined],
  ['behind a slow filter', slowFilter],
])('bytes in a tunnel %s', (_name, handler) => {
  const options = websockets(handler === undefined ? {} : { handler });

  it('pass both ways', async () => {
    const pair = await startProxiedBackend(
      switching(async (peer) => {
        for (let i = 0; i < 10; i++) {
          expect(await peer.until((text) => text.length > i)).toHaveLength(i + 1);
          peer.send(String(i));
        }
      }),
      options,
    );
    const client = await upgraded(pair);
    for (let i = 0; i < 10; i++) {
      client.send('x');
      await client.until((text) => afterHead(text).length > i);
    }
    expect(afterHead(client.text)).toBe('0123456789');
  });

  it('pass when they were sent ahead of the switch', async () => {
    const pair = await startProxiedBackend(
      switching(async (peer) => {
        expect(await peer.until((text) => text.length >= 13)).toBe('client, early');
        peer.send(', backend, later');
      }, 'backend, early'),
      options,
    );
    const client = await upgraded(pair, 'client, early');
    await client.until((text) => text.endsWith('later'));
    expect(afterHead(client.text)).toBe('backend, early, backend, later');
  });

  it('pass when many were sent ahead by the client', async () => {
    const early = new BytePattern(1, MEBIBYTE);
    const check = new PatternCheck(early);
    const pair = await startProxiedBackend(async (peer) => {
      await peer.head();
      check.take(peer.take());
      await untilStill(() => client.socket.bytesWritten - client.socket.writableLength);
      peer.send(SWITCH);
      await readPattern(peer.socket, check);
    }, options);
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    client.send(early.whole());
    client.finish();
    await untilTrue(() => check.received === early.length);
    expect(check.exact).toBe(true);
  });

  it('pass when the backend ends right behind its switch', async () => {
    const pair = await startProxiedBackend(
      switching((peer) => {
        peer.halfOpen = true;
        peer.end();
      }, 'all I say'),
      options,
    );
    const client = await upgraded(pair);
    await client.untilClosed();
    expect(client.ended).toBe(true);
    expect(afterHead(client.text)).toBe('all I say');
    client.send('still heard');
    await pair.backend.peers[0]!.until((text) => text === 'still heard');
    client.finish();
    await pair.backend.until(() => pair.backend.peers[0]!.ended);
    pair.backend.peers[0]!.close();
    await untilTrue(() => tunnels() === 0);
  });

  it('end for the client when the backend is gone right behind its switch', async () => {
    const pair = await startProxiedBackend(
      switching((peer) => peer.close(), 'all I say'),
      options,
    );
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    await client.untilClosed();
    expect(client.text).toMatch(/^HTTP\/1\.1 101 /);
    expect(afterHead(client.text)).toBe('all I say');
    client.finish();
    await untilTrue(() => tunnels() === 0);
  });
});

describe('a tunnel that ends', () => {
  it('on the client’s side first still carries the other way', async () => {
    const pair = await startProxiedBackend(
      switching((peer) => {
        peer.halfOpen = true;
      }),
      websockets(),
    );
    const client = await upgraded(pair);
    client.send('last words');
    client.finish();
    const peer = pair.backend.peers[0]!;
    await peer.until(() => false);
    expect(peer.received).toBe('last words');
    peer.send('an answer to them');
    await client.until((text) => text.endsWith('an answer to them'));
    peer.send(', and more');
    peer.end();
    await client.untilClosed();
    expect(afterHead(client.text)).toBe('an answer to them, and more');
    await untilTrue(() => tunnels() === 0);
  });

  it('on the backend’s side first still carries the other way', async () => {
    const pair = await startProxiedBackend(
      switching((peer) => {
        peer.halfOpen = true;
        peer.send('last words');
        peer.end();
      }),
      websockets(),
    );
    const client = await upgraded(pair);
    await client.untilClosed();
    expect(afterHead(client.text)).toBe('last words');
    client.send('an answer to them');
    const peer = pair.backend.peers[0]!;
    await peer.until((text) => text.length > 0);
    client.send(', and more');
    client.finish();
    await peer.until(() => false);
    expect(peer.received).toBe('an answer to them, and more');
    await untilTrue(() => tunnels() === 0);
  });

  it.each([false, true])('on one side carries everything that is under way, reset at the end: %s', async (reset) => {
    const content = new BytePattern(2, 16 * MEBIBYTE);
    const check = new PatternCheck(content);
    const pair = await startProxiedBackend(
      switching((peer) => {
        peer.halfOpen = true;
        peer.end();
      }),
      websockets(),
    );
    const client = await upgraded(pair);
    await client.untilClosed();
    const peer = pair.backend.peers[0]!;
    peer.take();
    const writing = writePattern(client.socket, content).then(() => client.finish());
    await untilStill(() => client.socket.bytesWritten - client.socket.writableLength);
    await readPattern(unowned(peer.socket), check, nextTurn);
    await writing;
    expect(check.exact).toBe(true);
    if (reset) peer.reset();
    await untilTrue(() => tunnels() === 0);
  });

  it.each([
    ['reset by the client', (client: RawClient) => client.socket.resetAndDestroy()],
    ['closed by the client', (client: RawClient) => client.destroy()],
  ])('%s ends for the backend', async (_case, leave) => {
    const pair = await startProxiedBackend(
      switching(() => {}),
      websockets(),
    );
    const client = await upgraded(pair);
    leave(client);
    await pair.backend.peers[0]!.untilClosed();
    await untilTrue(() => tunnels() === 0);
  });

  it.each([
    ['reset by the backend', (peer: ScriptedPeer) => peer.reset()],
    ['closed by the backend', (peer: ScriptedPeer) => peer.close()],
  ])('%s ends for the client', async (_case, leave) => {
    const pair = await startProxiedBackend(
      switching(() => {}),
      websockets(),
    );
    const client = await upgraded(pair);
    leave(pair.backend.peers[0]!);
    await client.untilClosed();
    client.finish();
    await untilTrue(() => tunnels() === 0);
  });

  it('because it was silent for too long', async () => {
    const pair = await startProxiedBackend(
      switching(() => {}),
      websockets({ limits: { tunnelTimeout: 150 } }),
    );
    const client = await upgraded(pair);
    await client.untilClosed();
    await pair.backend.peers[0]!.untilClosed();
    expect(tunnels()).toBe(0);
  });

  it('because the gateway was drained and its time was over', async () => {
    const pair = await startProxiedBackend(
      switching(() => {}),
      websockets(),
    );
    const client = await upgraded(pair);
    await pair.gateway.listener.drain(0);
    await client.untilClosed();
    await pair.backend.peers[0]!.untilClosed();
    expect(tunnels()).toBe(0);
  });

  it('gives its backend connection back to nobody', async () => {
    const pair = await startProxiedBackend(
      async (peer) => {
        if (peer.index === 0) await switching(() => {})(peer);
        else await eachRequest(() => plainAnswer('plain'))(peer);
      },
      websockets({ backend: { connections: 1 } }),
    );
    await upgraded(pair);
    const other = await pair.client();
    other.send(get('/plain'));
    expect(await untilAnswers(other, 1)).toMatchObject([{ status: 200, body: 'plain' }]);
    expect(pair.backend.connections).toBe(2);
  });
});

describe('large volumes in a tunnel', () => {
  it('pass both ways at once, unharmed, whoever reads slowly', async () => {
    const up = new BytePattern(3, 24 * MEBIBYTE);
    const down = new BytePattern(4, 24 * MEBIBYTE);
    const upCheck = new PatternCheck(up);
    const downCheck = new PatternCheck(down);
    const slowly = (): Promise<void> => nextTurn();
    const pair = await startProxiedBackend(
      switching(async (peer) => {
        peer.halfOpen = true;
        upCheck.take(peer.take());
        const writing = writePattern(peer.socket, down).then(() => peer.end());
        await readPattern(unowned(peer.socket), upCheck, slowly);
        await writing;
      }),
      websockets(),
    );
    const client = await upgraded(pair);
    client.socket.removeAllListeners('data');
    downCheck.take(client.bytes.subarray(client.text.indexOf('\r\n\r\n') + 4));
    const reading = readPattern(unowned(client.socket), downCheck, slowly);
    await writePattern(client.socket, up);
    client.finish();
    await reading;
    await untilTrue(() => upCheck.received === up.length);
    expect(downCheck.exact).toBe(true);
    expect(upCheck.exact).toBe(true);
    await untilTrue(() => tunnels() === 0);
  });
});
