import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FLAG } from '../../../../dataplane/engine/frames/frames.ts';
import { type ListenerLimits, listenerLimits } from '../../../../dataplane/engine/head/limits.ts';
import type { Next } from '../../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { COUNTER, counters } from '../../../../dataplane/engine/wire/counters.ts';
import { StrictBackend } from '../../../support/backends/strict-backend.ts';
import { ask, exchangeBytes, refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { FrameClient, GET, headersFrame } from '../../../support/clients/frame-client.ts';
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

const answering: Next = () => textResponse(200, 'here');
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

it('has a default and a description for every limit', () => {
  const defaults = listenerLimits.parse({});
  for (const [name, schema] of Object.entries(listenerLimits.shape)) {
    expect(defaults).toHaveProperty(name);
    expect(schema.description, name).toMatch(/\.$/);
  }
  expect(() => listenerLimits.parse({ headLines: 1 })).toThrow();
  gateway = { close: async () => {} } as TestGateway;
});

it('http2: without it the preface of HTTP/2 is a version that is not spoken', async () => {
  await start({ http2: false });
  const [answer] = await exchangeBytes(gateway.port, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  expect([answer!.status, refusalOf(answer!)]).toEqual([505, 'version']);
});

describe('sizes', () => {
  it.each([
    ['whole', 1 << 20],
    ['in pieces of 5 bytes', 5],
  ])('targetBytes: 414 beyond it, sent %s', async (_name, size) => {
    await start({ targetBytes: 40 });
    const at = await sendInPieces(`GET /${'a'.repeat(39)} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`, size);
    const beyond = await sendInPieces(`GET /${'a'.repeat(40)} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`, size);
    expect(at.status).toBe(200);
    expect(beyond.status).toBe(414);
    expect(refusalOf(beyond)).toBe('target-too-long');
    expect(backend.requests).toHaveLength(1);
  });

  it.each([
    ['whole', 1 << 20],
    ['all but the last byte first', 301],
    ['all but the empty line first', 300],
    ['in pieces of 7 bytes', 7],
  ])('headBytes: 431 beyond it, the empty line not counted, sent %s', async (_name, size) => {
    await start({ headBytes: 300 });
    const head = (length: number): string => {
      const start = 'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-Pad: ';
      return `${start}${'p'.repeat(length - start.length - 4)}\r\n\r\n`;
    };
    const at = await sendInPieces(head(302), size);
    const beyond = await sendInPieces(head(303), size);
    expect(at.status).toBe(200);
    expect(beyond.status).toBe(431);
    expect(refusalOf(beyond)).toBe('headers-too-large');
    expect(backend.requests).toHaveLength(1);
  });

  it('headBytes: does not count the empty lines that a client may send before a request', async () => {
    const head = 'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';
    await start({ headBytes: head.length - 2 });
    for (const size of [1000, head.length, 3]) {
      expect((await sendInPieces(`\r\n\r\n${head}`, size)).status).toBe(200);
    }
  });

  it('headerLines: 431 beyond it', async () => {
    await start({ headerLines: 10 });
    const lines = (count: number): string => Array.from({ length: count }, (_, i) => `X-${i}: v\r\n`).join('');
    const at = await ask(gateway.port, `GET / HTTP/1.1\r\nHost: h\r\n${lines(8)}`);
    const beyond = await ask(gateway.port, `GET / HTTP/1.1\r\nHost: h\r\n${lines(9)}`);
    expect(at.status).toBe(200);
    expect(beyond.status).toBe(431);
    expect(refusalOf(beyond)).toBe('headers-too-many');
    expect(backend.requests).toHaveLength(1);
  });

  it('counts header lines that it would drop', async () => {
    await start({ headerLines: 10 });
    const dropped = 'X-Forwarded-For: 1.2.3.4\r\n'.repeat(9);
    expect((await ask(gateway.port, `GET / HTTP/1.1\r\nHost: h\r\n${dropped}`)).status).toBe(431);
  });

  it('answers 100,000 header lines with 431, within the memory for one head, and serves other clients', async () => {
    await start({});
    const lines = 'X-Header: value\r\n'.repeat(100_000);
    const other = await open();
    const client = await open();
    const before = process.memoryUsage().arrayBuffers;
    client.send(`GET / HTTP/1.1\r\nHost: h\r\n${lines}\r\n`);
    other.send('GET /other HTTP/1.1\r\nHost: h\r\n\r\n');
    const [[refused], [served]] = await Promise.all([untilAnswers(client, 1), untilAnswers(other, 1)]);
    expect(refused!.status).toBe(431);
    expect(served!.status).toBe(200);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 << 20);
    expect(backend.requests.map((request) => request.target)).toEqual(['/other']);
  });

  it('bodyBytes: 413 by the declared length before anything is sent on', async () => {
    await start({ bodyBytes: 10 });
    const at = await ask(gateway.port, 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n', '0123456789');
    const beyond = await ask(gateway.port, 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n', '0123456789a');
    expect(at.status).toBe(200);
    expect(beyond.status).toBe(413);
    expect(refusalOf(beyond)).toBe('body-too-large');
    expect(backend.requests.map((request) => request.body)).toEqual(['0123456789']);
  });

  it.each([
    ['at once', (client: RawClient, chunks: string[]) => client.send(chunks.join(''))],
    [
      'chunk by chunk',
      async (client: RawClient, chunks: string[]) => {
        for (const chunk of chunks) {
          client.send(chunk);
          await nextTurn();
        }
      },
    ],
  ])('bodyBytes: 413 for chunks that arrive %s, and no complete request reaches the backend', async (_name, send) => {
    await start({ bodyBytes: 10 });
    const head = 'POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n';
    const at = await open();
    await send(at, [head, '4\r\n0123\r\n', '6\r\n456789\r\n', '0\r\n\r\n']);
    expect((await untilAnswers(at, 1))[0]!.status).toBe(200);
    const beyond = await open();
    await send(beyond, [head, '4\r\n0123\r\n', '7\r\n456789a\r\n', '0\r\n\r\n']);
    const [answer] = await untilAnswers(beyond, 1);
    expect(answer!.status).toBe(413);
    expect(refusalOf(answer!)).toBe('body-too-large');
    expect(answer!.headers.get('connection')).toBe('close');
    expect(backend.requests.map((request) => request.body)).toEqual(['0123456789']);
    expect(backend.violations).toEqual([]);
  });

  it.each(['GET / HTTP/1.1\r\n', 'GET / HTTP/1.1\r\nHost:\r\n', 'OPTIONS * HTTP/1.1\r\n'])(
    'missingHost: 400 for %j, unless it is allowed',
    async (head) => {
      await start({});
      const refused = await ask(gateway.port, head);
      expect([refused.status, refusalOf(refused)]).toEqual([400, 'host']);
      expect((await ask(gateway.port, head.replace('1.1', '1.0'))).status).toBe(200);
      await gateway.close();
      await start({ missingHost: true });
      expect((await ask(gateway.port, head)).status).toBe(200);
    },
  );

  it('missingHost: 400 for a request of HTTP/2 without an authority, unless it is allowed', async () => {
    const fields = GET.filter(([name]) => name !== ':authority');
    for (const [limits, status] of [[{}, '400'] as const, [{ missingHost: true }, '200'] as const]) {
      await start(limits);
      const client = await FrameClient.connect(gateway.port);
      client.send(headersFrame(1, fields, FLAG.END_HEADERS | FLAG.END_STREAM));
      expect(await client.outcome(1)).toBe(status);
      client.raw.destroy();
      if (status === '400') await gateway.close();
    }
  });

  it('headerBytes: 431 for more bytes of header lines, even with a short request line', async () => {
    await start({ headerBytes: 1000 });
    const ofBytes = (bytes: number): string => `GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(bytes - 33)}\r\n`;
    expect(ofBytes(1000).length + 'Connection: close\r\n'.length - 'GET / HTTP/1.1\r\n'.length).toBe(1000);
    expect((await ask(gateway.port, ofBytes(1000))).status).toBe(200);
    const refused = await ask(gateway.port, ofBytes(1001));
    expect([refused.status, refusalOf(refused)]).toEqual([431, 'headers-too-large']);
  });

  it('TRACE is 405 over HTTP/1.1 and HTTP/2 for all limits', async () => {
    await start({});
    const refused = await ask(gateway.port, 'TRACE / HTTP/1.1\r\nHost: h\r\n');
    expect([refused.status, refusalOf(refused)]).toEqual([405, 'trace']);
    const client = await FrameClient.connect(gateway.port);
    client.send(headersFrame(1, [[':method', 'TRACE'], ...GET.slice(1)], FLAG.END_HEADERS | FLAG.END_STREAM));
    expect(await client.outcome(1)).toBe('405');
    client.raw.destroy();
    expect(backend.requests).toEqual([]);
  });

  it('underscores: 400 for a name that holds one, unless they are allowed', async () => {
    await start({});
    const refused = await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\nX_Name: v\r\n');
    expect(refused.status).toBe(400);
    expect(refusalOf(refused)).toBe('header-underscore');
    await gateway.close();
    await start({ underscores: true });
    expect((await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\nX_Name: v\r\n')).status).toBe(200);
    expect(backend.requests[0]!.headers).toContainEqual(['x_name', 'v']);
  });
});

describe('numbers', () => {
  it('connections: closes further ones at once, and accepts new ones after others close', async () => {
    await start({ connections: 3 });
    const held = [await open(), await open(), await open()];
    for (const client of held) client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    for (const client of held) expect((await untilAnswers(client, 1))[0]!.status).toBe(200);
    const refusedBefore = counters.block[COUNTER.connectionsRefused]!;
    const refused = await open();
    refused.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    expect(await refused.untilClosed()).toBe('');
    expect(counters.block[COUNTER.connectionsRefused]! - refusedBefore).toBe(1);
    held[0]!.destroy();
    await vi.waitFor(() => expect(connectionsOpen()).toBe(2));
    expect((await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\n')).status).toBe(200);
    held[1]!.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    expect(await untilAnswers(held[1]!, 2)).toHaveLength(2);
  });

  it('requestsPerConnection: the last response has Connection: close, and later requests are not served', async () => {
    await start({ requestsPerConnection: 3 });
    const request = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';
    const answers = await exchangeBytes(gateway.port, request.repeat(5));
    expect(answers.map((answer) => answer.headers.get('connection'))).toEqual([undefined, undefined, 'close']);
    expect(backend.requests).toHaveLength(3);
  });

  it.each([
    [200_000, 400],
    [5000, 5000],
  ])('serves no further requests of a client that does not read answers of %i bytes', async (size, count) => {
    let served = 0;
    const body = Buffer.alloc(size, 'a');
    await start({ halfClose: true }, () => () => {
      served++;
      const response = textResponse(200, '');
      response.entity.set(body);
      return response;
    });
    const client = await open();
    let read = 0;
    client.socket.removeAllListeners('data');
    client.socket.pause();
    client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(count));
    client.finish();
    const pinging = await startGateway({ handler: () => answering });
    for (let i = 0; i < 50; i++) await ask(pinging.port, 'GET / HTTP/1.1\r\nHost: h\r\n');
    await pinging.close();
    expect(served).toBeGreaterThan(0);
    expect(served * size).toBeLessThan(15 << 20);
    client.socket.on('data', (bytes: Buffer) => (read += bytes.length));
    client.socket.resume();
    await once(client.socket, 'end');
    expect(served).toBe(count);
    expect(read).toBeGreaterThan(count * body.length);
  });

  it('pipelineBytes: reading pauses while requests wait, and resumes without loss', async () => {
    const { handler, release } = heldHandler();
    await start({ pipelineBytes: 10_000 }, handler);
    const request = `GET / HTTP/1.1\r\nHost: h\r\nX-Pad: ${'p'.repeat(30_000)}\r\n\r\n`;
    const count = 500;
    const client = await open();
    client.send(request.repeat(count));
    const other = await open();
    const pinging = await startGateway({ handler: () => answering });
    for (let i = 0; i < 100; i++) await ask(pinging.port, 'GET / HTTP/1.1\r\nHost: h\r\n');
    expect(client.socket.writableLength).toBeGreaterThan(0);
    await pinging.close();
    release();
    other.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    await untilAnswers(other, 1);
    await client.until((text) => text.length >= count * 100 && text.split('at last').length > count);
    expect(client.text.split('HTTP/1.1 200 OK').length - 1).toBe(count);
  });
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Sends bytes in pieces of a size, each in a turn of its own, and reads one answer. */
async function sendInPieces(text: string, size: number) {
  const client = await RawClient.connect(gateway.port);
  for (let at = 0; at < text.length; at += size) {
    client.send(text.slice(at, at + size));
    await nextTurn();
  }
  const [answer] = await untilAnswers(client, 1);
  client.destroy();
  return answer!;
}
