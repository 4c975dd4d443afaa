import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Next } from '../../../../dataplane/engine/message/exchange.ts';
import { StrictBackend } from '../../../support/backends/strict-backend.ts';
import { refusalOf } from '../../../support/clients/answers.ts';
import { nextTurn, untilTrue } from '../../../support/clients/event-loop.ts';
import { parseAnswers, type RawAnswer, RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';
import { get, startProxiedBackend } from '../../../support/gateways/proxied-backend.ts';

// What test/fuzz has found, each in the smallest form that showed it.

const LIMITS = { headBytes: 200, bodyBytes: 20 };
let backend: StrictBackend;
let gateway: TestGateway;
/** Where a filter waits, so that a test decides when it goes on. */
let held: (() => void)[] = [];
let goneOn = 0;

const holding =
  (next: Next): Next =>
  (exchange) => {
    if (!exchange.request.uri.path.startsWith('/held')) return next(exchange);
    return new Promise<void>((resolve) => held.push(resolve)).then(() => {
      goneOn++;
      return next(exchange);
    });
  };

beforeAll(async () => {
  backend = await StrictBackend.start();
  gateway = await startGateway({
    backend: { destination: { host: '127.0.0.1', port: backend.port } },
    handler: holding,
    limits: { ...LIMITS, halfClose: true },
  });
});
afterAll(async () => {
  await gateway.close();
  await backend.close();
});
beforeEach(() => {
  backend.requests.length = 0;
  held = [];
});

/** Sends the pieces one by one, says that nothing more comes, and reads to the end. */
async function send(...pieces: string[]): Promise<RawAnswer[]> {
  const client = await RawClient.connect(gateway.port);
  for (const piece of pieces) {
    client.send(piece);
    for (let turn = 0; turn < 3; turn++) await nextTurn(); // so that the gateway reads each piece on its own
  }
  client.finish();
  const text = await client.untilClosed();
  client.destroy();
  const heads = backend.requests.map((request) => request.method === 'HEAD');
  return parseAnswers(text, pieces[0]!.startsWith('HEAD') ? [true] : heads);
}

const verdict = (answers: readonly RawAnswer[]): string[] =>
  answers.map((answer) => (answer.status === 200 ? '200' : `${answer.status} ${refusalOf(answer)}`));

const BEFORE_LIMIT = `GET / HTTP/1.1\r\na: ${'x'.repeat(150)}\r\n`;
const CHUNKED = 'POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('a refusal does not depend on where the bytes were cut', () => {
  it.each([
    ['a method that cannot be one', 'G/', 'G'.length, '400 request-line'],
    ['a method that is too long', `${'M'.repeat(40)} / HTTP/1.1\r\n\r\n`, 36, '400 method'],
    ['a later version', 'GET / HTTP/2.0\r\n\r\n', 'GET / HTTP/2'.length, '505 version'],
    ['a bad line behind the limit', `GET / HTTP/1.1\r\na: ${'x'.repeat(300)}\n\r\n`, 230, '431 headers-too-large'],
    [
      'a bad length behind the limit',
      `${BEFORE_LIMIT}Content-Length: ${'z'.repeat(40)}\r\n\r\n`,
      210,
      '431 headers-too-large',
    ],
    ['too much content that is also broken', `${CHUNKED}1e\r\n${'x'.repeat(30)}\r\nzz`, 90, '413 body-too-large'],
    ['too much content without its end', `${CHUNKED}1e\r\n${'x'.repeat(30)}\r\n0\r\n`, 90, '413 body-too-large'],
    ['a trailer that cannot be one', `${CHUNKED}0\r\n\b`, CHUNKED.length + 3, '400 chunk'],
  ])('for %s', async (_name, stream, cut, expected) => {
    expect(verdict(await send(stream))).toEqual([expected]);
    expect(verdict(await send(stream.slice(0, cut), stream.slice(cut)))).toEqual([expected]);
    expect(backend.requests).toEqual([]);
  });

  it('for a head that fills the limit to the last byte', async () => {
    const line = 'GET / HTTP/1.1\r\nHost: h\r\n';
    const head = `${line}a: ${'x'.repeat(LIMITS.headBytes - line.length - 'a: \r\n'.length)}\r\n`;
    expect(head).toHaveLength(LIMITS.headBytes);
    expect(verdict(await send(`${head}\r\n`))).toEqual(['200']);
    expect(verdict(await send(`${head}\r`, '\n'))).toEqual(['200']);
  });
});

