import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type Connect, connectWire } from '../../../../dataplane/engine/wire/connect.ts';
import { nativeBindings } from '../../../../dataplane/engine/wire/native-handle.ts';
import { BytePattern, writePattern } from '../../../support/backends/byte-pattern.ts';
import {
  eachRequest,
  plainAnswer,
  type Script,
  type ScriptedPeer,
} from '../../../support/backends/scripted-backend.ts';
import { refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { untilStill, untilTrue } from '../../../support/clients/event-loop.ts';
import { httpExchange } from '../../../support/clients/http-exchange.ts';
import {
  get,
  type Proxied,
  type ProxiedBackend,
  startProxiedBackend,
  startProxiedServer,
} from '../../../support/gateways/proxied-backend.ts';
import { StoppedClock } from '../../../support/gateways/stopped-clock.ts';

const MEBIBYTE = 1 << 20;
const upload = (length: number, target = '/upload'): string =>
  `POST ${target} HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: ${length}\r\n\r\n`;

/** The first connection gets an upload and does with it what the test says; the others answer as they should. */
function uploading(first: (peer: ScriptedPeer) => void | Promise<void>): Script {
  const usual = eachRequest((request) => plainAnswer(`for ${request.target}`));
  return async (peer) => {
    if (peer.index > 0) return usual(peer);
    await peer.head();
    await first(peer);
  };
}

async function expectServingOn(pair: ProxiedBackend): Promise<void> {
  const other = await pair.client();
  other.send(get('/other'));
  expect(await untilAnswers(other, 1)).toMatchObject([{ status: 200, body: 'for /other' }]);
  expect(pair.backend.connections).toBe(2);
}

describe('an answer before the whole request', () => {
  it.each([
    ['413 Content Too Large', 'too much'],
    ['401 Unauthorized', ''],
    ['200 OK', ''],
    ['303 See Other', 'over there'],
  ])('%s is delivered, and the backend connection is not used again', async (status, body) => {
    const pair = await startProxiedBackend(uploading((peer) => peer.send(plainAnswer(body, status))));
    const client = await pair.client();
    client.send(upload(1000) + 'x'.repeat(10));
    const answers = await untilAnswers(client, 1);
    expect(answers).toMatchObject([{ status: Number(status.slice(0, 3)), body }]);
    await pair.backend.peers[0]!.untilClosed();
    client.send('x'.repeat(990));
    await client.untilClosed();
    expect(client.failed).toBe(false);
    await expectServingOn(pair);
  });

  it('announces the end of the connection when the response is complete or an error', async () => {
    const pair = await startProxiedBackend(uploading((peer) => peer.send(plainAnswer('no', '403 Forbidden'))));
    const client = await pair.client();
    client.send(upload(1000));
    const answers = await untilAnswers(client, 1);
    expect(answers[0]!.headers.get('connection')).toBe('close');
    client.finish();
    await client.untilClosed();
    await expectServingOn(pair);
  });

  it('is delivered when the backend closes at once with the upload unread', async () => {
    const pair = await startProxiedBackend(
      uploading((peer) => {
        peer.take();
        peer.send(plainAnswer('too much', '413 Content Too Large', 'Connection: close\r\n'));
        peer.close();
      }),
    );
    const client = await pair.client();
    client.send(upload(MEBIBYTE) + 'x'.repeat(MEBIBYTE / 2));
    const [answer] = await untilAnswers(client, 1);
    // a public socket that fails to write is gone, and with it what it had not read yet (RFC 9112 §9.6 warns of it)
    if (nativeBindings() === null && answer!.status === 502) expect(refusalOf(answer!)).toBe('backend-closed');
    else expect(answer).toMatchObject({ status: 413, body: 'too much' });
    await expectServingOn(pair);
  });

  it('is delivered when the backend reads nothing of an upload that fills every buffer', async () => {
    const pair = await startProxiedBackend(
      uploading(async (peer) => {
        peer.take();
        await untilStill(() => client.socket.bytesWritten - client.socket.writableLength);
        peer.send(plainAnswer('too much', '413 Content Too Large'));
      }),
    );
    const client = await pair.client();
    client.send(upload(64 * MEBIBYTE));
    client.send(Buffer.alloc(64 * MEBIBYTE, 'x'));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 413, body: 'too much' }]);
    await pair.backend.peers[0]!.untilClosed();
    await expectServingOn(pair);
  });

  it('is delivered while most of the request still waits to be sent, and the connection is not used again', async () => {
    const pair = await startProxiedBackend(
      uploading((peer) => {
        peer.take();
        peer.send(plainAnswer('enough'));
      }),
      {
        handler: (backend) => (exchange) => {
          if (exchange.request.method === 'POST') exchange.request.entity.set(Buffer.alloc(32 * MEBIBYTE));
          return backend(exchange);
        },
      },
    );
    const client = await pair.client();
    client.send(`${upload(1)}x`);
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'enough' }]);
    await expectServingOn(pair);
    await pair.backend.peers[0]!.untilClosed();
  });

  it('does not wait forever for a client that neither sends the rest nor disconnects', async () => {
    const pair = await startProxiedBackend(
      uploading((peer) => peer.send(plainAnswer('no', '403 Forbidden'))),
      { limits: { lingerTimeout: 100 } },
    );
    const client = await pair.client();
    client.send(upload(1000));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 403 }]);
    await new Promise((resolve) => client.socket.once('end', resolve));
    await pair.backend.peers[0]!.untilClosed();
    await expectServingOn(pair);
  });

  it('does not leak to the next client while the upload continues', async () => {
    const pair = await startProxiedBackend(
      uploading((peer) => peer.send(plainAnswer('first'))),
      {
        backend: { connections: 1 },
      },
    );
    const client = await pair.client();
    const next = await pair.client();
    client.send(upload(100_000) + 'x'.repeat(1000));
    next.send(get('/next'));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'first' }]);
    client.send(get('/smuggled').repeat(2000).slice(0, 99_000));
    expect(await untilAnswers(next, 1)).toMatchObject([{ status: 200, body: 'for /next' }]);
    await client.untilClosed();
    expect(pair.backend.requests.map((request) => request.target)).toEqual(['/next']);
  });

  it.each([
    ['of known length', false],
    ['chunked', true],
  ])('streams during the upload: an echo of 8 MiB, %s', async (_case, chunked) => {
    const content = new BytePattern(1, 8 * MEBIBYTE);
    const pair = await startProxiedServer((request, response) => {
      if (!chunked) response.setHeader('Content-Length', content.length);
      response.flushHeaders();
      request.pipe(response);
    });
    const exchange = await httpExchange({ port: pair.gateway.port, content, chunked, expected: content });
    expect(exchange).toMatchObject({ status: 200, received: content.length, exact: true });
    const again = await httpExchange({ port: pair.gateway.port, content, expected: content });
    expect(again).toMatchObject({ status: 200, exact: true });
  });
});

