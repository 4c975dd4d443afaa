import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { COUNTER, type CounterName, counters } from '../../../../dataplane/engine/wire/counters.ts';
import { BytePattern, PatternCheck, writePattern } from '../../../support/backends/byte-pattern.ts';
import type { Script, ScriptedPeer } from '../../../support/backends/scripted-backend.ts';
import { nextTurn, untilStill, untilTrue } from '../../../support/clients/event-loop.ts';
import type { RawClient } from '../../../support/clients/raw-client.ts';
import {
  BINARY,
  CLOSE,
  CONTINUATION,
  clientFrame,
  closeCode,
  closePayload,
  type FrameSpec,
  frame,
  framesIn,
  PING,
  PONG,
  type SeenFrame,
} from '../../../support/clients/websocket-frames.ts';
import {
  afterHead,
  relaying,
  switching,
  tunnels,
  UPGRADE,
  upgraded,
} from '../../../support/clients/websocket-upgrade.ts';
import {
  get,
  type ProxiedBackend,
  type ProxiedBackendOptions,
  startProxiedBackend,
} from '../../../support/gateways/proxied-backend.ts';

const MEBIBYTE = 1 << 20;

/** A WebSocket through the gateway, and both of its ends. */
interface Joined {
  readonly pair: ProxiedBackend;
  readonly client: RawClient;
  readonly peer: ScriptedPeer;
  clientFrames(): SeenFrame[];
  backendFrames(): SeenFrame[];
}

async function joined(options: ProxiedBackendOptions = relaying(), then: Script = () => {}): Promise<Joined> {
  const pair = await startProxiedBackend(
    switching((peer) => {
      peer.halfOpen = true;
      return then(peer);
    }),
    options,
  );
  const client = await upgraded(pair);
  const peer = pair.backend.peers[0]!;
  return {
    pair,
    client,
    peer,
    clientFrames: () => framesIn(afterHead(client.text)),
    backendFrames: () => framesIn(peer.received),
  };
}

/** What counts the ends of WebSockets, and how many it has counted since. */
function countOf(name: CounterName): () => number {
  const before = counters.block[COUNTER[name]]!;
  return () => counters.block[COUNTER[name]]! - before;
}

const words = (frames: readonly SeenFrame[]): string[] => frames.map(({ payload }) => payload);

describe('frames', () => {
  it('pass both ways unchanged', async () => {
    const { client, peer } = await joined();
    const up = [
      clientFrame({ payload: 'text' }),
      clientFrame({ opcode: BINARY, payload: 'x'.repeat(70_000) }),
      clientFrame({ fin: false, payload: 'a' }),
      clientFrame({ opcode: PING, payload: 'in between' }),
      clientFrame({ opcode: CONTINUATION, payload: 'b' }),
    ];
    const down = [frame({ payload: 'answer' }), frame({ opcode: PONG, payload: 'in between' }), frame()];
    client.send(Buffer.concat(up));
    peer.send(Buffer.concat(down));
    const allUp = Buffer.concat(up).toString('latin1');
    expect(await peer.until((text) => text.length >= allUp.length)).toBe(allUp);
    const allDown = Buffer.concat(down).toString('latin1');
    expect(afterHead(await client.until((text) => text.endsWith(allDown)))).toBe(allDown);
  });

  it('pass when they arrive byte by byte', async () => {
    const { client, peer, clientFrames, backendFrames } = await joined();
    const up = Buffer.concat([clientFrame({ payload: 'x'.repeat(300) }), clientFrame({ opcode: PING })]);
    const down = Buffer.concat([frame({ payload: 'y'.repeat(300) }), frame({ opcode: PONG, payload: 'pong' })]);
    for (const byte of up) {
      client.send(Buffer.from([byte]));
      await nextTurn();
    }
    await peer.sendPieces(down, 1);
    await peer.until(() => backendFrames().length === 2);
    await client.until(() => clientFrames().length === 2);
    expect(peer.received).toBe(up.toString('latin1'));
    expect(afterHead(client.text)).toBe(down.toString('latin1'));
  });

  it('pass when they were sent ahead of the switch', async () => {
    const early = frame({ payload: 'backend, early' }).toString('latin1');
    const pair = await startProxiedBackend(
      switching((peer) => peer.send(frame({ payload: 'later' })), early),
      relaying(),
    );
    const client = await upgraded(pair, clientFrame({ payload: 'client, early' }).toString('latin1'));
    await pair.backend.peers[0]!.until((text) => framesIn(text).length === 1);
    expect(words(framesIn(pair.backend.peers[0]!.received))).toEqual(['client, early']);
    await client.until((text) => framesIn(afterHead(text)).length === 2);
    expect(words(framesIn(afterHead(client.text)))).toEqual(['backend, early', 'later']);
  });

  it('of many megabytes pass unchanged both ways, even with a slow reader', async () => {
    const up = new BytePattern(1, 24 * MEBIBYTE);
    const down = new BytePattern(2, 24 * MEBIBYTE);
    const { client, peer } = await joined();
    peer.take();
    client.socket.removeAllListeners('data').pause();
    client.send(frame({ opcode: BINARY, masked: true, length: up.length }));
    peer.send(frame({ opcode: BINARY, length: down.length }));
    const sent = [writePattern(client.socket, up), writePattern(peer.socket, down)];
    await untilStill(() => client.socket.bytesWritten - client.socket.writableLength);
    const received = await Promise.all([payloadOf(peer.socket, 14, up), payloadOf(client.socket, 10, down)]);
    expect(received).toEqual([true, true]);
    await Promise.all(sent);
    client.send(clientFrame({ opcode: CLOSE })); // is one only where the payload has ended
    peer.send(frame({ opcode: CLOSE }));
    peer.socket.resume();
    client.socket.resume();
    await client.untilClosed();
    await peer.until(() => false);
  });

  it.each(['client', 'backend'])('wait where they are while the %s does not read', async (slow) => {
    const length = 96 * MEBIBYTE;
    const { client, peer } = await joined();
    peer.socket.pause();
    client.socket.pause();
    const sender = slow === 'client' ? peer.socket : client.socket;
    const left = (): number => sender.bytesWritten - sender.writableLength;
    sender.write(frame({ opcode: BINARY, masked: slow !== 'client', length }));
    for (let written = 0; written < length; written += MEBIBYTE) sender.write(Buffer.alloc(MEBIBYTE));
    expect(await untilStill(left)).toBeLessThan(length / 2);
  });
});

