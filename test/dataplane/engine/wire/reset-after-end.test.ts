import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { NO_OWNER } from '../../../../dataplane/engine/wire/no-owner.ts';
import { connectTcp } from '../../../../dataplane/engine/wire/raw-wire.ts';
import { SocketWire } from '../../../../dataplane/engine/wire/socket-wire.ts';
import type { Wire } from '../../../../dataplane/engine/wire/wire.ts';

async function raw(port: number): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const wire = connectTcp('127.0.0.1', port, NO_OWNER, (isOpen) => {
      if (!isOpen) return reject(new Error('no connection'));
      wire.opened();
      resolve(wire);
    });
  });
}

async function socketWire(port: number): Promise<Wire> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  return new SocketWire(socket, NO_OWNER);
}

// the kernel cannot reset a connection whose end is under way, and Node.js then leaves it open for ever
it.each([
  ['raw', raw],
  ['public', socketWire],
])('a %s wire that is reset while its end is under way is closed', async (_kind, open) => {
  const server = createServer({ allowHalfOpen: true });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const wire = await open((server.address() as AddressInfo).port);
  const [peer] = await accepted;
  peer.resume();
  const failed = once(peer, 'error') as Promise<[NodeJS.ErrnoException]>;
  wire.end();
  wire.reset();

  // only a connection that is closed rejects what its peer sends
  const timer = setInterval(() => peer.write('x'), 5);
  onTestFinished(() => clearInterval(timer));
  const [error] = await failed.catch((caught: NodeJS.ErrnoException) => [caught]);
  expect(error.code).toMatch(/^(ECONNRESET|EPIPE)$/);
});
