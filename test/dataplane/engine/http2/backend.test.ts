import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Response, textResponse } from '../../../../dataplane/engine/message/response.ts';
import { bodyOf, type StreamHandler } from '../../../support/backends/http2-backend.ts';
import { refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { nextTurn, untilStill, untilTrue } from '../../../support/clients/event-loop.ts';
import { parseAnswers } from '../../../support/clients/raw-client.ts';
import { get, send } from '../../../support/gateways/proxied-backend.ts';
import { startProxiedHttp2 } from '../../../support/gateways/proxied-http2.ts';

/** Answers with what it saw. */
const echo: StreamHandler = async (stream, headers) => {
  const body = await bodyOf(stream);
  stream.respond({ ':status': 200, 'x-saw': `${headers[':method']} ${headers[':path']}` });
  stream.end(body);
};

describe('a request to a backend that speaks HTTP/2', () => {
  it('has the same headers as over HTTP/1.1, without hop-by-hop headers', async () => {
    const { backend, client } = await startProxiedHttp2(echo);
    const one = await client();
    one.send(
      get(
        '/a%20b?c=d',
        'X-One: 1\r\nx-two:  2 \r\nCookie: a=b\r\nCookie: c=d\r\nConnection: close, X-Mine\r\nX-Mine: m\r\nTE: trailers\r\n' +
          'Proxy-Authorization: Basic x\r\nX-Forwarded-For: 6.6.6.6\r\n',
      ),
    );
    const [answer] = await untilAnswers(one, 1);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer!.headers.get('x-saw')).toBe('GET /a%20b?c=d');
    expect(Object.fromEntries(Object.entries(backend.requests[0]!))).toEqual({
      ':method': 'GET',
      ':scheme': 'http',
      ':authority': 'gateway.test',
      ':path': '/a%20b?c=d',
      'x-one': '1',
      'x-two': '2',
      cookie: 'a=b; c=d',
      te: 'trailers',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-port': expect.any(String),
      'x-forwarded-host': 'gateway.test',
      via: '1.1 gatewarden',
    });
  });

  it('carries the edits of filters', async () => {
    const { backend, client } = await startProxiedHttp2(echo, {
      handler: (next) => (exchange) => {
        exchange.request.headers.set('Host', 'elsewhere.test');
        exchange.request.headers.append('X-Added', ' with space ');
        exchange.request.headers.delete('x-gone');
        exchange.request.uri = 'http://elsewhere.test/other';
        exchange.request.method = 'PUT';
        exchange.request.entity.set('replaced');
        return next(exchange);
      },
    });
    const one = await client();
    one.send(send('POST', '/', 'original', 'X-Gone: 1\r\n'));
    const [answer] = await untilAnswers(one, 1);
    expect(answer).toMatchObject({ status: 200, body: 'replaced' });
    expect(backend.requests[0]).toMatchObject({
      ':method': 'PUT',
      ':authority': 'elsewhere.test',
      ':path': '/other',
      'x-added': 'with space',
      'content-length': '8',
    });
    expect(backend.requests[0]).not.toHaveProperty('x-gone');
  });

  it('uses the address of the backend as authority when the client sent none', async () => {
    const { backend, client } = await startProxiedHttp2(echo);
    const one = await client();
    one.send('GET / HTTP/1.0\r\n\r\n');
    await one.untilClosed();
    const { host, port } = backend.destination;
    expect(backend.requests[0]![':authority']).toBe(`${host}:${port}`);
  });

  it.each([
    ['a small body', 'small'],
    ['a body larger than all windows', 'x'.repeat(1_000_000)],
  ])('has %s with any framing of the client', async (_case, body) => {
    const { backend, client } = await startProxiedHttp2(echo);
    const one = await client();
    one.send(send('POST', '/length', body));
    const chunk = body.slice(0, 40_000);
    one.send('POST /chunks HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n');
    for (let i = 0; i < 3; i++) one.send(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    one.send('0\r\n\r\n');
    const answers = await untilAnswers(one, 2);
    expect(answers[0]!.body === body).toBe(true);
    expect(answers[1]!.body === chunk.repeat(3)).toBe(true);
    expect(backend.requests[0]!['content-length']).toBe(String(body.length));
    expect(backend.requests[1]!['content-length']).toBeUndefined();
  });

  it('marks an empty POST as having no content', async () => {
    const { backend, client } = await startProxiedHttp2(echo);
    const one = await client();
    one.send('POST / HTTP/1.1\r\nHost: h\r\n\r\n');
    await untilAnswers(one, 1);
    expect(backend.requests[0]!['content-length']).toBe('0');
  });

  it('has the trailers of a chunked body', async () => {
    let trailers: unknown;
    const { client } = await startProxiedHttp2(async (stream) => {
      stream.on('trailers', (got: unknown) => (trailers = got));
      const body = await bodyOf(stream);
      stream.respond({ ':status': 200 });
      stream.end(body);
    });
    const one = await client();
    one.send('POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nDigest: 7\r\n\r\n');
    const [answer] = await untilAnswers(one, 1);
    expect(answer!.body).toBe('abc');
    expect(trailers).toMatchObject({ digest: '7' });
  });

  it('may be a stream of a filter, at the speed of the backend', async () => {
    let made = 0;
    const chunk = Buffer.alloc(50_000, 'm');
    async function* source(): AsyncGenerator<Uint8Array> {
      for (; made < 40; made++) yield chunk;
    }
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const { client } = await startProxiedHttp2(
      async (stream) => {
        await opened;
        const body = await bodyOf(stream);
        stream.respond({ ':status': 200 });
        stream.end(String(body.length));
      },
      {
        handler: (next) => (exchange) => {
          exchange.request.entity.setStream(source());
          return next(exchange);
        },
      },
    );
    const one = await client();
    one.send(send('POST', '/', 'original'));
    expect(await untilStill(() => made)).toBeLessThan(10);
    open();
    const [answer] = await untilAnswers(one, 1);
    expect(answer!.body).toBe(String(40 * chunk.length));
  });

  it('waits for 100 Continue where the client does', async () => {
    const { backend, client } = await startProxiedHttp2(async (stream, headers) => {
      expect(headers.expect).toBe('100-continue');
      stream.additionalHeaders({ ':status': 100 });
      const body = await bodyOf(stream);
      stream.respond({ ':status': 200 });
      stream.end(body);
    });
    const one = await client();
    one.send('POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n');
    await one.until((text) => text.includes('100 Continue\r\n\r\n'));
    expect(backend.requests).toHaveLength(1);
    one.send('abc');
    const [interim, answer] = await untilAnswers(one, 1);
    expect(interim!.status).toBe(100);
    expect(answer).toMatchObject({ status: 200, body: 'abc' });
  });
});

describe('the answer of a backend that speaks HTTP/2', () => {
  it.each<[string, StreamHandler, object, string]>([
    ['200 with a length', (s) => answer(s, { 'content-length': 5 }, 'hello'), { 'content-length': '5' }, 'hello'],
    ['200 without a length', (s) => answer(s, {}, 'hello'), { 'content-length': '5' }, 'hello'],
    ['200 without content', (s) => answer(s, {}, ''), { 'content-length': '0' }, ''],
    ['404', (s) => answer(s, { ':status': 404 }, 'none'), { 'content-length': '4' }, 'none'],
    ['599', (s) => answer(s, { ':status': 599 }, 'odd'), { 'content-length': '3' }, 'odd'],
  ])('reaches the client: %s', async (name, handler, headers, body) => {
    const { client } = await startProxiedHttp2(handler);
    const one = await client();
    one.send(get('/'));
    const [got] = await untilAnswers(one, 1);
    expect(got!.status).toBe(Number(name.slice(0, 3)));
    expect(Object.fromEntries(got!.headers)).toMatchObject(headers);
    expect(got!.body).toBe(body);
    expect(got!.headers.has('transfer-encoding')).toBe(false);
  });

  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('to %s with %i has no content, and the connection continues', async (method, status) => {
    const { client, backend } = await startProxiedHttp2((stream) => {
      stream.respond({ ':status': status, ...(status === 204 ? {} : { 'content-length': 11 }) }, { endStream: true });
    });
    const one = await client();
    for (let i = 1; i < 4; i++) {
      one.send(get('/').replace('GET', method));
      const answers = await untilAnswers(one, i, [true, true, true]);
      expect(answers[i - 1]!.status).toBe(status);
      expect(answers[i - 1]!.headers.get('content-length')).toBe(status === 204 ? undefined : '11');
    }
    expect(backend.sessions).toHaveLength(1);
  });

  it('passes on interim responses before it', async () => {
    const { client } = await startProxiedHttp2((stream) => {
      stream.additionalHeaders({ ':status': 103, link: '</a.css>; rel=preload' });
      answer(stream, {}, 'then');
    });
    const one = await client();
    one.send(get('/'));
    const [early, late] = await untilAnswers(one, 1);
    expect(early!.status).toBe(103);
    expect(early!.headers.get('link')).toBe('</a.css>; rel=preload');
    expect(late).toMatchObject({ status: 200, body: 'then' });
  });

  it('keeps lines of the same name apart', async () => {
    const { client } = await startProxiedHttp2((stream) => answer(stream, { 'set-cookie': ['a=1', 'b=2'] }, ''));
    const one = await client();
    one.send(get('/'));
    const [got] = await untilAnswers(one, 1);
    expect(got!.head.match(/^set-cookie: .*$/gim)).toEqual(['set-cookie: a=1', 'set-cookie: b=2']);
  });

  it('has its trailers', async () => {
    const { client } = await startProxiedHttp2((stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end('content');
    });
    const one = await client();
    one.send(get('/'));
    const text = await one.until((all) => all.endsWith('grpc-status: 0\r\n\r\n'));
    expect(text).toMatch(/\r\n7\r\ncontent\r\n0\r\ngrpc-status: 0\r\n\r\n$/);
  });

  it('is throttled when the client does not read it, without affecting others', async () => {
    let written = 0;
    const { client } = await startProxiedHttp2(async (stream, headers) => {
      if (headers[':path'] === '/other') {
        answer(stream, {}, 'other');
        return;
      }
      stream.resume(); // unread, Node resets the stream without ending it
      stream.respond({ ':status': 200 });
      const piece = Buffer.alloc(65_536, 'w');
      for (; written < 400; written++) if (!stream.write(piece)) await once(stream, 'drain');
      stream.end();
    });
    const slow = await client();
    slow.socket.pause();
    slow.send(get('/slow', 'Connection: close\r\n'));
    expect(await untilStill(() => written, 1000)).toBeLessThan(300);
    const other = await client();
    other.send(get('/other'));
    expect((await untilAnswers(other, 1))[0]!.body).toBe('other');
    slow.socket.resume();
    expect(parseAnswers(await slow.untilClosed())[0]!.body).toHaveLength(400 * 65_536);
  });

  it('can be read and changed by filters', async () => {
    const { client } = await startProxiedHttp2((stream) => answer(stream, { 'x-a': 'b' }, 'content'), {
      handler: (next) => async (exchange) => {
        const response = await next(exchange);
        await nextTurn();
        return textResponse(201, `${await response.entity.text()} of ${response.headers.get('x-a')}`);
      },
    });
    const one = await client();
    one.send(get('/'));
    expect((await untilAnswers(one, 1))[0]).toMatchObject({ status: 201, body: 'content of b' });
  });

  it('that is not needed is reset', async () => {
    let closed = -1;
    const { client } = await startProxiedHttp2(
      (stream) => {
        stream.on('close', () => (closed = stream.rstCode));
        stream.respond({ ':status': 200 });
        stream.write('some');
      },
      {
        handler: (next) => async (exchange) => {
          const response = await next(exchange);
          response.abandon();
          return new Response(204);
        },
      },
    );
    const one = await client();
    one.send(get('/'));
    expect((await untilAnswers(one, 1))[0]!.status).toBe(204);
    await untilTrue(() => closed >= 0);
    expect(closed).toBe(8);
  });

  it('arrives before the complete request: the rest is not sent', async () => {
    const { client } = await startProxiedHttp2((stream) => answer(stream, { ':status': 413 }, 'no'));
    const one = await client();
    one.send(`POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1000)}`);
    const [got] = await untilAnswers(one, 1);
    expect(got).toMatchObject({ status: 413, body: 'no' });
  });
});

describe('a pool of connections of HTTP/2', () => {
  it('opens one connection for concurrent calls', async () => {
    let waiting = 0;
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const { backend, client } = await startProxiedHttp2(async (stream, headers) => {
      waiting++;
      await opened;
      answer(stream, {}, `${headers[':path']}`);
    });
    const clients = await Promise.all(Array.from({ length: 60 }, client));
    for (const [i, one] of clients.entries()) one.send(get(`/${i}`));
    await untilTrue(() => waiting === 60);
    expect(backend.sessions).toHaveLength(1);
    open();
    const answers = await Promise.all(clients.map((one) => untilAnswers(one, 1)));
    expect(answers.map(([got]) => got!.body)).toEqual(clients.map((_, i) => `/${i}`));
  });

  it('opens more connections if the backend allows few streams, up to the limit, and queues the rest', async () => {
    const held: (() => void)[] = [];
    const { backend, client } = await startProxiedHttp2(
      async (stream) => {
        await new Promise<void>((resolve) => held.push(resolve));
        answer(stream, {}, 'done');
      },
      { backend: { connections: 3 } },
      { settings: { maxConcurrentStreams: 2 } },
    );
    const first = await client();
    first.send(get('/'));
    await untilTrue(() => held.length === 1);
    const clients = [first, ...(await Promise.all(Array.from({ length: 8 }, client)))];
    for (const one of clients.slice(1)) one.send(get('/'));
    await untilTrue(() => held.length === 6);
    expect(await untilStill(() => held.length)).toBe(6);
    expect(backend.sessions).toHaveLength(3);
    for (let i = 0; i < 9; i++) {
      await untilTrue(() => held.length > i);
      held[i]!();
    }
    const answers = await Promise.all(clients.map((one) => untilAnswers(one, 1)));
    expect(answers.flat().map(({ status }) => status)).toEqual(Array(9).fill(200));
  });

  it('answers all calls sent before the backend announced its stream limit', async () => {
    const { client } = await startProxiedHttp2(
      echo,
      { backend: { connections: 2 } },
      { settings: { maxConcurrentStreams: 2 } },
    );
    const clients = await Promise.all(Array.from({ length: 40 }, client));
    for (const one of clients) one.send(send('POST', '/', 'body'));
    const answers = await Promise.all(clients.map((one) => untilAnswers(one, 1)));
    expect(answers.map(([got]) => got!.body)).toEqual(Array(40).fill('body'));
  });

  it('opens one connection per request if connections are not reused', async () => {
    const { backend, client } = await startProxiedHttp2(echo, { backend: { reuse: false } });
    const one = await client();
    for (let i = 1; i < 4; i++) {
      one.send(get('/'));
      await untilAnswers(one, i);
      expect(backend.sessions).toHaveLength(i);
    }
    await untilTrue(() => backend.open === 0);
  });

  it('refuses all that waited for a connection that cannot be made', async () => {
    const { backend, client } = await startProxiedHttp2(echo);
    await backend.close();
    const clients = await Promise.all(Array.from({ length: 20 }, client));
    for (const one of clients) one.send(get('/'));
    const answers = await Promise.all(clients.map((one) => untilAnswers(one, 1)));
    expect(answers.map(([got]) => refusalOf(got!))).toEqual(Array(20).fill('backend-connect'));
  });

  it('does not use a connection again that is too old', async () => {
    const { backend, client } = await startProxiedHttp2(echo, { backend: { timeToLive: 0.001 } });
    const one = await client();
    one.send(get('/'));
    await untilAnswers(one, 1);
    one.send(get('/'));
    await untilAnswers(one, 2);
    expect(backend.sessions).toHaveLength(2);
    await untilTrue(() => backend.open <= 1);
  });

  it('closes a connection that is not used', async () => {
    const { backend, client } = await startProxiedHttp2(echo, { backend: { idleTimeout: 100 } });
    const one = await client();
    one.send(get('/'));
    await untilAnswers(one, 1);
    await untilTrue(() => backend.open === 0);
    one.send(get('/'));
    await untilAnswers(one, 2);
    expect(backend.sessions).toHaveLength(2);
  });

  it('finishes running calls when it closes', async () => {
    let finish = (): void => {};
    const { backend, client, gateway } = await startProxiedHttp2(async (stream) => {
      await new Promise<void>((resolve) => (finish = resolve));
      answer(stream, {}, 'late');
    });
    const one = await client();
    one.send(get('/'));
    await untilTrue(() => backend.requests.length === 1);
    const closing = gateway.listener.drain(10_000);
    finish();
    expect((await untilAnswers(one, 1))[0]!.body).toBe('late');
    one.destroy();
    await closing;
  });
});

function answer(
  stream: Parameters<StreamHandler>[0],
  headers: Parameters<typeof stream.respond>[0],
  content: string,
): void {
  stream.respond({ ':status': 200, ...headers });
  stream.end(content);
}