/** Reads one long frame, slowly. @returns whether its payload is as it should be. */
async function payloadOf(socket: Socket, head: number, content: BytePattern): Promise<boolean> {
  const check = new PatternCheck(content);
  let ahead = head;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    const bytes = chunk as Buffer;
    check.take(bytes.subarray(Math.min(ahead, bytes.length)));
    ahead -= Math.min(ahead, bytes.length);
    await nextTurn();
    if (check.received >= content.length) break;
  }
  return check.exact;
}

describe('the closing handshake', () => {
  it.each(['client', 'backend'])('begun by the %s passes, and both connections end', async (first) => {
    const closes = countOf('webSocketsClosed');
    const { client, peer, clientFrames, backendFrames } = await joined();
    const payload = closePayload(4001, 'enough');
    const fromClient = (): void => client.send(clientFrame({ opcode: CLOSE, payload }));
    const fromBackend = (): void => peer.send(frame({ opcode: CLOSE, payload }));
    if (first === 'client') {
      fromClient();
      await peer.until(() => backendFrames().length === 1);
      peer.send(frame({ payload: 'last words' }));
      fromBackend();
    } else {
      fromBackend();
      await client.until(() => clientFrames().length === 1);
      client.send(clientFrame({ payload: 'last words' }));
      fromClient();
    }
    await client.untilClosed();
    await peer.until(() => false);
    expect([closeCode(clientFrames()), closeCode(backendFrames())]).toEqual([4001, 4001]);
    expect([client.ended, client.failed]).toEqual([true, false]);
    const told = first === 'client' ? clientFrames() : backendFrames();
    expect(words(told)[0]).toBe('last words');
    client.finish();
    peer.end();
    await untilTrue(() => tunnels() === 0);
    expect(closes()).toBe(1);
  });

  it('passes nothing behind a Close', async () => {
    const { client, peer, backendFrames } = await joined();
    client.send(Buffer.concat([clientFrame({ opcode: CLOSE }), clientFrame({ payload: 'too late' })]));
    await peer.until(() => backendFrames().length > 0);
    client.send(clientFrame({ payload: 'later still' }));
    peer.send(frame({ opcode: CLOSE }));
    await peer.until(() => false);
    expect(backendFrames()).toMatchObject([{ opcode: CLOSE, payload: '' }]);
  });

  it('is awaited no longer than the timeout of the listener', async () => {
    const { client, peer, clientFrames } = await joined(relaying({}, { limits: { webSocketClosingTimeout: 0 } }));
    client.send(clientFrame({ opcode: CLOSE, payload: closePayload(1000) }));
    await client.untilClosed();
    await peer.until(() => false);
    expect(closeCode(clientFrames())).toBe(1011);
  });

  it('is awaited no longer than the timeout of the handler', async () => {
    const { client, peer } = await joined(relaying({ closingTimeout: 0 }));
    peer.send(frame({ opcode: CLOSE, payload: closePayload(1000) }));
    await client.untilClosed();
    await peer.until(() => false);
    expect(closeCode(framesIn(peer.received))).toBe(1001);
  });
});

