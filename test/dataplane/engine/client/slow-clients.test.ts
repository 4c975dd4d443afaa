import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilAnswers } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let backend: Server;
let gateway: TestGateway;

beforeAll(async () => {
  backend = createServer((request, response) => {
    if (request.url === '/large') response.end(Buffer.alloc(64 << 20));
    else response.end(`answer to ${request.url}`);
  }).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  gateway = await startGateway({
    backend: {
      destination: { host: '127.0.0.1', port: (backend.address() as AddressInfo).port },
      connections: 100,
      responseTimeout: 0,
      connectTimeout: 0,
      waitTimeout: 0,
    },
    // what well-behaved clients are held to as well is long enough for a busy machine
    limits: { headTimeout: 5000, rateGrace: 300, readGrace: 600, lingerTimeout: 120_000 },
  });
});
afterAll(async () => {
  await gateway.close();
  backend.closeAllConnections();
  backend.close();
});

/** Drips a head, a line at a time, until the gateway has had enough. @returns what it was told. */
async function dripHead(): Promise<string> {
  const client = await RawClient.connect(gateway.port);
  client.send('GET / HTTP/1.1\r\nHost: h\r\n');
  const drip = setInterval(() => client.send('X-Drip: d\r\n'), 50);
  await untilAnswers(client, 1);
  clearInterval(drip);
  client.destroy();
  return client.text;
}

/** Asks for a long answer and never reads it. @returns once the gateway has reset the connection. */
async function neverRead(): Promise<void> {
  const client = await RawClient.connect(gateway.port);
  client.socket.pause();
  client.send('GET /large HTTP/1.1\r\nHost: h\r\n\r\n');
  const poke = setInterval(() => client.send('\r\n'), 50); // a write is how a client that does not read hears of a reset
  await client.untilClosed();
  clearInterval(poke);
  client.destroy();
}

async function sendManyHeaders(): Promise<string> {
  const client = await RawClient.connect(gateway.port);
  client.send(`GET / HTTP/1.1\r\nHost: h\r\n${'X-Header: value\r\n'.repeat(100_000)}\r\n`);
  await untilAnswers(client, 1);
  client.destroy();
  return client.text;
}

/** A client that does everything right, as long as the others are at it. */
async function behave(name: string, over: () => boolean): Promise<number> {
  const client = await RawClient.connect(gateway.port);
  let asked = 0;
  do {
    asked++;
    client.send(`GET /${name}/${asked} HTTP/1.1\r\nHost: h\r\n\r\n`);
    await client.until((text) => text.endsWith(`answer to /${name}/${asked}`));
    if (client.closed) throw new Error(`${name} was closed after ${asked} requests`);
  } while (!over() || asked === 1);
  client.destroy();
  return asked;
}

it('serves well-behaved clients while slow and greedy ones are held off', async () => {
  let over = false;
  const before = process.memoryUsage().rss;
  const dripping = Promise.all(Array.from({ length: 200 }, dripHead));
  const idling = Promise.all(Array.from({ length: 20 }, neverRead));
  const greedy = Promise.all(Array.from({ length: 20 }, sendManyHeaders));
  const served = Promise.all(Array.from({ length: 20 }, (_, i) => behave(`client-${i}`, () => over)));
  const refusals = await dripping;
  await idling;
  const tooMany = await greedy;
  over = true;
  const counts = await served;

  expect(refusals.every((text) => text.startsWith('HTTP/1.1 408 '))).toBe(true);
  expect(tooMany.every((text) => text.startsWith('HTTP/1.1 431 '))).toBe(true);
  expect(counts.length).toBe(20);
  expect(process.memoryUsage().rss - before).toBeLessThan(512 << 20);
  expect(gateway.faults).toEqual([]);
});
