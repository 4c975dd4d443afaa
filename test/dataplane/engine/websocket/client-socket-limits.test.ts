import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Tunnel } from '../../../../dataplane/engine/backend/tunnel.ts';
import { ClientSocket } from '../../../../dataplane/engine/websocket/client-socket.ts';
import { MessageReader } from '../../../../dataplane/engine/websocket/message-reader.ts';
import { connectWire } from '../../../../dataplane/engine/wire/connect.ts';
import { REFUSED, type Wire, type WireOwner } from '../../../../dataplane/engine/wire/wire.ts';

const NOBODY: WireOwner = {
  receive() {},
  ended() {},
  failed() {},
  blocked() {},
  drained() {},
  passes: () => REFUSED,
};

/** A connection of the gateway, and the server's end of it. */
async function connected(): Promise<{ wire: Wire; peer: Socket }> {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const { port } = server.address() as AddressInfo;
  const opened = Promise.withResolvers<unknown>();
  const wire = connectWire({ host: '127.0.0.1', port }, NOBODY, opened.resolve);
  expect(await opened.promise).toBe('http/1.1');
  const [peer] = (await accepted) as [Socket];
  peer.on('error', () => {});
  onTestFinished(() => {
    wire.destroy();
    peer.destroy();
    server.close();
  });
  return { wire, peer };
}

it('stops reading from a server that sends PING frames and does not read the answers', async () => {
  const { wire, peer } = await connected();
  const socket = new ClientSocket(new Tunnel(wire, null), 1024, { text() {}, unreadable() {}, closed() {} });
  const { pause, resume } = wire;
  let isReading = true;
  const paused = new Promise<void>((resolve) => {
    wire.pause = () => {
      isReading = false;
      pause.call(wire);
      resolve();
    };
  });
  const resumed = new Promise<void>((resolve) => {
    wire.resume = () => {
      if (!isReading) resolve();
      isReading = true;
      resume.call(wire);
    };
  });
  socket.open();
  const ping = Buffer.concat([Buffer.from([0x89, 125]), Buffer.alloc(125)]);
  const pings = Buffer.concat(Array.from({ length: 1000 }, () => ping));
  const flood = (): void => {
    while (isReading && peer.bytesWritten < 256 << 20 && peer.write(pings));
  };
  peer.on('drain', flood);
  flood();
  await paused;
  peer.resume();
  await resumed;
  expect(wire.unsent).toBeLessThan(16 << 20);
});

it('reads a message that comes in fragments of one byte, and the one after it', () => {
  const messages: string[] = [];
  const owner = { text: (text: string) => messages.push(text), unreadable() {}, pinged() {} };
  const reader = new MessageReader(owner, 200_000);
  const text = 'ab'.repeat(100_000);
  const bytes = Buffer.concat([
    Buffer.from([0x01, 1, text.charCodeAt(0)]),
    ...Array.from(text.slice(1, -1), (letter) => Buffer.from([0x00, 1, letter.charCodeAt(0)])),
    Buffer.from([0x80, 1, text.charCodeAt(text.length - 1)]),
    Buffer.from([0x81, 1, 0x63]),
  ]);
  for (let at = 0; at < bytes.length; at += 10_000) {
    expect(reader.read(bytes, at, Math.min(at + 10_000, bytes.length))).toBeNull();
  }
  expect(messages).toEqual([text, 'c']);
});