describe('a violation', () => {
  const cases: [string, FrameSpec, number][] = [
    ['a wrong mask', {}, 1002],
    ['a reserved bit', { rsv: 2 }, 1002],
    ['an unknown opcode', { opcode: 5 }, 1002],
    ['a continuation of nothing', { opcode: CONTINUATION }, 1002],
    ['a fragmented ping', { opcode: PING, fin: false }, 1002],
    ['a length that is too long for itself', { payload: 'short', lengthBytes: 8 }, 1002],
    ['a Close that nobody may send', { opcode: CLOSE, payload: closePayload(1006) }, 1002],
    ['a frame that is too large', { payload: 'x'.repeat(2000) }, 1009],
  ];
  const limits = { limits: { webSocketFrameBytes: 1000 } };
  it.each(cases)('of the client, %s, ends both sides, each with its Close', async (_case, spec, code) => {
    const broken = countOf(code === 1002 ? 'webSocketsBrokenByClient' : 'webSocketsTooLarge');
    const { client, peer, clientFrames, backendFrames } = await joined(relaying({}, limits));
    const wrong = frame({ masked: Object.keys(spec).length > 0, ...spec });
    client.send(Buffer.concat([clientFrame({ payload: 'sound' }), wrong, clientFrame({ payload: 'ignored' })]));
    await peer.until(() => closeCode(backendFrames()) !== undefined);
    expect(backendFrames()).toMatchObject([{ payload: 'sound' }, { opcode: CLOSE, masked: true }]);
    expect(closeCode(backendFrames())).toBe(1001);
    peer.send(frame({ payload: 'answer to what was sound' }));
    peer.send(frame({ opcode: CLOSE, payload: closePayload(1001) }));
    await client.untilClosed();
    expect(words(clientFrames())[0]).toBe('answer to what was sound');
    expect(closeCode(clientFrames())).toBe(code);
    expect(clientFrames().every(({ masked }) => !masked)).toBe(true);
    await peer.until(() => false);
    client.finish();
    peer.end();
    await untilTrue(() => tunnels() === 0);
    expect(broken()).toBe(1);
  });

  it.each(cases)('of the backend, %s, ends both sides, each with its Close', async (_case, spec, code) => {
    const broken = countOf(code === 1002 ? 'webSocketsBrokenByBackend' : 'webSocketsTooLarge');
    const { client, peer, clientFrames, backendFrames } = await joined(relaying({ frameBytes: 1000 }));
    const wrong = frame({ masked: Object.keys(spec).length === 0, ...spec });
    peer.send(Buffer.concat([frame({ payload: 'sound' }), wrong, frame({ payload: 'ignored' })]));
    await client.until(() => closeCode(clientFrames()) !== undefined);
    expect(words(clientFrames())[0]).toBe('sound');
    expect([clientFrames().length, closeCode(clientFrames())]).toEqual([2, 1011]);
    client.send(clientFrame({ opcode: CLOSE, payload: closePayload(1011) }));
    await peer.until(() => false);
    expect(closeCode(backendFrames())).toBe(code);
    await client.untilClosed();
    client.finish();
    peer.end();
    await untilTrue(() => tunnels() === 0);
    expect(broken()).toBe(1);
  });

  it('ends both sides even if a Close is not answered', async () => {
    const { client, peer, clientFrames } = await joined();
    client.send(frame({ payload: 'not masked' }));
    await client.untilClosed();
    await peer.until(() => false);
    expect(closeCode(clientFrames())).toBe(1002);
    await untilTrue(() => tunnels() === 0); // although neither side ends
  });

  it('of the client lets an unfinished frame of the backend end', async () => {
    const { client, peer, clientFrames, backendFrames } = await joined();
    peer.send(frame({ payload: 'half', length: 8 }));
    await client.until((text) => text.endsWith('half'));
    client.send(frame({ payload: 'not masked' }));
    await peer.until(() => closeCode(backendFrames()) !== undefined);
    peer.send('whole');
    await client.until((text) => text.endsWith('whol'));
    peer.send(frame({ opcode: CLOSE }).subarray(0));
    await client.untilClosed();
    expect(words(clientFrames())[0]).toBe('halfwhol');
  });
});

