import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';
import { startSecure } from '../../../support/gateways/secure-gateway.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';
import { changingKeys } from '../../../support/identity/changing-tls-secrets.ts';

const WAITING = 40;
const own = certificateAuthority('servers').issue({ names: ['gateway.test'] });
const handler = () => () => textResponse(200, 'served');
const plain = (port: number): Socket => connect({ port, host: '127.0.0.1' });

async function inClear(): Promise<TestGateway> {
  const gateway = await startGateway({ handler });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** Asks on a connection that is being opened. @returns the status line, or what went wrong. */
function ask(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on('close', () => resolve(text.split('\r\n', 1)[0]!));
    socket.write('GET / HTTP/1.1\r\nHost: gateway.test\r\n\r\n');
  });
}

describe.each<[string, () => Promise<TestGateway>, (socket: Socket) => Socket]>([
  ['in clear', inClear, (socket) => socket],
  [
    'over TLS',
    () => startSecure({ keys: [changingKeys(own).manager], handler }),
    (socket) => connectSecurely({ socket, rejectUnauthorized: false, servername: 'gateway.test' }),
  ],
])('connections %s that the kernel has accepted and the gateway has not', (_case, start, wrap) => {
  it('are served when the gateway stops', async () => {
    const gateway = await start();
    const sockets = Array.from({ length: WAITING }, () => plain(gateway.port));
    await new Promise<void>((resolve) => process.nextTick(resolve)); // the kernel has them; nobody has accepted any
    const outcomes = sockets.map((socket) => ask(wrap(socket)));
    const cut = gateway.listener.drain(15_000);
    expect(await Promise.all(outcomes)).toEqual(Array<string>(WAITING).fill('HTTP/1.1 200 OK'));
    expect(await cut).toBe(0);
  });
});

it('an idle client that connects during shutdown does not delay the shutdown', async () => {
  const gateway = await inClear();
  const silent = plain(gateway.port);
  silent.on('error', () => {});
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const began = performance.now();
  expect(await gateway.listener.drain(15_000)).toBe(0);
  expect(performance.now() - began).toBeLessThan(9000); // the time for a request head is ten seconds
});