describe('a response that does not arrive in time', () => {
  const TIMEOUT = 5000;
  const timeout = { backend: { responseTimeout: TIMEOUT } };

  it.each([
    ['nothing comes', ''],
    ['the head stalls', 'HTTP/1.1 200 OK\r\nContent-'],
    ['only interim answers come', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('is a 502 when %s', async (_case, bytes) => {
    const pair = await startProxiedBackend(
      eachRequest((request, peer) => (peer.index === 0 ? bytes : plainAnswer(`for ${request.target}`))),
      timeout,
    );
    const clock = new StoppedClock();
    const client = await pair.client();
    client.send(get('/silent'));
    await untilTrue(() => pair.backend.requests.length === 1);
    const answers = await clock.passUntil(untilAnswers(client, 1), TIMEOUT);
    expect(answers.at(-1)!.status).toBe(502);
    expect(answers.at(-1)!.headers.get('content-type')).toBe('application/json');
    expect(refusalOf(answers.at(-1)!)).toBe('backend-timeout');
    await pair.backend.peers[0]!.untilClosed();
    await expectServingOn(pair);
  });

  it.each([
    ['a body of known length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
    ['a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhalf'],
    ['a body until the end of the connection', 'HTTP/1.1 200 OK\r\n\r\nhalf'],
  ])('is cut off when it stalls within %s', async (_case, bytes) => {
    const pair = await startProxiedBackend(
      eachRequest((request, peer) => (peer.index === 0 ? bytes : plainAnswer(`for ${request.target}`))),
      timeout,
    );
    const clock = new StoppedClock();
    const client = await pair.client();
    client.send(get('/stalling'));
    await client.until((received) => received.includes('half'));
    const text = await clock.passUntil(client.untilClosed(), TIMEOUT);
    expect(text).toMatch(/\r\n\r\n(4\r\n)?half(\r\n)?$/);
    await pair.backend.peers[0]!.untilClosed();
    await expectServingOn(pair);
  });

  it('counts its time from when its connection opened, however long the engine was busy before', async () => {
    const clock = new StoppedClock();
    const late: Connect = (to, owner, done) =>
      connectWire(to, owner, (result) => {
        clock.move(2 * TIMEOUT);
        done(result);
      });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const script = eachRequest(() => released.then(() => plainAnswer('in time')));
    const pair = await startProxiedBackend(script, { backend: { responseTimeout: TIMEOUT, connect: late } });
    const client = await pair.client();
    client.send(get('/late'));
    await untilTrue(() => pair.backend.requests.length === 1);
    await clock.pass(TIMEOUT / 2);
    release();
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'in time' }]);
  });

  it('is a 502 when the backend does not read the request', async () => {
    const pair = await startProxiedBackend(
      uploading((peer) => {
        peer.take();
      }),
      timeout,
    );
    const clock = new StoppedClock();
    const client = await pair.client();
    client.send(upload(64 * MEBIBYTE));
    client.send(Buffer.alloc(64 * MEBIBYTE, 'x'));
    await untilStill(() => client.socket.bytesWritten - client.socket.writableLength);
    const answers = await clock.passUntil(untilAnswers(client, 1), TIMEOUT);
    expect(answers[0]!.status).toBe(502);
    await pair.backend.peers[0]!.untilClosed();
    await expectServingOn(pair);
  });

  /** Lets time pass until the gateway has given up on a request that nobody answers: longer than its time-out. */
  async function timeoutGoesBy(pair: Proxied<unknown>, clock: StoppedClock): Promise<void> {
    const client = await pair.client();
    client.send(get('/never'));
    await asked.promise;
    asked = Promise.withResolvers<void>();
    expect(await clock.passUntil(untilAnswers(client, 1), TIMEOUT)).toMatchObject([{ status: 502 }]);
  }

  /** Settles when the backend gets a request that it never answers. */
  let asked = Promise.withResolvers<void>();
  const content = new BytePattern(2, 32 * MEBIBYTE);
  const answering = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/never') {
      asked.resolve();
      return;
    }
    response.setHeader('Content-Length', content.length);
    await writePattern(response, content);
    response.end();
  };

  it('is not cut off because the client reads late', async () => {
    const pair = await startProxiedServer(answering, { ...timeout, limits: { bodyRate: 0, readRate: 0 } });
    const clock = new StoppedClock();
    const exchange = await httpExchange({
      port: pair.gateway.port,
      expected: content,
      answered: async (answer) => {
        await untilStill(() => answer.socket.bytesRead);
        await timeoutGoesBy(pair, clock);
        await timeoutGoesBy(pair, clock);
      },
    });
    expect(exchange).toMatchObject({ status: 200, exact: true });
  });

  it('is not cut off because the client reads late and still uploads', async () => {
    const pair = await startProxiedServer(answering, { ...timeout, limits: { bodyRate: 0, readRate: 0 } });
    const clock = new StoppedClock();
    const upload = new BytePattern(3, 3 * 65_536);
    let stalled = (): void => {};
    const stall = new Promise<void>((resolve) => {
      stalled = resolve;
    });
    const exchange = await httpExchange({
      port: pair.gateway.port,
      content: upload,
      sendPace: () => stall,
      expected: content,
      answered: async (answer) => {
        await untilStill(() => answer.socket.bytesRead);
        stalled();
        await timeoutGoesBy(pair, clock);
        await timeoutGoesBy(pair, clock);
      },
    });
    expect(exchange).toMatchObject({ status: 200, exact: true });
  });
});
