import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Tunnel } from '../../../../dataplane/engine/backend/tunnel.ts';
import { ClientSocket } from '../../../../dataplane/engine/websocket/client-socket.ts';
import { connectWire } from '../../../../dataplane/engine/wire/connect.ts';
import { HeldWire } from '../../../../dataplane/engine/wire/held-wire.ts';
import type { Wire } from '../../../../dataplane/engine/wire/wire.ts';
import {
  CLOSE,
  CONTINUATION,
  closeCode,
  closePayload,
  type FrameSpec,
  frame,
  framesIn,
  PING,
  PONG,
  TEXT,
} from '../../../support/clients/websocket-frames.ts';

const LONGEST = 1000;
const silent = { receive() {}, ended() {}, failed() {}, blocked() {}, drained() {}, passes: HeldWire.prototype.passes };

/** A ClientSocket and the server's end of its connection, after the handshake. */
async function connected(early: Buffer | null = null) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const accepted = once(server, 'connection');
  const { port } = server.address() as AddressInfo;
  const wire = await new Promise<Wire>((resolve, reject) => {
    const connecting = connectWire({ host: '127.0.0.1', port }, silent, (result) => {
      if (typeof result === 'string') resolve(connecting);
      else reject(new Error(result.reason));
    });
  });
  const [peer] = (await accepted) as [Socket];
  onTestFinished(() => void peer.destroy());
  let received = '';
  peer.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  const events: string[] = [];
  const socket = new ClientSocket(new Tunnel(wire, early), LONGEST, {
    text: (message) => events.push(`text ${message}`),
    unreadable: (reason) => events.push(`unreadable: ${reason}`),
    closed: (reason) => events.push(`closed: ${reason}`),
  });
  socket.open();
  onTestFinished(() => socket.abandon());
  const until = (count: number) => vi.waitFor(() => expect(events.length).toBeGreaterThanOrEqual(count));
  return { socket, peer, events, until, frames: () => framesIn(received) };
}

const bytesOf = (frames: readonly FrameSpec[]): Buffer => Buffer.concat(frames.map((spec) => frame(spec)));

describe('a client socket', () => {
  it('reads what came with the handshake, then what comes byte by byte', async () => {
    const early = bytesOf([{ payload: 'early' }, { fin: false, payload: 'a' }]);
    const { peer, events, until, frames } = await connected(early);
    peer.setNoDelay(true);
    for (const byte of bytesOf([
      { opcode: PING, payload: 'p' },
      { opcode: CONTINUATION, payload: 'b' },
    ])) {
      peer.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(2);
    expect(events).toEqual(['text early', 'text ab']);
    await vi.waitFor(() => expect(frames()).toEqual([{ opcode: PONG, fin: true, masked: true, payload: 'p' }]));
  });

  it.each(['', 'short', 'x'.repeat(125), 'x'.repeat(126), '€'.repeat(20_000)])(
    'sends masked frames (message %#)',
    async (message) => {
      const { socket, frames } = await connected();
      socket.send(message);
      socket.ping();
      const payload = Buffer.from(message).toString('latin1');
      await vi.waitFor(() =>
        expect(frames()).toEqual([
          { opcode: TEXT, fin: true, masked: true, payload },
          { opcode: PING, fin: true, masked: true, payload: '' },
        ]),
      );
    },
  );

  it('answers the longest Ping', async () => {
    const { peer, frames } = await connected();
    peer.write(frame({ opcode: PING, payload: 'x'.repeat(125) }));
    await vi.waitFor(() =>
      expect(frames()).toEqual([{ opcode: PONG, fin: true, masked: true, payload: 'x'.repeat(125) }]),
    );
  });

  it('goes on after a message that is too long', async () => {
    const { peer, events, until } = await connected();
    peer.write(bytesOf([{ payload: 'x'.repeat(LONGEST + 1) }, { payload: 'a' }]));
    await until(2);
    expect(events).toEqual(['unreadable: a message has 1001 bytes', 'text a']);
  });

  it.each<[string, FrameSpec, number, string]>([
    [
      'a Close',
      { opcode: CLOSE, payload: closePayload(1001, 'bye') },
      1000,
      'the access manager closed the connection',
    ],
    ['an empty Close', { opcode: CLOSE }, 1000, 'the access manager closed the connection'],
    [
      'a masked frame',
      { payload: 'x', masked: true },
      1002,
      'the access manager broke the protocol: a frame of the backend is masked',
    ],
    ['a reserved bit', { rsv: 4 }, 1002, 'the access manager broke the protocol: a reserved bit is set'],
    [
      'a length of 2^63',
      { length: 2n ** 63n },
      1002,
      'the access manager broke the protocol: the length is out of range',
    ],
    [
      'a length of 2^62',
      { length: 2n ** 62n },
      1009,
      'the access manager broke the protocol: the message is too large',
    ],
    [
      'a Close with the code 1005',
      { opcode: CLOSE, payload: closePayload(1005) },
      1002,
      'the access manager broke the protocol: the code of the Close frame is not valid',
    ],
  ])('answers %s with a Close and ends the connection, after the messages before it', async (_, spec, code, reason) => {
    const { peer, socket, events, until, frames } = await connected();
    const ended = once(peer, 'end');
    peer.write(bytesOf([{ payload: 'a' }, spec, { payload: 'b' }]));
    await until(2);
    await ended;
    socket.send('late');
    socket.close();
    expect(events).toEqual(['text a', `closed: ${reason}`]);
    expect([frames().length, closeCode(frames()), frames()[0]!.masked]).toEqual([1, code, true]);
  });

  it.each<[string, (peer: Socket) => void, RegExp]>([
    [
      'ends',
      (peer) => peer.end(frame({ length: 5, payload: 'half' })),
      /^closed: the connection ended without a Close/,
    ],
    ['breaks off', (peer) => peer.resetAndDestroy(), /^closed: the connection broke off/],
  ])('is closed where the connection %s', async (_, leave, expected) => {
    const { peer, events, until } = await connected();
    leave(peer);
    await until(1);
    expect(events).toEqual([expect.stringMatching(expected)]);
  });

  it('sends a Close of its own and tells nobody', async () => {
    const { peer, socket, events, frames } = await connected();
    const ended = once(peer, 'end');
    socket.close();
    peer.write(frame({ payload: 'late' }));
    await ended;
    expect([closeCode(frames()), events]).toEqual([1000, []]);
  });
});