describe('messages', () => {
  it('over the limit of the listener are rejected in any segmentation', async () => {
    const { client, peer, clientFrames } = await joined(relaying({}, { limits: { webSocketMessageBytes: 10 } }));
    client.send(clientFrame({ fin: false, payload: '12345' }));
    client.send(clientFrame({ opcode: CONTINUATION, payload: '67890x' }));
    await client.untilClosed();
    expect(closeCode(clientFrames())).toBe(1009);
    expect(words(framesIn(peer.received))[0]).toBe('12345');
  });

  it('over the limit of the handler are rejected in any segmentation', async () => {
    const { client, peer, backendFrames } = await joined(relaying({ messageBytes: 10 }));
    peer.send(frame({ fin: false, payload: '12345' }));
    peer.send(frame({ opcode: CONTINUATION, payload: '67890x' }));
    await client.untilClosed();
    await peer.until(() => false);
    expect(closeCode(backendFrames())).toBe(1009);
  });

  it('of both sides are held apart', async () => {
    const options = relaying({ frameBytes: 10 }, { limits: { webSocketFrameBytes: 20 } });
    const { client, peer, backendFrames, clientFrames } = await joined(options);
    client.send(clientFrame({ payload: 'x'.repeat(20) }));
    peer.send(frame({ payload: 'x'.repeat(10) }));
    await peer.until(() => backendFrames().length === 1);
    await client.until(() => clientFrames().length === 1);
  });
});

describe('a side that disconnects without a Close frame', () => {
  const leaving: [string, (client: RawClient) => void, (peer: ScriptedPeer) => void][] = [
    ['ends', (client) => client.finish(), (peer) => peer.end()],
    ['is gone', (client) => client.destroy(), (peer) => peer.close()],
    ['is reset', (client) => client.socket.resetAndDestroy(), (peer) => peer.reset()],
  ];
  it.each(leaving)('the client %s: the backend gets a Close and the end', async (_case, leave) => {
    const left = countOf('webSocketsLeftByClient');
    const { client, peer, backendFrames } = await joined();
    client.send(clientFrame({ payload: 'all I say' }));
    await peer.until(() => backendFrames().length === 1);
    leave(client);
    await peer.until(() => false);
    expect(words(backendFrames())[0]).toBe('all I say');
    expect(closeCode(backendFrames())).toBe(1001);
    client.destroy();
    peer.close();
    await untilTrue(() => tunnels() === 0);
    expect(left()).toBe(1);
  });

  it.each(leaving)('the backend %s: the client gets a Close and the end', async (_case, _leave, leave) => {
    const left = countOf('webSocketsLeftByBackend');
    const { client, peer, clientFrames } = await joined();
    peer.send(frame({ payload: 'all I say' }));
    await client.until(() => clientFrames().length === 1);
    leave(peer);
    await client.untilClosed();
    expect(words(clientFrames())[0]).toBe('all I say');
    expect(closeCode(clientFrames())).toBe(1011);
    expect(client.failed).toBe(false);
    client.destroy();
    await untilTrue(() => tunnels() === 0);
    expect(left()).toBe(1);
  });

  it.each(leaving)('the client %s in the middle of a frame: the backend gets the end only', async (_case, leave) => {
    const { client, peer } = await joined();
    const half = clientFrame({ payload: 'half', length: 10 });
    client.send(half);
    await peer.until((text) => text.length === half.length);
    leave(client);
    await peer.until(() => false);
    expect(peer.received).toBe(half.toString('latin1'));
  });

  it.each(leaving)(
    'the backend %s in the middle of a frame: the client gets the end only',
    async (_case, _l, leave) => {
      const { client, peer } = await joined();
      peer.send(frame({ payload: 'half', length: 10 }));
      await client.until((text) => text.endsWith('half'));
      leave(peer);
      await client.untilClosed();
      expect(client.text).toMatch(/half$/);
    },
  );

  it('the backend right behind its switch', async () => {
    const pair = await startProxiedBackend(
      switching((peer) => peer.close(), frame({ payload: 'all I say' }).toString('latin1')),
      relaying(),
    );
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    await client.untilClosed();
    expect(client.text).toMatch(/^HTTP\/1\.1 101 /);
    const frames = framesIn(afterHead(client.text));
    expect([words(frames)[0], closeCode(frames)]).toEqual(['all I say', 1011]);
  });

  it('the client right after its Close still gets the Close of the backend', async () => {
    const { client, peer, clientFrames, backendFrames } = await joined();
    client.send(clientFrame({ opcode: CLOSE, payload: closePayload(1000) }));
    client.finish();
    await peer.until(() => backendFrames().length === 1);
    peer.send(frame({ opcode: CLOSE, payload: closePayload(1000) }));
    await client.untilClosed();
    expect(closeCode(clientFrames())).toBe(1000);
    expect(closeCode(backendFrames())).toBe(1000);
  });
});

