import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate as immediate, setTimeout as later } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Response } from '../../../../dataplane/engine/message/response.ts';
import { kernelOfLoop, unwatchInput, watchInput } from '../../../../dataplane/engine/wire/input-loop.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway, type TestGatewayOptions } from '../../../support/gateways/gateway.ts';

const GET = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';
const LARGE = 60_000;

async function gatewayFor(handler: TestGatewayOptions['handler'] & {}): Promise<TestGateway> {
  const gateway = await startGateway({ handler });
  onTestFinished(() => gateway.close());
  return gateway;
}

async function clientOf({ port }: TestGateway): Promise<RawClient> {
  const client = await RawClient.connect(port);
  onTestFinished(() => client.destroy());
  return client;
}

const answers = (client: RawClient, count: number): Promise<string> =>
  client.until((text) => text.split('HTTP/1.1 204').length > count);

it('is in use where clients speak in clear', async () => {
  await gatewayFor(() => () => new Response(204));
  expect(kernelOfLoop()).not.toBeNull();
});

it('runs promises of a request before it waits for the next one', async () => {
  const gateway = await gatewayFor(() => async () => {
    for (let i = 0; i < 100; i++) await null;
    return new Response(204);
  });
  const client = await clientOf(gateway);
  client.send(GET);
  await answers(client, 1);
});

it('runs promises of a read that is decided at once', async () => {
  const gateway = await gatewayFor(() => async ({ request }) => {
    await request.entity.bytes();
    return new Response(204);
  });
  const client = await clientOf(gateway);
  for (let i = 1; i <= 20; i++) {
    client.send(`POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${LARGE}\r\n\r\n${'x'.repeat(LARGE)}`);
    await answers(client, i);
  }
});

it('lets ticks, immediates, timers and other sockets go on', async () => {
  const other = createServer((socket: Socket) => socket.end('other')).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  const ways: (() => Promise<unknown>)[] = [
    () => new Promise<void>((resolve) => process.nextTick(resolve)),
    () => immediate(),
    () => later(1),
    async () => {
      const client = await RawClient.connect((other.address() as { port: number }).port);
      expect(await client.untilClosed()).toBe('other');
      client.destroy();
    },
    () => crypto.subtle.digest('SHA-256', new Uint8Array(10)),
  ];
  let next = 0;
  const gateway = await gatewayFor(() => async () => {
    await ways[next++ % ways.length]!();
    return new Response(204);
  });
  const client = await clientOf(gateway);
  for (let i = 1; i <= 3 * ways.length; i++) {
    client.send(GET);
    await answers(client, i);
  }
});

it('lets immediates and timers go on between large reads, which are decided at once', async () => {
  const waited: number[] = [];
  let handled = 0;
  const gateway = await gatewayFor(() => async ({ request }) => {
    const at = ++handled;
    setImmediate(() => waited.push(handled - at));
    await request.entity.bytes();
    return new Response(204);
  });
  const client = await clientOf(gateway);
  const count = 300;
  client.send(`POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 20000\r\n\r\n${'x'.repeat(20_000)}`.repeat(count));
  await answers(client, count);
  await immediate();
  expect(waited).toHaveLength(count);
  expect(Math.max(...waited)).toBeLessThan(20);
});

it('leaves nothing that keeps the thread alive, however often the last connection is paused and resumed', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  await gatewayFor(() => () => new Response(204));
  await immediate();
  const before = timers();
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  await once(server, 'listening');
  const client = await RawClient.connect((server.address() as { port: number }).port);
  const socket = await accepted;
  server.close();
  const { fd } = (socket as unknown as { readonly _handle: { readonly fd: number } })._handle;
  const watched = { readable: () => {} };
  for (let i = 0; i < 3; i++) unwatchInput(fd, watchInput(fd, watched));
  await immediate();
  await immediate();
  socket.destroy();
  client.destroy();
  await expect.poll(timers).toBe(before);
});

it('serves on after an exception that nobody caught', async () => {
  const gateway = await gatewayFor(() => () => {
    process.nextTick(() => {
      throw new Error('forgotten');
    });
    return new Response(204);
  });
  const listeners = process.listeners('uncaughtException');
  const caught: unknown[] = [];
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => caught.push(error));
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  });
  const client = await clientOf(gateway);
  for (let i = 1; i <= 3; i++) {
    client.send(GET);
    await answers(client, i);
  }
  await immediate();
  expect(caught).toHaveLength(3);
});

it('gives the place of a connection that is gone to another one, and never its bytes', async () => {
  const gateway = await gatewayFor(() => ({ request }) => {
    const response = new Response(200);
    response.entity.set(request.uri.path);
    return response;
  });
  for (let round = 0; round < 20; round++) {
    const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.connect(gateway.port)));
    for (const [i, client] of clients.entries()) client.send(`GET /${round}/${i} HTTP/1.1\r\nHost: h\r\n\r\n`);
    await Promise.all(
      clients.map(async (client, i) => {
        if (i % 3 === 0) client.socket.resetAndDestroy();
        else expect(await client.until((text) => text.includes('\r\n\r\n/'))).toContain(`\r\n\r\n/${round}/${i}`);
      }),
    );
    for (const client of clients) client.destroy();
  }
});

it('closes when all connections are gone, and begins anew with the next one', async () => {
  const gateway = await gatewayFor(() => () => new Response(204));
  for (let i = 0; i < 5; i++) {
    const client = await RawClient.connect(gateway.port);
    client.send('GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    expect(await client.untilClosed()).toMatch(/^HTTP\/1.1 204/);
    client.destroy();
    await immediate(); // the loop ends when Node.js comes back to it
  }
});
