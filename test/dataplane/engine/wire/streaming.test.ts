import { describe, expect, it } from 'vitest';
import type { Next } from '../../../../dataplane/engine/message/exchange.ts';
import { eachRequest, plainAnswer, type Script } from '../../../support/backends/scripted-backend.ts';
import { untilAnswers } from '../../../support/clients/answers.ts';
import { parseAnswers } from '../../../support/clients/raw-client.ts';
import { get, startProxiedBackend } from '../../../support/gateways/proxied-backend.ts';

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const WHOLE = Number.POSITIVE_INFINITY;
const SEGMENTS = [
  ['at once', WHOLE],
  ['byte by byte', 1],
] as const;
const answeringIn = (size: number, bytes: string): Script =>
  eachRequest(async (_request, peer) => {
    await peer.sendPieces(bytes, size);
    return undefined;
  });

describe.each(SEGMENTS)('interim answers, sent %s', (_name, size) => {
  const hints =
    'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nLink: </b.css>\r\nConnection: x-hop\r\nX-Hop: 1\r\n\r\n';

  it('reach an HTTP/1.1 client in order and without hop-by-hop headers', async () => {
    const bytes = `${hints}HTTP/1.1 102 Processing\r\n\r\n${plainAnswer('final')}`;
    const pair = await startProxiedBackend(answeringIn(size, bytes));
    const client = await pair.client();
    client.send(get('/'));
    const answers = await untilAnswers(client, 1);
    expect(answers.map((answer) => answer.status)).toEqual([103, 102, 200]);
    expect(answers[0]!.head.toLowerCase()).toBe(
      'http/1.1 103 early hints\r\nlink: </a.css>; rel=preload\r\nlink: </b.css>',
    );
    expect(answers[2]!.body).toBe('final');
  });

  it('do not reach an HTTP/1.0 client', async () => {
    const pair = await startProxiedBackend(answeringIn(size, hints + plainAnswer('final')));
    const client = await pair.client();
    client.send('GET / HTTP/1.0\r\nHost: gateway.test\r\n\r\n');
    const answers = parseAnswers(await client.untilClosed());
    expect(answers.map((answer) => answer.status)).toEqual([200]);
  });

  it('with status 100 reach only clients that expect it', async () => {
    const pair = await startProxiedBackend(answeringIn(size, `HTTP/1.1 100 Continue\r\n\r\n${plainAnswer('final')}`));
    const client = await pair.client();
    client.send(get('/'));
    const answers = await untilAnswers(client, 1);
    expect(answers.map((answer) => answer.status)).toEqual([200]);
  });

  it('carry no length: they have no content', async () => {
    const bytes = `HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\nX-A: 1\r\n\r\n${plainAnswer('final')}`;
    const pair = await startProxiedBackend(answeringIn(size, bytes));
    const client = await pair.client();
    client.send(get('/'));
    const answers = await untilAnswers(client, 1);
    expect(answers.map((answer) => answer.status)).toEqual([103, 200]);
    expect(answers[0]!.headers.has('content-length')).toBe(false);
    expect(answers[1]!.body).toBe('final');
  });
});

