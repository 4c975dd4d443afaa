import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { nativeBindings } from '../../../../dataplane/engine/wire/native-handle.ts';
import { ask, untilAnswers } from '../../../support/clients/answers.ts';
import { ClosedLoopClient } from '../../../support/clients/closed-loop-client.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

// What the engine does where Node's own handles cannot be had: the same, over public sockets.

let backend: Server;
let gateway: TestGateway;

beforeAll(async () => {
  vi.stubEnv('GATEWARDEN_WIRES', 'public');
  expect(nativeBindings()).toBe(null);
  backend = createServer((request, response) => {
    if (request.method === 'PUT') request.pipe(response);
    else if (request.url === '/large') response.end(Buffer.alloc(20 << 20, 'x'));
    else response.end(`answer to ${request.url}`);
  }).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  gateway = await startGateway({
    backend: { destination: { host: '127.0.0.1', port: (backend.address() as AddressInfo).port } },
    limits: { halfClose: true, readRate: 1000, rateGrace: 100, readGrace: 300 },
  });
});
afterAll(async () => {
  await gateway.close();
  backend.closeAllConnections();
  backend.close();
  vi.unstubAllEnvs();
});

it('serves sequential and concurrent requests', async () => {
  const client = await RawClient.connect(gateway.port);
  client.send('GET /1 HTTP/1.1\r\nHost: h\r\n\r\n');
  expect((await untilAnswers(client, 1))[0]!.body).toBe('answer to /1');
  client.send('GET /2 HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(100));
  client.finish();
  await client.untilClosed();
  expect(await untilAnswers(client, 101)).toHaveLength(101);
  expect(client.failed).toBe(false);
  client.destroy();
});

it('carries large contents both ways', async () => {
  const size = 20 << 20;
  const client = await RawClient.connect(gateway.port);
  let read = 0;
  client.socket.removeAllListeners('data');
  client.socket.on('data', (bytes: Buffer) => (read += bytes.length));
  client.send(`PUT / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: ${size}\r\n\r\n`);
  client.send(Buffer.alloc(size));
  await client.untilClosed();
  expect(read).toBeGreaterThan(size);
  expect(client.failed).toBe(false);
  client.destroy();
});

it('rejects malformed requests and closes', async () => {
  expect((await ask(gateway.port, 'GET /a/../b HTTP/1.1\r\nHost: h\r\n')).status).toBe(400);
});

it('disconnects clients that do not read, and resumes for those that read again', async () => {
  const never = await RawClient.connect(gateway.port);
  never.socket.pause();
  never.send('GET /large HTTP/1.1\r\nHost: h\r\n\r\n');
  await vi.waitFor(() => expect(gateway.finished.some(({ path }) => path === '/large')).toBe(true), 5000);
  const slow = await RawClient.connect(gateway.port);
  slow.socket.pause();
  slow.send('GET /large HTTP/1.1\r\nHost: h\r\n\r\nGET /after HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
  await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\n');
  slow.socket.resume();
  await slow.untilClosed();
  expect(slow.text.endsWith('answer to /after')).toBe(true);
  never.destroy();
  slow.destroy();
});

it('drains under load', async () => {
  const clients = await Promise.all(
    Array.from({ length: 100 }, (_, i) => ClosedLoopClient.connect(gateway.port, `client-${i}`)),
  );
  const running = clients.map((client) => client.run());
  await vi.waitFor(() => expect(Math.min(...clients.map(({ answered }) => answered))).toBeGreaterThan(2), 10_000);
  expect(await gateway.listener.drain(10_000)).toBe(0);
  await Promise.all(running);
  for (const client of clients) {
    expect(client).toMatchObject({ problem: null, told: true });
    expect(client.answered).toBe(client.sent);
  }
});
