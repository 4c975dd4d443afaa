import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chain } from '../../../../dataplane/engine/message/chain.ts';
import { EntityTooLarge } from '../../../../dataplane/engine/message/entity-fault.ts';
import type { Filter } from '../../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { StrictBackend, type StrictRequest } from '../../../support/backends/strict-backend.ts';
import { ask, refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let backend: StrictBackend;
let gateway: TestGateway | undefined;

beforeAll(async () => {
  backend = await StrictBackend.start();
});
afterAll(() => backend.close());
beforeEach(() => {
  backend.requests.length = 0;
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

async function start(...filters: Filter[]): Promise<number> {
  gateway = await startGateway({
    backend: { destination: { host: '127.0.0.1', port: backend.port } },
    handler: (next) => chain(filters, next),
  });
  return gateway.port;
}

const lengths = (request: StrictRequest): string[] =>
  request.headers
    .filter(([name]) => name === 'content-length' || name === 'transfer-encoding')
    .map(([, value]) => value);

/** A POST of a text, framed by its length, by chunks, or by chunks that come one by one. */
const framings: [string, (client: RawClient, text: string) => Promise<void>][] = [
  [
    'by length',
    async (client, text) => client.send(`${post()}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`),
  ],
  [
    'by chunks',
    async (client, text) => client.send(`${post()}Transfer-Encoding: chunked\r\n\r\n${chunked(text)}0\r\n\r\n`),
  ],
  [
    'piece by piece',
    async (client, text) => {
      client.send(`${post()}Transfer-Encoding: chunked\r\n\r\n`);
      for (const character of text) {
        await new Promise((resolve) => setImmediate(resolve));
        client.send(chunked(character));
      }
      client.send('0\r\n\r\n');
    },
  ],
];

const post = (): string => 'POST / HTTP/1.1\r\nHost: h\r\n';
const chunked = (text: string): string => (text === '' ? '' : `${text.length.toString(16)}\r\n${text}\r\n`);

async function send(port: number, framing: (client: RawClient, text: string) => Promise<void>, text: string) {
  const client = await RawClient.connect(port);
  await framing(client, text);
  const [answer] = await untilAnswers(client, 1);
  client.destroy();
  return answer!;
}

describe.each(framings)('the content of a request, framed %s', (_name, framing) => {
  it('can be read as bytes, text, JSON and form repeatedly, and is sent on unchanged', async () => {
    let seen: unknown[] = [];
    const port = await start(async (exchange, next) => {
      const { entity } = exchange.request;
      seen = [await entity.text(), String(await entity.bytes()), await entity.json(), entity.length, entity.replaced];
      return next(exchange);
    });
    const answer = await send(port, framing, '{"a":[1,2]}');
    expect(answer.status).toBe(200);
    expect(seen).toEqual(['{"a":[1,2]}', '{"a":[1,2]}', { a: [1, 2] }, 11, false]);
    expect(backend.requests[0]!.body).toBe('{"a":[1,2]}');
    expect(lengths(backend.requests[0]!)).toEqual(['11']);
  });

  it('is read by several at the same time', async () => {
    let seen: unknown[] = [];
    const port = await start(async (exchange, next) => {
      const { entity } = exchange.request;
      seen = await Promise.all([entity.text(), entity.text(), entity.json()]);
      return next(exchange);
    });
    expect((await send(port, framing, '[1]')).status).toBe(200);
    expect(seen).toEqual(['[1]', '[1]', [1]]);
    expect(backend.requests[0]!.body).toBe('[1]');
  });

  it('is read as a form', async () => {
    const port = await start(async (exchange) => {
      const form = await exchange.request.entity.form();
      return textResponse(200, JSON.stringify([...form]));
    });
    const answer = await send(port, framing, 'a=1&b=%20x+y&a=2');
    expect(JSON.parse(answer.body)).toEqual([
      ['a', '1'],
      ['b', ' x y'],
      ['a', '2'],
    ]);
  });

  it('passes at the limit and is 413 beyond it', async () => {
    const port = await start(async (exchange, next) => {
      await exchange.request.entity.bytes(8);
      return next(exchange);
    });
    expect((await send(port, framing, '01234567')).status).toBe(200);
    const answer = await send(port, framing, '012345678');
    expect(answer.status).toBe(413);
    expect(refusalOf(answer)).toBe('body-too-large');
    expect(JSON.parse(answer.body)).toMatchObject({ message: 'the body is longer than 8 bytes' });
    expect(backend.requests.map(({ body }) => body)).toEqual(['01234567']);
    expect(gateway!.faults).toEqual([]);
  });

  it('is replaced by a text', async () => {
    const port = await start(async (exchange, next) => {
      const text = await exchange.request.entity.text();
      exchange.request.entity.set(`${text.toUpperCase()} ü`);
      return next(exchange);
    });
    await send(port, framing, 'text');
    expect(Buffer.from(backend.requests[0]!.body, 'latin1').toString()).toBe('TEXT ü');
    expect(lengths(backend.requests[0]!)).toEqual(['7']);
  });

  it('is replaced without being read', async () => {
    const port = await start((exchange, next) => {
      exchange.request.entity.set('');
      return next(exchange);
    });
    await send(port, framing, 'never read');
    expect(backend.requests[0]!.body).toBe('');
    expect(lengths(backend.requests[0]!)).toEqual(['0']);
  });

  it('can be replaced by a transformed stream', async () => {
    const port = await start((exchange, next) => {
      const { entity } = exchange.request;
      entity.setStream(upperCase(entity.chunks()));
      return next(exchange);
    });
    expect((await send(port, framing, 'streamed text')).status).toBe(200);
    expect(backend.requests[0]!.body).toBe('STREAMED TEXT');
    expect(lengths(backend.requests[0]!)).toEqual(['chunked']);
  });

  it('can be replaced by a stream of known length', async () => {
    const port = await start((exchange, next) => {
      const { entity } = exchange.request;
      entity.setStream(upperCase(entity.chunks()), 'text'.length);
      return next(exchange);
    });
    expect((await send(port, framing, 'text')).status).toBe(200);
    expect(backend.requests[0]!.body).toBe('TEXT');
    expect(lengths(backend.requests[0]!)).toEqual(['4']);
  });

  it('passes unchanged when it is not read', async () => {
    const port = await start((exchange, next) => next(exchange));
    await send(port, framing, 'untouched');
    expect(backend.requests[0]!.body).toBe('untouched');
  });
});

async function* upperCase(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(Buffer.from(chunk).toString('latin1').toUpperCase(), 'latin1');
}

describe('the content of a request', () => {
  it('gives 413 beyond the entity limit, and the response names the limit', async () => {
    const port = await start(async (exchange, next) => {
      await exchange.request.entity.bytes();
      return next(exchange);
    });
    const answer = await send(port, framings[0]![1], 'x'.repeat((1 << 20) + 1));
    const message = 'the body is longer than 1048576 bytes (entityBytes)';
    expect([answer.status, JSON.parse(answer.body).message]).toEqual([413, message]);
  });

  it('is empty if the message has none', async () => {
    const port = await start(async ({ request: { entity } }) =>
      textResponse(200, JSON.stringify([await entity.text(), entity.length, entity.empty])),
    );
    expect(JSON.parse((await ask(port, 'GET / HTTP/1.1\r\nHost: h\r\n')).body)).toEqual(['', 0, true]);
  });

  it('can be added to a request without one', async () => {
    const port = await start((exchange, next) => {
      exchange.request.method = 'PUT';
      exchange.request.entity.set('new');
      return next(exchange);
    });
    await ask(port, 'GET / HTTP/1.1\r\nHost: h\r\n');
    expect(backend.requests[0]).toMatchObject({ method: 'PUT', body: 'new' });
    expect(lengths(backend.requests[0]!)).toEqual(['3']);
  });

  it('can be sent on after a filter found it too large to read', async () => {
    const port = await start(async (exchange, next) => {
      await expect(exchange.request.entity.bytes(2)).rejects.toThrow(EntityTooLarge);
      return next(exchange);
    });
    expect((await ask(port, `${post()}Content-Length: 5\r\n`, 'large')).status).toBe(200);
    expect(backend.requests[0]!.body).toBe('large');
  });

  it('is 500 when it was read as a stream and not replaced', async () => {
    const port = await start(async (exchange, next) => {
      for await (const _ of exchange.request.entity.chunks()) break;
      return next(exchange);
    });
    const client = await RawClient.connect(port);
    client.send(`${post()}Content-Length: 5\r\n\r\nhello`);
    expect((await untilAnswers(client, 1))[0]!.status).toBe(500);
    expect(backend.requests).toEqual([]);
    expect(gateway!.faults).toHaveLength(1);
    client.destroy();
  });

  it('is 400 when it breaks off while a filter reads it', async () => {
    const port = await start(async (exchange, next) => {
      await exchange.request.entity.text();
      return next(exchange);
    });
    const client = await RawClient.connect(port);
    client.send(`${post()}Content-Length: 5\r\n\r\nhel`);
    client.finish();
    await client.untilClosed();
    const [answer] = await untilAnswers(client, 1);
    expect(answer!.status).toBe(400);
    expect(refusalOf(answer!)).toBe('incomplete');
    expect(gateway!.faults).toEqual([]);
    client.destroy();
  });

  it('pauses a client whose stream is not read', async () => {
    let take = (): void => {};
    const taken = new Promise<void>((resolve) => {
      take = resolve;
    });
    const port = await start(async (exchange) => {
      let size = 0;
      for await (const chunk of exchange.request.entity.chunks()) {
        if (size === 0) await taken;
        size += chunk.length;
      }
      return textResponse(200, String(size));
    });
    const size = 32 << 20;
    const client = await RawClient.connect(port);
    client.send(`${post()}Content-Length: ${size}\r\n\r\n`);
    client.send(Buffer.alloc(size));
    const other = await startGateway({ handler: () => () => textResponse(200, '') });
    for (let i = 0; i < 50; i++) await ask(other.port, 'GET / HTTP/1.1\r\nHost: h\r\n');
    await other.close();
    expect(client.socket.writableLength).toBeGreaterThan(0);
    take();
    expect((await untilAnswers(client, 1))[0]!.body).toBe(String(size));
    client.destroy();
  });
});

describe('the content of an answer', () => {
  const get = 'GET /a?b HTTP/1.1\r\nHost: h\r\n';

  it('is read and sent on unchanged', async () => {
    let seen: unknown;
    const port = await start(async (exchange, next) => {
      const response = await next(exchange);
      seen = await response.entity.json();
      return response;
    });
    const answer = await ask(port, get);
    expect(JSON.parse(answer.body)).toEqual(seen);
    expect(answer.headers.get('content-length')).toBe(String(answer.body.length));
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  it('is replaced by a text and by a stream', async () => {
    const byText: Filter = async (exchange, next) => {
      const response = await next(exchange);
      response.entity.set(`seen: ${(await response.entity.text()).length > 0}`);
      return response;
    };
    const byStream: Filter = async (exchange, next) => {
      const response = await next(exchange);
      response.entity.setStream(upperCase(response.entity.chunks()));
      return response;
    };
    const text = await ask(await start(byText), get);
    expect([text.body, text.headers.get('content-length')]).toEqual(['seen: true', '10']);
    await gateway!.close();
    const stream = await ask(await start(byStream), get);
    expect(stream.body).toContain('"TARGET":"/A?B"');
    expect(stream.headers.get('transfer-encoding')).toBe('chunked');
    expect(stream.headers.has('content-length')).toBe(false);
    await gateway!.close();
    const both = await ask(await start(byStream, byText), get);
    expect(both.body).toBe('SEEN: TRUE');
  });

  it('is 502 when it is too large to be read', async () => {
    const port = await start(async (exchange, next) => {
      const response = await next(exchange);
      await response.entity.bytes(10);
      return response;
    });
    const answer = await ask(port, get);
    expect(answer.status).toBe(502);
    expect(refusalOf(answer)).toBe('backend-body-too-large');
    expect(gateway!.faults).toEqual([]);
  });

  it('of a stream that fails before its end is cut off', async () => {
    const port = await start(() => {
      const response = textResponse(200, '');
      response.entity.setStream(
        (async function* () {
          yield Buffer.from('half');
          throw new Error('the source is gone');
        })(),
      );
      return response;
    });
    const client = await RawClient.connect(port);
    client.send(`${get}\r\n`);
    await client.untilClosed();
    expect(client.text).not.toContain('0\r\n\r\n');
    expect(gateway!.faults).toHaveLength(1);
  });

  it.each([
    ['as long as announced is sent', 8, true],
    ['shorter is cut off', 9, false],
    ['longer is cut off', 7, false],
  ])('of a stream that is %s', async (_case, length, whole) => {
    const port = await start(() => {
      const response = textResponse(200, '');
      response.entity.setStream(
        (async function* () {
          yield Buffer.from('half');
          yield Buffer.from('half');
        })(),
        length,
      );
      return response;
    });
    const client = await RawClient.connect(port);
    client.send(`${get}Connection: close\r\n\r\n`);
    const [head, body] = (await client.untilClosed()).split('\r\n\r\n');
    expect(head!.split('\r\n')).toContain(`Content-Length: ${length}`);
    expect(body!.length === length).toBe(whole);
    expect(gateway!.faults).toHaveLength(whole ? 0 : 1);
  });

  it('of a stream ends when the client leaves', async () => {
    let ended = (): void => {};
    const over = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const port = await start(() => {
      const response = textResponse(200, '');
      response.entity.setStream(
        (async function* () {
          try {
            for (;;) yield Buffer.alloc(10_000);
          } finally {
            ended();
          }
        })(),
      );
      return response;
    });
    const client = await RawClient.connect(port);
    client.send(`${get}\r\n`);
    await client.until((text) => text.length > 100_000);
    client.destroy();
    await over;
    expect(gateway!.faults).toEqual([]);
  });
});