describe('Expect: 100-continue', () => {
  let late: Promise<void>;
  const head = 'POST / HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n';

  it('reaches the backend, whose 100 reaches the client', async () => {
    const pair = await startProxiedBackend(async (peer) => {
      const received = await peer.head();
      expect(received!.toLowerCase()).toContain('\r\nexpect: 100-continue\r\n');
      expect(peer.received).toBe('');
      peer.send('HTTP/1.1 100 Continue\r\n\r\n');
      expect(await peer.until((text) => text.length === 4)).toBe('body');
      peer.send(plainAnswer('done'));
    });
    const client = await pair.client();
    client.send(head);
    await client.until((text) => text.includes('\r\n\r\n'));
    expect(client.text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.send('body');
    const answers = await untilAnswers(client, 1);
    expect(answers.map((answer) => answer.status)).toEqual([100, 200]);
    expect(client.closed).toBe(false);
  });

  it.each(['417 Expectation Failed', '401 Unauthorized', '413 Content Too Large', '200 OK'])(
    'rejected by the backend with %s: the client gets the response without sending its body',
    async (status) => {
      const pair = await startProxiedBackend(async (peer) => {
        const received = await peer.head();
        if (received === null) return;
        peer.send(plainAnswer(peer.index === 0 ? 'no' : 'next', peer.index === 0 ? status : '200 OK'));
      });
      const client = await pair.client();
      client.send(head);
      const answers = await untilAnswers(client, 1);
      expect(answers).toMatchObject([{ status: Number(status.slice(0, 3)), body: 'no' }]);
      await pair.backend.peers[0]!.untilClosed();
      client.finish();
      await client.untilClosed();
      const next = await pair.client();
      next.send(get('/next'));
      expect((await untilAnswers(next, 1))[0]!.body).toBe('next');
    },
  );

  it('gives 502 when the backend does not answer', async () => {
    const pair = await startProxiedBackend(
      async (peer) => {
        await peer.head();
      },
      { backend: { responseTimeout: 150 } },
    );
    const client = await pair.client();
    client.send(head);
    expect((await untilAnswers(client, 1))[0]!.status).toBe(502);
  });

  it.each([
    ['the backend', undefined],
    [
      'a filter',
      (backend: Next): Next =>
        (exchange) =>
          late.then(() => exchange.request.entity.text()).then(() => backend(exchange)),
    ],
  ])('does not count the time of %s against the client', async (_case, handler) => {
    const pair = await startProxiedBackend(
      async (peer) => {
        const received = await peer.head();
        if (received === null) return;
        if (handler === undefined) {
          await late;
          peer.send('HTTP/1.1 100 Continue\r\n\r\n');
        }
        await peer.until((text) => text.length === 4);
        peer.send(plainAnswer('done'));
      },
      { limits: { rateGrace: 100, bodyRate: 1000 }, ...(handler === undefined ? {} : { handler }) },
    );
    let goOn = (): void => {};
    late = new Promise((resolve) => {
      goOn = resolve;
    });
    const client = await pair.client();
    client.send(head);
    for (let i = 0; i < 2; i++) {
      const slow = await pair.client(); // its 408 says that the time for a body is over
      slow.send('POST / HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 4\r\n\r\n');
      expect((await untilAnswers(slow, 1))[0]!.status).toBe(408);
    }
    goOn();
    await client.until((text) => text.includes('\r\n\r\n'));
    client.send('body');
    expect((await untilAnswers(client, 1)).map((answer) => answer.status)).toEqual([100, 200]);
  });

  it('does not bypass the minimum body rate', async () => {
    const pair = await startProxiedBackend(
      async (peer) => {
        await peer.head();
      },
      { limits: { rateGrace: 100, bodyRate: 1000 } },
    );
    const client = await pair.client();
    client.send(`${head}b`);
    expect((await untilAnswers(client, 1))[0]!.status).toBe(408);
  });

  it('is answered by the gateway when a filter reads the body', async () => {
    const pair = await startProxiedBackend(
      eachRequest((request) => plainAnswer(`got ${request.body}`)),
      {
        handler: (backend) => async (exchange) => {
          const text = await exchange.request.entity.text();
          exchange.request.entity.set(text.toUpperCase());
          return backend(exchange);
        },
      },
    );
    const client = await pair.client();
    client.send(head);
    await client.until((text) => text.includes('\r\n\r\n'));
    expect(client.text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.send('body');
    const answers = await untilAnswers(client, 1);
    expect(answers.map((answer) => answer.status)).toEqual([100, 200]);
    expect(answers[1]!.body).toBe('got BODY');
  });

  it('does not hold up a client that sends its body at once', async () => {
    const pair = await startProxiedBackend(eachRequest((request) => plainAnswer(`got ${request.body}`)));
    const client = await pair.client();
    client.send(`${head}body`);
    expect((await untilAnswers(client, 1)).at(-1)).toMatchObject({ status: 200, body: 'got body' });
  });
});

describe.each(SEGMENTS)('chunks, sent %s', (_name, size) => {
  it('of an answer keep their content and their trailers; forbidden trailers are dropped', async () => {
    const trailers =
      'Digest: 1\r\nSet-Cookie: a=b\r\nETag: "x"\r\nCache-Control: no-store\r\nContent-Type: a/b\r\nAuthorization: x\r\n';
    const bytes = `${CHUNKED}3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n${trailers}\r\n`;
    const pair = await startProxiedBackend(answeringIn(size, bytes));
    const client = await pair.client();
    for (let i = 1; i < 3; i++) {
      client.send(get('/'));
      const answers = await untilAnswers(client, i);
      expect(answers.at(-1)).toMatchObject({ status: 200, body: 'abc0123456789' });
    }
    expect(client.text).toMatch(/\r\n0\r\nDigest: 1\r\nETag: "x"\r\n\r\n$/);
    expect(client.text).not.toMatch(/x=y/);
    expect(pair.backend.connections).toBe(1);
  });

  it('of an answer to an HTTP/1.0 client become a body that ends with the connection', async () => {
    const pair = await startProxiedBackend(
      answeringIn(size, `${CHUNKED}3\r\nabc\r\n2\r\nde\r\n0\r\nDigest: 1\r\n\r\n`),
    );
    const client = await pair.client();
    client.send('GET / HTTP/1.0\r\nHost: gateway.test\r\nConnection: keep-alive\r\n\r\n');
    const text = await client.untilClosed();
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*\r\nabcde$/);
    expect(text.toLowerCase()).not.toContain('transfer-encoding');
    expect(text.toLowerCase()).toContain('\r\nconnection: close\r\n');
  });

  it('of a request keep their content and their trailers; forbidden trailers are dropped', async () => {
    const raw: string[] = [];
    const pair = await startProxiedBackend(async (peer) => {
      for (;;) {
        await peer.until((text) => text.includes('\r\n\r\n'));
        await peer.until((text) => /\r\n0\r\n([^\r]+\r\n)*\r\n$/.test(text));
        raw.push(peer.received);
        const request = await peer.request();
        if (request === null) return;
        peer.send(plainAnswer(request.body));
      }
    });
    const client = await pair.client();
    const request =
      'POST / HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\nTrailer: Digest\r\n\r\n' +
      '3;x=y\r\nabc\r\n00A\r\n0123456789\r\n0\r\nDigest: 1\r\nX-Forwarded-For: 1.2.3.4\r\nCookie: a=b\r\n\r\n';
    for (let at = 0; at < request.length; at += Math.min(size, request.length)) {
      client.send(request.slice(at, at + size));
      if (size === 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await untilAnswers(client, 1))[0]).toMatchObject({ status: 200, body: 'abc0123456789' });
    expect(raw[0]).toMatch(/\r\n0\r\nDigest: 1\r\n\r\n$/);
    expect(raw[0]).not.toMatch(/x=y|cookie|1\.2\.3\.4/i);
  });
});

describe.each(SEGMENTS)('an answer that ends with the connection, sent %s', (_name, size) => {
  const script: Script = eachRequest(async (request, peer) => {
    const version = request.target === '/old' ? '1.0' : '1.1';
    await peer.sendPieces(`HTTP/${version} 200 OK\r\nX-A: 1\r\n\r\nall that there is`, size);
    peer.end();
    return undefined;
  });

  it.each(['/new', '/old'])('is chunked for an HTTP/1.1 client, and the connection is kept: %s', async (target) => {
    const pair = await startProxiedBackend(script);
    const client = await pair.client();
    for (let i = 1; i < 4; i++) {
      client.send(get(target));
      const answers = await untilAnswers(client, i);
      expect(answers.at(-1)).toMatchObject({ status: 200, body: 'all that there is' });
      expect(answers.at(-1)!.headers.get('transfer-encoding')).toBe('chunked');
    }
    expect(client.closed).toBe(false);
    expect(pair.backend.connections).toBe(3);
  });

  it('ends with the connection for an HTTP/1.0 client', async () => {
    const pair = await startProxiedBackend(script);
    const client = await pair.client();
    client.send('GET /new HTTP/1.0\r\nHost: gateway.test\r\nConnection: keep-alive\r\n\r\n');
    expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*\r\nall that there is$/);
    expect(client.failed).toBe(false);
  });

  it('is cut off, not ended, when the backend resets the connection', async () => {
    const pair = await startProxiedBackend(
      eachRequest(async (_request, peer) => {
        await peer.sendPieces('HTTP/1.1 200 OK\r\n\r\nhalf', size);
        await client.until((text) => /f(\r\n)?$/.test(text));
        peer.reset();
        return undefined;
      }),
    );
    const client = await pair.client();
    client.send(get('/'));
    const text = await client.untilClosed();
    expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(client.failed).toBe(true);
  });
});

