import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Next } from '../../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { untilAnswers } from '../../../support/clients/answers.ts';
import { ClosedLoopClient } from '../../../support/clients/closed-loop-client.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';
import { StoppedClock } from '../../../support/gateways/stopped-clock.ts';

/** More time than anything here takes, in milliseconds: a busy machine fails no test, and a good one waits for nothing. */
const AT_LEISURE = 50_000;

let backend: Server;
let gateway: TestGateway;
let release: (() => void)[] = [];

beforeAll(async () => {
  backend = createServer((request, response) => {
    if (request.url === '/held') release.push(() => response.end('at last'));
    else if (request.url === '/begun') {
      response.write('begun');
      release.push(() => response.end(' and ended'));
    } else response.end(`answer to ${request.url}`);
  }).listen(0, '127.0.0.1');
  await once(backend, 'listening');
});
afterAll(() => {
  backend.closeAllConnections();
  backend.close();
});
afterEach(async () => {
  release = [];
  await gateway.close();
});

async function start(handler?: (next: Next) => Next): Promise<void> {
  gateway = await startGateway({
    backend: { destination: { host: '127.0.0.1', port: (backend.address() as AddressInfo).port }, connections: 50 },
    ...(handler === undefined ? {} : { handler }),
  });
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`;

async function refusesConnections(): Promise<boolean> {
  const socket = connect(gateway.port, '127.0.0.1');
  const outcome = await new Promise<string>((resolve) => {
    socket.once('connect', () => resolve('connected'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
  socket.destroy();
  return outcome === 'ECONNREFUSED';
}

it('loses nothing of 1,000 connections under load', async () => {
  new StoppedClock(); // a busy machine takes longer than the grace period, and than a request may wait
  await start();
  const clients = await Promise.all(
    Array.from({ length: 1000 }, (_, i) => ClosedLoopClient.connect(gateway.port, `client-${i}`)),
  );
  const running = clients.map((client) => client.run());
  await vi.waitFor(() => expect(Math.min(...clients.map(({ answered }) => answered))).toBeGreaterThan(2), AT_LEISURE);

  const drained = gateway.listener.drain(AT_LEISURE);
  await Promise.all(running);
  expect(await drained).toBe(0);

  for (const client of clients) {
    expect(client.problem).toBe(null);
    expect(client.answered).toBe(client.sent);
    expect(client.told).toBe(true);
  }
  expect(gateway.finished).toHaveLength(clients.reduce((sum, { answered }) => sum + answered, 0));
  expect(gateway.finished.every(({ status }) => status === 200)).toBe(true);
  expect(await refusesConnections()).toBe(true);
});

it('finishes running requests and accepts no new connections', async () => {
  await start();
  const waiting = await RawClient.connect(gateway.port);
  const streaming = await RawClient.connect(gateway.port);
  waiting.send(get('/held'));
  streaming.send(get('/begun'));
  await streaming.until((text) => text.includes('begun'));
  await vi.waitFor(() => expect(release).toHaveLength(2), AT_LEISURE);
  const drained = gateway.listener.drain(AT_LEISURE);
  await vi.waitFor(async () => expect(await refusesConnections()).toBe(true), AT_LEISURE);
  for (const go of release) go();
  const [held] = await untilAnswers(waiting, 1);
  expect([held!.body, held!.headers.get('connection')]).toEqual(['at last', 'close']);
  const [begun] = await untilAnswers(streaming, 1);
  expect(begun!.body).toBe('begun and ended');
  expect(begun!.headers.has('connection')).toBe(false);

  streaming.send(get('/next')); // nobody told this client to go: its next request counts
  const [, next] = await untilAnswers(streaming, 2);
  expect([next!.body, next!.headers.get('connection')]).toEqual(['answer to /next', 'close']);
  await Promise.all([waiting.untilClosed(), streaming.untilClosed()]);
  expect([waiting.failed, streaming.failed]).toEqual([false, false]);
  waiting.destroy();
  streaming.destroy();
  expect(await drained).toBe(0);
});

it('answers pipelined requests, and closes with the last response', async () => {
  await start();
  const client = await RawClient.connect(gateway.port);
  client.send(get('/held') + Array.from({ length: 50 }, (_, i) => get(`/${i}`)).join(''));
  await vi.waitFor(() => expect(release).toHaveLength(1), AT_LEISURE);
  const drained = gateway.listener.drain(AT_LEISURE);
  for (const go of release) go();
  const answers = await untilAnswers(client, 51);
  expect(answers.slice(1).map(({ body }) => body)).toEqual(Array.from({ length: 50 }, (_, i) => `answer to /${i}`));
  expect(answers.filter(({ headers }) => headers.get('connection') === 'close')).toEqual([answers.at(-1)]);
  await client.untilClosed();
  client.destroy();
  expect(await drained).toBe(0);
});

it('closes new and used idle connections after a short grace period', async () => {
  await start();
  const fresh = await RawClient.connect(gateway.port);
  const used = await RawClient.connect(gateway.port);
  const late = await RawClient.connect(gateway.port);
  used.send(get('/'));
  await untilAnswers(used, 1);
  const drained = gateway.listener.drain(AT_LEISURE);
  late.send(get('/late'));
  const [answer] = await untilAnswers(late, 1);
  expect([answer!.status, answer!.headers.get('connection')]).toEqual([200, 'close']);
  await Promise.all([fresh.untilClosed(), used.untilClosed(), late.untilClosed()]);
  for (const client of [fresh, used, late]) {
    expect(client.failed).toBe(false);
    client.destroy();
  }
  expect(await drained).toBe(0);
});

it('finishes a request whose head or body is still arriving', async () => {
  await start(() => async (exchange) => textResponse(200, await exchange.request.entity.text()));
  const head = await RawClient.connect(gateway.port);
  const body = await RawClient.connect(gateway.port);
  head.send('POST / HTTP/1.1\r\nHost: h\r\nContent-');
  body.send('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc');
  await RawClient.connect(gateway.port).then((client) => client.destroy()); // by now both have been read
  const drained = gateway.listener.drain(AT_LEISURE);
  head.send('Length: 3\r\n\r\nxyz');
  body.send('def');
  for (const [client, text] of [
    [head, 'xyz'],
    [body, 'abcdef'],
  ] as const) {
    const [answer] = await untilAnswers(client, 1);
    expect([answer!.body, answer!.headers.get('connection')]).toEqual([text, 'close']);
    client.destroy();
  }
  expect(await drained).toBe(0);
});

it('closes unfinished connections at the drain timeout and reports their number', async () => {
  await start();
  const clients = [await RawClient.connect(gateway.port), await RawClient.connect(gateway.port)];
  for (const client of clients) client.send(get('/held'));
  await vi.waitFor(() => expect(release).toHaveLength(2), AT_LEISURE);
  expect(await gateway.listener.drain(50)).toBe(2);
  for (const client of clients) {
    expect(await client.untilClosed()).toBe('');
    expect(client.failed).toBe(true);
  }
});