describe('empty lines around requests', () => {
  it('may be cut in the middle', async () => {
    expect(verdict(await send('\r', '\nGET / HTTP/1.1\r\nHost: h\r\n\r\n'))).toEqual(['200']);
  });

  it('do not create a request that was never sent', async () => {
    expect(verdict(await send('GET / HTTP/1.1\r\nHost: h\r\n\r\n\r\n'))).toEqual(['200']);
    expect(verdict(await send('\r\n'))).toEqual([]);
  });
});

it.each(['GET / HTTP/1.1\r\nHost: h\r\n\n', 'GET / HTTP/1.0\n'])(
  'a line that cannot be one is refused at once: %j',
  async (stream) => {
    const client = await RawClient.connect(gateway.port);
    for (const byte of stream) {
      client.send(byte);
      await nextTurn();
    }
    await client.until((text) => text.includes('refusal'));
    expect(parseAnswers(client.text)[0]!.status).toBe(400);
    client.destroy();
  },
);

it('a rejected HEAD request gets no content, with or without a received body', async () => {
  const head = 'HEAD / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (const pieces of [[`${head}zz`], [head, 'zz'], [`${head}0\r\n`]]) {
    const answers = await send(...pieces);
    expect(answers.map(({ status, body }) => [status, body])).toEqual([[400, '']]);
  }
});

it('Connection is read as RFC 9110 spells it, not as Unicode does', async () => {
  const answers = await send(
    'GET / HTTP/1.1\r\nHost: h\r\nConnection: \xa0close\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n',
  );
  expect(verdict(answers)).toEqual(['200', '200']);
});

it('Via names the version of each request, also of an old one behind a new one', async () => {
  await send('GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.0\r\nHost: h\r\n\r\n');
  const via = backend.requests.map(({ headers }) => headers.find(([name]) => name === 'via')![1]);
  expect(via).toEqual(['1.1 gatewarden', '1.0 gatewarden']);
});

it('a Host that names a zone is refused', async () => {
  expect(verdict(await send('GET / HTTP/1.1\r\nHost: [fe80::1%25eth0]\r\n\r\n'))).toEqual(['400 host']);
});

it('a filter that continues after the client disconnected is not an error', async () => {
  const client = await RawClient.connect(gateway.port);
  client.send('POST /held HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf');
  await untilTrue(() => held.length === 1);
  client.finish();
  expect(verdict(parseAnswers(await client.untilClosed()))).toEqual(['400 incomplete']);
  const before = goneOn;
  for (const go of held) go();
  await untilTrue(() => goneOn > before);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect(gateway.faults).toEqual([]);
  expect(backend.requests).toEqual([]);
});

it('an incomplete request after a complete one is rejected when the input ends', async () => {
  const half = 'POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf';
  expect(verdict(await send(`GET /1 HTTP/1.1\r\nHost: h\r\n\r\n${half}`))).toEqual(['200', '400 incomplete']);
});

it('an answer that ends with its connection is not whole when the backend reset it', async () => {
  let peerGone = false;
  const { client } = await startProxiedBackend(async (peer) => {
    await peer.head();
    peer.send('HTTP/1.1 200 OK\r\n\r\npart');
    peer.reset();
    peerGone = true;
  });
  const connection = await client();
  connection.send('POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n');
  await untilTrue(() => peerGone);
  connection.send('4\r\nmore\r\n0\r\n\r\n'); // writing this takes the error that reading would have shown
  await connection.untilClosed();
  expect(connection.failed).toBe(true);
  expect(connection.text).not.toContain('0\r\n\r\n');
});

it('an interim answer has no length', async () => {
  const { client } = await startProxiedBackend(async (peer) => {
    await peer.request();
    peer.send('HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\nLink: <x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n');
  });
  const connection = await client();
  connection.send(get('/'));
  const text = await connection.until((seen) => seen.includes('204'));
  expect(text.toLowerCase()).toContain('link: <x>');
  expect(text.toLowerCase()).not.toContain('content-length');
});

it('a long request does not wait for the end of its chunks, which would be read again with each byte', async () => {
  let begun = false;
  const { client } = await startProxiedBackend(async (peer) => {
    await peer.until((text) => text.includes('\r\n\r\n'));
    begun = true;
    await peer.request();
    peer.send('HTTP/1.1 204 No Content\r\n\r\n');
  });
  const connection = await client();
  connection.send(`${CHUNKED}${'1\r\nx\r\n'.repeat(1000)}0\r\n`);
  await untilTrue(() => begun);
  connection.send('\r\n');
  expect(await connection.until((text) => text.includes('\r\n\r\n'))).toContain('204');
});
