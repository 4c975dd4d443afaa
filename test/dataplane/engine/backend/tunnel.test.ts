import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Next } from '../../../../dataplane/engine/message/exchange.ts';
import { BytePattern, PatternCheck, readPattern, writePattern } from '../../../support/backends/byte-pattern.ts';
import { eachRequest, plainAnswer, type ScriptedPeer } from '../../../support/backends/scripted-backend.ts';
import { untilAnswers } from '../../../support/clients/answers.ts';
import { nextTurn, untilStill, untilTrue } from '../../../support/clients/event-loop.ts';
import type { RawClient } from '../../../support/clients/raw-client.ts';
import {
  SWITCH,
  switching,
  tunnels,
  UPGRADE,
  upgraded,
  websockets,
} from '../../../support/clients/websocket-upgrade.ts';
import { get, startProxiedBackend } from '../../../support/gateways/proxied-backend.ts';

const MEBIBYTE = 1 << 20;
const afterHead = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);

/** What a socket receives, without closing it at the end. */
const unowned = (socket: Socket): AsyncIterable<unknown> => ({
  [Symbol.asyncIterator]: () => socket.iterator({ destroyOnReturn: false }),
});

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

  it('end for the client when the backend disconnects right after the switch', async () => {
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
  it('on the client side first still transfers the other direction', async () => {
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

  it('on the backend side first still transfers the other direction', async () => {
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

  it.each([false, true])('on one side transfers all data in flight, reset at the end: %s', async (reset) => {
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

  it('does not return its backend connection to the pool', async () => {
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
  it('pass both ways at once unchanged, even with a slow reader', async () => {
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
