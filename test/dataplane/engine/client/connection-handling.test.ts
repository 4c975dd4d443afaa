import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chain } from '../../../../dataplane/engine/message/chain.ts';
import type { Filter } from '../../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { StrictBackend } from '../../../support/backends/strict-backend.ts';
import { ask, exchangeBytes, refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let backend: StrictBackend;
let gateway: TestGateway;

/** Answers some paths by itself, in the ways a filter can; the rest goes to the backend. */
const answering: Filter = (exchange, next) => {
  const { uri, entity } = exchange.request;
  if (uri.path.startsWith('/at-once')) return textResponse(200, `at once ${uri.query}`);
  if (uri.path.startsWith('/later')) {
    const text = `later ${uri.query}`; // read now: the exchange may move on
    return new Promise((resolve) => setImmediate(() => resolve(textResponse(200, text))));
  }
  if (uri.path === '/read') return entity.text().then((text) => textResponse(200, `read ${text}`));
  return next(exchange);
};

beforeAll(async () => {
  backend = await StrictBackend.start();
  gateway = await startGateway({
    limits: { halfClose: true },
    backend: { destination: { host: '127.0.0.1', port: backend.port } },
    handler: (next) => chain([answering], next),
  });
});
afterAll(async () => {
  await gateway.close();
  await backend.close();
});
beforeEach(() => {
  backend.requests.length = 0;
});

const targetsOf = (bodies: readonly { body: string }[]): string[] =>
  bodies.map(({ body }) => (JSON.parse(body) as { target: string }).target);

describe('keeping a connection', () => {
  it('keeps an HTTP/1.1 connection open without a Connection header', async () => {
    const client = await RawClient.connect(gateway.port);
    for (let i = 1; i <= 5; i++) {
      client.send(`GET /${i} HTTP/1.1\r\nHost: h\r\n\r\n`);
      const answers = await untilAnswers(client, i);
      expect(answers[i - 1]!.headers.has('connection')).toBe(false);
    }
    expect(targetsOf(await untilAnswers(client, 5))).toEqual(['/1', '/2', '/3', '/4', '/5']);
    client.destroy();
  });

  it.each(['close', 'Close', 'keep-alive, close', 'close, x-other', ' , close'])(
    'closes after Connection: %s',
    async (value) => {
      const answers = await exchangeBytes(
        gateway.port,
        `GET /1 HTTP/1.1\r\nHost: h\r\nConnection: ${value}\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n`,
      );
      expect(answers.map((answer) => answer.headers.get('connection'))).toEqual(['close']);
      expect(backend.requests.map((request) => request.target)).toEqual(['/1']);
    },
  );

  it('closes an HTTP/1.0 connection unless the client asks to keep it', async () => {
    const [closed] = await exchangeBytes(gateway.port, 'GET /1 HTTP/1.0\r\nHost: h\r\n\r\n');
    expect(closed!.status).toBe(200);
    expect(closed!.headers.get('connection')).toBe('close');

    const client = await RawClient.connect(gateway.port);
    client.send('GET /1 HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n');
    const [kept] = await untilAnswers(client, 1);
    expect(kept!.headers.get('connection')).toBe('keep-alive');
    client.send('GET /2 HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n');
    expect(await untilAnswers(client, 2)).toHaveLength(2);
    client.destroy();
  });

  it('sends HTTP/1.1 to the backend for every HTTP version of the client', async () => {
    await exchangeBytes(gateway.port, 'GET / HTTP/1.0\r\n\r\n');
    expect(backend.requests).toHaveLength(1);
    expect(backend.violations).toEqual([]);
  });

  it('closes an answer of unknown length to HTTP/1.0, unframed, and chunks it for HTTP/1.1', async () => {
    const streaming = await startGateway({
      handler: () => () => {
        const response = textResponse(200, '');
        response.entity.setStream(
          (async function* () {
            yield Buffer.from('one ');
            yield Buffer.from('two');
          })(),
        );
        return response;
      },
    });
    const [old] = await exchangeBytes(streaming.port, 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    expect(old!.body).toBe('one two');
    expect(old!.headers.has('transfer-encoding')).toBe(false);
    expect(old!.headers.get('connection')).toBe('close');
    const answer = await ask(streaming.port, 'GET / HTTP/1.1\r\nHost: h\r\n');
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    expect(answer.body).toBe('one two');
    await streaming.close();
  });

  it('answers HTTP/0.9 and closes', async () => {
    const answers = await exchangeBytes(gateway.port, 'GET /old\r\n\r\n');
    expect(answers).toHaveLength(1);
    expect(answers[0]!.headers.get('connection')).toBe('close');
    expect(backend.requests.map((request) => request.target)).toEqual(['/old']);
    const [refused] = await exchangeBytes(gateway.port, 'POST /old\r\n\r\n');
    expect(refused!.status).toBe(400);
  });
});

describe('pipelining', () => {
  it.each([
    ['a backend', '/'],
    ['a filter that answers at once', '/at-once'],
    ['a filter that answers later', '/later'],
  ])('answers 100 requests in one write in order, from %s', async (_name, path) => {
    const client = await RawClient.connect(gateway.port);
    const expected = Array.from({ length: 100 }, (_, i) => `${i}`);
    client.send(expected.map((i) => `GET ${path}?${i} HTTP/1.1\r\nHost: h\r\n\r\n`).join(''));
    const answers = await untilAnswers(client, 100);
    expect(answers.map(({ body }) => /(?:\?| )(\d+)/.exec(body)?.[1])).toEqual(expected);
    client.destroy();
  });

  it('answers requests with bodies in order, from the gateway or the backend', async () => {
    const client = await RawClient.connect(gateway.port);
    const paths = ['/a', '/at-once?1', '/read', '/later?2', '/at-once?3', '/b', '/read'];
    client.send(
      paths
        .map((path, i) =>
          i % 2 === 0
            ? `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nbody${i}`
            : `POST ${path} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbody${i}\r\n0\r\n\r\n`,
        )
        .join(''),
    );
    const bodies = (await untilAnswers(client, paths.length)).map((answer) => answer.body);
    expect(bodies[0]).toContain('body0');
    expect(bodies.slice(1, 5)).toEqual(['at once 1', 'read body2', 'later 2', 'at once 3']);
    expect(bodies[5]).toContain('body5');
    expect(bodies[6]).toBe('read body6');
    client.destroy();
  });

  it.each([
    ['a backend', '/'],
    ['a filter that answers at once', '/at-once'],
    ['a filter that answers later', '/later'],
  ])('answers earlier requests, then rejects a malformed request and closes, behind %s', async (_name, path) => {
    const good = `GET ${path}?1 HTTP/1.1\r\nHost: h\r\n\r\n`;
    const answers = await exchangeBytes(
      gateway.port,
      `${good.repeat(3)}GET /bad path HTTP/1.1\r\nHost: h\r\n\r\n${good}`,
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 400]);
    expect(answers[3]!.headers.get('connection')).toBe('close');
    expect(backend.requests.map((request) => request.target)).not.toContain('/bad');
  });

  it('answers requests that came before a malformed chunk', async () => {
    const answers = await exchangeBytes(
      gateway.port,
      'GET /1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 400]);
    expect(refusalOf(answers[1]!)).toBe('chunk');
  });
});

describe('a client with allowed half-close that sent all requests', () => {
  it.each([
    ['a backend', '/'],
    ['a filter that answers at once', '/at-once'],
    ['a filter that answers later', '/later'],
  ])('still gets its answers from %s', async (_name, path) => {
    const client = await RawClient.connect(gateway.port);
    client.send(`GET ${path}?1 HTTP/1.1\r\nHost: h\r\n\r\n`.repeat(20));
    client.finish();
    await client.untilClosed();
    expect(await untilAnswers(client, 20)).toHaveLength(20);
    expect(client.failed).toBe(false);
    client.destroy();
  });

  it('gets immediate and delayed responses', async () => {
    const client = await RawClient.connect(gateway.port);
    const paths = ['/later?1', '/at-once?2', '/at-once?3', '/later?4', '/at-once?5', '/at-once?6'];
    client.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`).join(''));
    client.finish();
    await client.untilClosed();
    const bodies = (await untilAnswers(client, 6)).map((answer) => answer.body);
    expect(bodies).toEqual(['later 1', 'at once 2', 'at once 3', 'later 4', 'at once 5', 'at once 6']);
    client.destroy();
  });

  it.each([
    ['in the middle of a head', 'GET / HTTP/1.1\r\nHo'],
    ['in the middle of a body', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n12345'],
    ['in the middle of a chunk', 'POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123'],
  ])('is refused when it ends %s, after the answers before it', async (_name, half) => {
    const client = await RawClient.connect(gateway.port);
    client.send(`GET /whole HTTP/1.1\r\nHost: h\r\n\r\n${half}`);
    client.finish();
    await client.untilClosed();
    const answers = await untilAnswers(client, 2);
    expect(answers.map((answer) => answer.status)).toEqual([200, 400]);
    expect(refusalOf(answers[1]!)).toBe('incomplete');
    expect(backend.requests.map((request) => request.target)).toEqual(['/whole']);
    client.destroy();
  });

  it('is closed without a response when it sent no request', async () => {
    const client = await RawClient.connect(gateway.port);
    client.finish();
    expect(await client.untilClosed()).toBe('');
    expect(client.failed).toBe(false);
  });
});

describe('bodies and answers', () => {
  it('answers HEAD with the head only, and keeps the connection', async () => {
    const client = await RawClient.connect(gateway.port);
    client.send('HEAD /1 HTTP/1.1\r\nHost: h\r\n\r\nHEAD /at-once HTTP/1.1\r\nHost: h\r\n\r\n');
    client.send('GET /2 HTTP/1.1\r\nHost: h\r\n\r\n');
    const answers = await untilAnswers(client, 3, [true, true, false]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(Number(answers[0]!.headers.get('content-length'))).toBeGreaterThan(0);
    expect(answers[1]!.headers.get('content-length')).toBe(String('at once null'.length));
    expect(answers[2]!.body).toContain('/2');
    client.destroy();
  });

  it.each(['continue', '100-continue, other', 'anything', ''])('refuses Expect: %s with 417', async (value) => {
    const [answer] = await exchangeBytes(
      gateway.port,
      `POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: ${value}\r\n\r\n.`,
    );
    expect(answer!.status).toBe(417);
    expect(refusalOf(answer!)).toBe('expectation');
    expect(backend.requests).toEqual([]);
  });

  it('ignores Expect in HTTP/1.0', async () => {
    const [answer] = await exchangeBytes(
      gateway.port,
      'POST /read HTTP/1.0\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc',
    );
    expect(answer!.status).toBe(200);
    expect(answer!.body).toBe('read abc');
  });

  it('sends 100 Continue when a filter reads the body', async () => {
    const client = await RawClient.connect(gateway.port);
    client.send('POST /read HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nExpect: 100-Continue\r\n\r\n');
    expect(await client.until((text) => text.includes('\r\n\r\n'))).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.send('body');
    const answers = await untilAnswers(client, 1);
    expect(answers.map((answer) => answer.status)).toEqual([100, 200]);
    expect(answers[1]!.body).toBe('read body');
    expect(answers[1]!.headers.has('connection')).toBe(false);
    client.destroy();
  });

  it('sends no 100 Continue for an unused body, and closes the connection', async () => {
    const client = await RawClient.connect(gateway.port);
    client.send('POST /at-once?x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n');
    await client.untilClosed();
    const answers = await untilAnswers(client, 1);
    expect(answers.map((answer) => answer.status)).toEqual([200]);
    expect(answers[0]!.headers.get('connection')).toBe('close');
    client.destroy();
  });

  it('keeps the connection when a filter ignores a body that arrived with its head', async () => {
    const client = await RawClient.connect(gateway.port);
    client.send('POST /at-once?1 HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody');
    expect((await untilAnswers(client, 1))[0]!.headers.has('connection')).toBe(false);
    client.send('POST /later?2 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n');
    expect((await untilAnswers(client, 2))[1]!.headers.has('connection')).toBe(false);
    client.send('GET /3 HTTP/1.1\r\nHost: h\r\n\r\n');
    expect((await untilAnswers(client, 3))[2]!.body).toContain('/3');
    client.destroy();
  });

  it.each(['/at-once', '/later'])(
    '%s: a body that is still coming costs the connection, not the answer',
    async (path) => {
      const client = await RawClient.connect(gateway.port);
      const size = 8 << 20;
      client.send(`POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Length: ${size}\r\n\r\n`);
      const [answer] = await untilAnswers(client, 1);
      expect(answer!.status).toBe(200);
      expect(answer!.headers.get('connection')).toBe('close');
      client.send(Buffer.alloc(size)); // all of it is taken, so that no reset overtakes the answer
      client.finish();
      await new Promise((resolve) => client.socket.once('close', resolve));
      expect(client.failed).toBe(false);
    },
  );

  it.each([
    ['POST', 'Content-Length: 0\r\n'],
    ['POST', ''],
    ['PUT', ''],
  ])('announces that a %s with "%s" has no content', async (method, line) => {
    await ask(gateway.port, `${method} / HTTP/1.1\r\nHost: h\r\n${line}`);
    expect(backend.requests[0]!.headers.filter(([name]) => name === 'content-length')).toEqual([
      ['content-length', '0'],
    ]);
  });

  it('passes a large body both ways without a change', async () => {
    const size = 3_000_000;
    const client = await RawClient.connect(gateway.port);
    const bytes = Buffer.alloc(size, 'abcdefghijklmnopqrstuvwxyz');
    client.send(`PUT /large HTTP/1.1\r\nHost: h\r\nContent-Length: ${size}\r\n\r\n`);
    client.send(bytes);
    await client.until((text) => text.length > size && text.endsWith('}'));
    const [answer] = await untilAnswers(client, 1);
    expect((JSON.parse(answer!.body) as { body: string }).body).toBe(bytes.toString());
    client.destroy();
  });
});