describe.each(SEGMENTS)('answers without content, sent %s', (_name, size) => {
  it.each([
    ['HEAD with a length', 'HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n', '1234'],
    ['HEAD with chunks', 'HEAD', CHUNKED, undefined],
    ['HEAD without either', 'HEAD', 'HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\n', undefined],
    ['304 with a length', 'GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\nETag: "x"\r\n\r\n', '1234'],
    ['304', 'GET', 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n', undefined],
    ['204', 'GET', 'HTTP/1.1 204 No Content\r\n\r\n', undefined],
    ['204 with a length of 0', 'GET', 'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n', undefined],
    ['200 with a length of 0', 'GET', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', '0'],
  ])('%s keeps both connections', async (_case, method, bytes, length) => {
    const pair = await startProxiedBackend(answeringIn(size, bytes));
    const client = await pair.client();
    const heads = [true, true, true].map(() => method === 'HEAD');
    for (let i = 1; i < 4; i++) {
      client.send(get('/').replace('GET', method));
      const answers = await untilAnswers(client, i, heads);
      expect(answers).toHaveLength(i);
      expect(answers.at(-1)!.status).toBe(Number(bytes.slice(9, 12)));
      expect(answers.at(-1)!.headers.get('content-length')).toBe(length);
      expect(answers.at(-1)!.headers.has('transfer-encoding')).toBe(false);
    }
    expect(pair.backend.connections).toBe(1);
  });
});