describe('a WebSocket that ends because', () => {
  it.each([
    ['the listener says so', relaying({}, { limits: { tunnelTimeout: 150 } })],
    ['the handler says so', relaying({ silence: 150 })],
    ['the shorter of both is over', relaying({ silence: 150 }, { limits: { tunnelTimeout: 100_000 } })],
  ])('it was silent for too long: %s', async (_case, options) => {
    const silent = countOf('webSocketsSilent');
    const { client, peer, clientFrames, backendFrames } = await joined(options);
    await client.untilClosed();
    await peer.until(() => false);
    expect([closeCode(clientFrames()), closeCode(backendFrames())]).toEqual([1001, 1001]);
    client.finish();
    peer.end();
    await untilTrue(() => tunnels() === 0);
    expect(silent()).toBe(1);
  });

  it('it was silent for too long passes nothing on after that', async () => {
    const { client, peer, clientFrames, backendFrames } = await joined(relaying({ silence: 150 }));
    await client.until(() => clientFrames().length === 1);
    client.send(clientFrame({ payload: 'too late' }));
    client.send(clientFrame({ opcode: CLOSE, payload: closePayload(1001) }));
    peer.send(frame({ opcode: CLOSE, payload: closePayload(1001) }));
    await client.untilClosed();
    await peer.until(() => false);
    expect([clientFrames().length, backendFrames().length]).toEqual([1, 1]);
  });

  it('the drain timeout passed sends Close to both sides', async () => {
    const stopped = countOf('webSocketsStopped');
    const { pair, client, peer, clientFrames, backendFrames } = await joined();
    await pair.gateway.listener.drain(0);
    expect(tunnels()).toBe(0);
    await client.untilClosed();
    await peer.until(() => false);
    expect([closeCode(clientFrames()), closeCode(backendFrames())]).toEqual([1001, 1001]);
    expect(stopped()).toBe(1);
  });
});

it('the connection of a WebSocket that a filter refuses in the end is closed', async () => {
  const pair = await startProxiedBackend(
    switching(() => {}),
    relaying(
      {},
      {
        handler: (backend) => async (exchange) => {
          const options = relaying();
          await options.handler!(backend)(exchange);
          throw new Error('changed my mind');
        },
      },
    ),
  );
  const client = await pair.client();
  client.send(get('/socket', UPGRADE));
  expect(await client.until((text) => text.includes('\r\n\r\n'))).toMatch(/^HTTP\/1\.1 500 /);
  await pair.backend.peers[0]!.untilClosed();
  expect(tunnels()).toBe(0);
  pair.gateway.faults.length = 0;
});

it('a slow reader is not treated as idle', async () => {
  const content = Buffer.alloc(48 * MEBIBYTE, 'x');
  const { client, peer } = await joined(relaying({ silence: 500 }));
  client.socket.removeAllListeners('data');
  const head = frame({ opcode: BINARY, length: content.length });
  peer.send(head);
  peer.send(content);
  let received = 0;
  const begun = performance.now();
  for await (const chunk of client.socket.iterator({ destroyOnReturn: false })) {
    received += (chunk as Buffer).length;
    const due = Math.min(begun + (received / content.length) * 1500, begun + 1500);
    while (performance.now() < due) await nextTurn();
    if (received === head.length + content.length) break;
  }
  expect(received).toBe(head.length + content.length);
  expect(tunnels()).toBe(1);
});
