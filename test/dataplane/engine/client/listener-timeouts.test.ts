import { once } from 'node:events';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { ListenerLimits } from '../../../../dataplane/engine/head/limits.ts';
import type { Next } from '../../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { COUNTER, counters } from '../../../../dataplane/engine/wire/counters.ts';
import { StrictBackend } from '../../../support/backends/strict-backend.ts';
import { ask, refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';
import { heldHandler } from '../../../support/gateways/held-handler.ts';

let backend: StrictBackend;
let gateway: TestGateway;
const clients: RawClient[] = [];

beforeAll(async () => {
  backend = await StrictBackend.start();
  return () => backend.close();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await gateway.close();
});

async function start(limits: Partial<ListenerLimits>, handler?: (next: Next) => Next): Promise<void> {
  backend.requests.length = 0;
  gateway = await startGateway({
    backend: { destination: { host: '127.0.0.1', port: backend.port } },
    limits,
    ...(handler === undefined ? {} : { handler }),
  });
}

async function open(): Promise<RawClient> {
  const client = await RawClient.connect(gateway.port);
  clients.push(client);
  return client;
}

const connectionsOpen = (): number => counters.block[COUNTER.connectionsOpen]!;

it('headTimeout: 408 for a head that drips in, from its first byte on', async () => {
  await start({ headTimeout: 300, idleTimeout: 60_000 });
  const client = await open();
  client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
  await untilAnswers(client, 1);
  client.send('GET / HTTP/1.1\r\nHost: h\r\n');
  const drip = setInterval(() => client.send('X-Drip: d\r\n'), 20);
  const [, answer] = await untilAnswers(client, 2);
  clearInterval(drip);
  expect(answer!.status).toBe(408);
  expect(refusalOf(answer!)).toBe('head-timeout');
  expect(answer!.headers.get('connection')).toBe('close');
  expect(backend.requests).toHaveLength(1);
});

it('headTimeout: closes a silent new connection without a response', async () => {
  await start({ headTimeout: 200 });
  const client = await open();
  expect(await client.untilClosed()).toBe('');
  expect(client.failed).toBe(false);
});

it('headTimeout: closes a connection that sends only empty lines', async () => {
  await start({ headTimeout: 200 });
  const client = await open();
  client.send('\r\n\r\n');
  expect(await client.untilClosed()).toBe('');
  expect(client.failed).toBe(false);
});

it('idleTimeout: closes an idle connection', async () => {
  await start({ idleTimeout: 200, headTimeout: 60_000 });
  const client = await open();
  client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
  const [answer] = await untilAnswers(client, 1);
  expect(answer!.headers.has('connection')).toBe(false);
  const text = client.text;
  expect(await client.untilClosed()).toBe(text);
  expect(client.failed).toBe(false);
});

it('requestTimeout: 503 when no answer has begun', async () => {
  await start({ requestTimeout: 200 }, heldHandler().handler);
  const client = await open();
  client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
  const [answer] = await untilAnswers(client, 1);
  expect(answer!.status).toBe(503);
  expect(refusalOf(answer!)).toBe('request-timeout');
  expect(answer!.headers.get('connection')).toBe('close');
});

it('requestTimeout: fires on time, not at the next rate check', async () => {
  const startedAt = performance.now();
  await start({ requestTimeout: 5100, rateGrace: 5000 }, heldHandler().handler);
  const answer = await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\n');
  expect(answer.status).toBe(503);
  expect(performance.now() - startedAt).toBeLessThan(9900);
});

it('requestTimeout: leaves an answer alone that has begun', async () => {
  let finish = (): void => {};
  const more = new Promise<void>((resolve) => {
    finish = resolve;
  });
  async function* slowly(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('first ');
    await more;
    yield Buffer.from('last');
  }
  const never = new Promise<never>(() => {});
  await start({ requestTimeout: 200, rateGrace: 100 }, () => (exchange) => {
    if (exchange.request.uri.path === '/never') return never;
    const response = textResponse(200, '');
    response.entity.setStream(slowly());
    return response;
  });
  const client = await open();
  client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
  await client.until((text) => text.includes('first '));
  const later = await ask(gateway.port, 'GET /never HTTP/1.1\r\nHost: h\r\n'); // its time is over, so the other's is
  expect(later.status).toBe(503);
  finish();
  const [answer] = await untilAnswers(client, 1);
  expect(answer!.body).toBe('first last');
});

it('bodyRate: 408 for a body that trickles', async () => {
  await start({ bodyRate: 1000, rateGrace: 100 });
  const client = await open();
  client.send('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n');
  const drip = setInterval(() => client.send('.'), 20);
  const [answer] = await untilAnswers(client, 1);
  clearInterval(drip);
  expect(answer!.status).toBe(408);
  expect(refusalOf(answer!)).toBe('body-timeout');
  expect(backend.requests).toEqual([]);
});

it('bodyRate: accepts a slow body above the minimum rate', async () => {
  await start({ bodyRate: 10, rateGrace: 100 });
  const client = await open();
  client.send('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 40\r\n\r\n');
  let sent = 0;
  const drip = setInterval(() => {
    client.send('.');
    if (++sent === 40) clearInterval(drip);
  }, 20);
  const [answer] = await untilAnswers(client, 1);
  expect(answer!.status).toBe(200);
});

it('bodyRate: does not blame a client for a handler that does not read', async () => {
  const { handler, release } = heldHandler();
  await start({ bodyRate: 1000, rateGrace: 100, requestTimeout: 60_000 }, handler);
  const client = await open();
  client.send('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n');
  client.send(Buffer.alloc(1_000_000));
  const other = await open(); // five times the grace, seen by a client that is to blame
  const drip = setInterval(() => other.send('.'), 20);
  other.send('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n');
  expect((await untilAnswers(other, 1))[0]!.status).toBe(408);
  clearInterval(drip);
  release();
  expect((await untilAnswers(client, 1))[0]!.status).toBe(200);
});

it('readRate: cuts off a client that does not read a long answer', async () => {
  await start({ readRate: 1000, rateGrace: 100, readGrace: 100 }, () => () => longAnswer());
  const client = await open();
  client.socket.pause();
  client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
  await vi.waitFor(() => expect(gateway.finished).toHaveLength(1), 5000);
  client.socket.resume();
  await client.untilClosed();
  expect(client.failed).toBe(true);
  await vi.waitFor(() => expect(connectionsOpen()).toBe(0));
});

it('readRate: disconnects a client that does not read the end of a response', async () => {
  await start({ readRate: 1000, rateGrace: 100, readGrace: 100, idleTimeout: 600_000 }, () => () => {
    const response = textResponse(200, '');
    response.entity.set(Buffer.alloc(64 << 20));
    return response;
  });
  const client = await open();
  client.socket.pause();
  client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
  await vi.waitFor(() => expect(connectionsOpen()).toBe(1));
  await vi.waitFor(() => expect(connectionsOpen()).toBe(0), 5000);
});

it.each([
  ['a kept connection', ''],
  ['a connection that is to be closed', 'Connection: close\r\n'],
])('idleTimeout, lingerTimeout: do not cut off an answer that is still being read on %s', async (_name, line) => {
  const size = 14 << 20;
  await start({ idleTimeout: 100, lingerTimeout: 100, rateGrace: 100, readGrace: 2000 }, () => () => {
    const response = textResponse(200, '');
    response.entity.set(Buffer.alloc(size));
    return response;
  });
  const client = await open();
  client.socket.removeAllListeners('data');
  client.socket.pause();
  client.send(`GET / HTTP/1.1\r\nHost: h\r\n${line}\r\n`);
  let read = 0;
  const sip = setInterval(() => {
    for (let i = 0; i < 8; i++) read += (client.socket.read() as Buffer | null)?.length ?? 0;
  }, 10);
  await once(client.socket, 'end');
  clearInterval(sip);
  expect(read).toBeGreaterThan(size);
  expect(client.failed).toBe(false);
});

it('lingerTimeout: a client that keeps sending after a rejection still gets it, and is closed at the end', async () => {
  await start({ lingerTimeout: 300 });
  const client = await open();
  client.send('GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n');
  for (let i = 0; i < 50; i++) {
    client.send(Buffer.alloc(20_000));
    await nextTurn();
  }
  const [answer] = await untilAnswers(client, 1);
  expect(answer!.status).toBe(400);
  expect(client.failed).toBe(false);
  await vi.waitFor(() => expect(connectionsOpen()).toBe(0), 5000);
});

/** An answer that never ends. */
function longAnswer() {
  async function* endlessly(): AsyncGenerator<Uint8Array> {
    for (;;) yield Buffer.alloc(65_536);
  }
  const response = textResponse(200, '');
  response.entity.setStream(endlessly());
  return response;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
