import { once } from 'node:events';
import { type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Response } from '../../../../dataplane/engine/message/response.ts';
import { BytePattern, PatternCheck, readPattern, writePattern } from '../../../support/backends/byte-pattern.ts';
import { nextTurn, untilStill, untilTrue } from '../../../support/clients/event-loop.ts';
import { httpExchange } from '../../../support/clients/http-exchange.ts';
import { type MemoryUse, memoryUse } from '../../../support/clients/memory.ts';
import { randomNumbers, randomPace } from '../../../support/clients/random.ts';
import { get, startProxiedServer } from '../../../support/gateways/proxied-backend.ts';

const MEBIBYTE = 1 << 20;
const LONG = 50 * MEBIBYTE;
const SIZES = [
  1,
  16_383,
  16_384,
  16_385,
  65_535,
  65_536,
  65_537,
  131_071,
  131_072,
  131_073,
  262_143,
  262_144,
  262_145,
  MEBIBYTE + 1,
];

/** Reads what the path names, then answers with what the path names, framed as the path says. */
async function serve(request: IncomingMessage, response: ServerResponse, slowly?: () => Promise<void>): Promise<void> {
  const url = new URL(request.url!, 'http://backend.test');
  const number = (name: string): number => Number(url.searchParams.get(name) ?? 0);
  const check = new PatternCheck(new BytePattern(number('upSeed'), number('up')));
  await readPattern(request, check, slowly);
  response.setHeader('X-Upload', check.exact ? 'exact' : `wrong at ${check.wrongAt} of ${check.received}`);
  const answer = new BytePattern(number('downSeed'), number('down'));
  const framing = url.searchParams.get('framing');
  if (framing === 'length') response.setHeader('Content-Length', answer.length);
  if (framing === 'close') response.setHeader('Connection', 'close').useChunkedEncodingByDefault = false;
  await writePattern(response, answer, slowly);
  response.end();
}

const pathOf = (parameters: Record<string, string | number>): string =>
  `/?${new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]))}`;

describe.each([
  ['of known length', 'length', false],
  ['chunked', 'chunked', true],
  ['that ends with the connection', 'close', false],
] as const)('content %s', (_name, framing, chunked) => {
  it.each(SIZES)('of %i bytes passes both ways', async (size) => {
    const pair = await startProxiedServer((request, response) => serve(request, response));
    for (let round = 0; round < 3; round++) {
      const [upSeed, downSeed] = [round, round + 10];
      const exchange = await httpExchange({
        port: pair.gateway.port,
        path: pathOf({ up: size, upSeed, down: size, downSeed, framing }),
        content: new BytePattern(upSeed, size),
        chunked,
        expected: new BytePattern(downSeed, size),
      });
      expect(exchange).toMatchObject({ status: 200, received: size, exact: true });
      expect(exchange.headers['x-upload']).toBe('exact');
    }
  });
});

it.each(['length', 'chunked', 'close'])(
  'content that waits for a slow filter passes both ways: %s',
  async (framing) => {
    const pair = await startProxiedServer((request, response) => serve(request, response), {
      handler: (backend) => async (exchange) => {
        await untilStill(() => pair.gateway.finished.length, 40);
        const answer = await backend(exchange);
        await untilStill(() => pair.gateway.finished.length, 40);
        return answer;
      },
    });
    const exchanges = [100_000, 300_000, 3 * MEBIBYTE].map((size, i) =>
      httpExchange({
        port: pair.gateway.port,
        path: pathOf({ up: size, upSeed: i, down: size, downSeed: i + 10, framing }),
        content: new BytePattern(i, size),
        chunked: framing === 'chunked',
        expected: new BytePattern(i + 10, size),
      }),
    );
    for (const exchange of await Promise.all(exchanges)) {
      expect(exchange).toMatchObject({ status: 200, exact: true });
      expect(exchange.headers['x-upload']).toBe('exact');
    }
  },
);

describe('memory', () => {
  /** What a transfer that stands still may hold, kernel buffers aside. */
  function expectBounded(before: MemoryUse, standing: MemoryUse): void {
    expect(standing.arrayBuffers - before.arrayBuffers).toBeLessThan(8 * MEBIBYTE);
    // coarser, because the allocator keeps what it freed
    expect(standing.resident - before.resident).toBeLessThan(80 * MEBIBYTE);
  }

  it.each(['length', 'chunked', 'close'])(
    'is bounded while 50 MiB wait for a slow reader, framing: %s',
    async (framing) => {
      let sent = 0;
      const pair = await startProxiedServer(async (request, response) => {
        await serve(request, response, async () => {
          sent += 65_536;
        });
      });
      const expected = new BytePattern(1, LONG);
      const before = memoryUse();
      const exchange = await httpExchange({
        port: pair.gateway.port,
        path: pathOf({ down: LONG, downSeed: 1, framing }),
        expected,
        answered: async () => {
          await untilStill(() => sent);
          expect(sent).toBeLessThan(LONG);
          expectBounded(before, memoryUse());
        },
      });
      expect(exchange).toMatchObject({ status: 200, exact: true });
      expectBounded(before, memoryUse());
    },
  );

  it.each([false, true])('is bounded while 50 MiB wait for a slow backend, chunked: %s', async (chunked) => {
    let sent = 0;
    let reads = (): void => {};
    const mayRead = new Promise<void>((resolve) => {
      reads = resolve;
    });
    const content = new BytePattern(2, LONG);
    const check = new PatternCheck(content);
    const pair = await startProxiedServer(async (request, response) => {
      await mayRead;
      await readPattern(request, check);
      response.end('done');
    });
    const before = memoryUse();
    const exchanging = httpExchange({
      port: pair.gateway.port,
      content,
      chunked,
      sendPace: async () => {
        sent += 65_536;
      },
    });
    await untilTrue(() => sent > 0);
    await untilStill(() => sent);
    expect(sent).toBeLessThan(LONG);
    expectBounded(before, memoryUse());
    reads();
    expect(await exchanging).toMatchObject({ status: 200 });
    expect(check.exact).toBe(true);
    expectBounded(before, memoryUse());
  });
});

describe('a stream that a filter makes', () => {
  const content = new BytePattern(3, 12 * MEBIBYTE);
  const produced = { bytes: 0 };
  /** In small pieces, each in a turn of its own: now and then the kernel takes only some of them. */
  async function* pieces(): AsyncGenerator<Uint8Array> {
    produced.bytes = 0;
    for (let at = 0; at < content.length; at += 5000) {
      yield content.piece(at, 5000);
      produced.bytes += 5000;
      await nextTurn();
    }
  }

  it('is read no faster than a slow client reads, and arrives completely', async () => {
    const pair = await startProxiedServer((request, response) => serve(request, response), {
      handler: () => () => {
        const response = new Response(200);
        response.entity.setStream(pieces());
        return response;
      },
    });
    const exchange = await httpExchange({
      port: pair.gateway.port,
      expected: content,
      answered: async () => {
        await untilStill(() => produced.bytes);
        expect(produced.bytes).toBeLessThan(content.length);
      },
    });
    expect(exchange).toMatchObject({ status: 200, exact: true });
  });

  it('is read no faster than a slow backend reads, and arrives completely', async () => {
    const check = new PatternCheck(content);
    const pair = await startProxiedServer(
      async (request, response) => {
        await untilStill(() => produced.bytes);
        expect(produced.bytes).toBeLessThan(content.length);
        await readPattern(request, check);
        response.end();
      },
      {
        handler: (backend) => (exchange) => {
          exchange.request.entity.setStream(pieces());
          return backend(exchange);
        },
      },
    );
    const exchange = await httpExchange({ port: pair.gateway.port, content: new BytePattern(4, 10) });
    expect(exchange.status).toBe(200);
    expect(check.exact).toBe(true);
  });
});

describe('many transfers at once', () => {
  it('with pauses at random stay apart and whole', async () => {
    const pair = await startProxiedServer((request, response) => serve(request, response, asyncPace(7)), {
      backend: { connections: 12, responseTimeout: 0 },
    });
    const random = randomNumbers(8);
    const exchanges = Array.from({ length: 20 }, async (_, i) => {
      const [up, down] = [random(2 * MEBIBYTE), random(4 * MEBIBYTE)];
      const framing = ['length', 'length', 'length', 'chunked', 'close'][random(5)]!;
      const exchange = await httpExchange({
        port: pair.gateway.port,
        path: pathOf({ up, upSeed: i, down, downSeed: i + 100, framing }),
        content: new BytePattern(i, up),
        chunked: random(4) === 0,
        sendPace: randomPace(i),
        expected: new BytePattern(i + 100, down),
        readPace: randomPace(i + 200),
      });
      return { i, exact: exchange.exact, upload: exchange.headers['x-upload'] };
    });
    expect(await Promise.all(exchanges)).toEqual(
      Array.from({ length: 20 }, (_, i) => ({ i, exact: true, upload: 'exact' })),
    );
  });

  it('of which some are aborted leave the others complete', async () => {
    const pair = await startProxiedServer((request, response) => serve(request, response), {
      backend: { responseTimeout: 0 },
    });
    const random = randomNumbers(9);
    const path = (seed: number): string => pathOf({ down: 8 * MEBIBYTE, downSeed: seed, framing: 'length' });
    const broken = Array.from({ length: 16 }, async (_, i) => {
      const outgoing = requestOf({ port: pair.gateway.port, host: '127.0.0.1', path: path(i), agent: false }).end();
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      answer.on('error', () => {});
      answer.pause();
      await untilStill(() => answer.socket.bytesRead, random(60));
      answer.socket.resetAndDestroy();
    });
    const whole = Array.from({ length: 16 }, (_, i) =>
      httpExchange({
        port: pair.gateway.port,
        path: path(i + 100),
        expected: new BytePattern(i + 100, 8 * MEBIBYTE),
        readPace: randomPace(i),
      }),
    );
    await Promise.all(broken);
    for (const exchange of await Promise.all(whole)) expect(exchange).toMatchObject({ status: 200, exact: true });
  });

  it('small responses to slow pipelining clients all arrive, in order', async () => {
    const size = 60_000;
    const count = 120;
    const seedOf = (client: number, answer: number): number => (client * 5 + answer) % 23;
    const pair = await startProxiedServer((request, response) => serve(request, response));
    const clients = await Promise.all(Array.from({ length: 16 }, () => pair.client()));
    for (const [i, client] of clients.entries()) {
      client.socket.pause();
      for (let k = 0; k < count; k++) {
        client.send(get(pathOf({ down: size, downSeed: seedOf(i, k), framing: 'length' })));
      }
    }
    await untilStill(() => pair.gateway.finished.length);
    expect(pair.gateway.finished.length).toBeLessThan(16 * count);
    for (const [i, client] of clients.entries()) {
      client.socket.resume();
      await untilTrue(() => client.socket.bytesRead > count * size);
      await untilStill(() => client.socket.bytesRead, 30);
      const { bytes } = client;
      let at = 0;
      for (let k = 0; k < count; k++) {
        const body = bytes.indexOf('\r\n\r\n', at) + 4;
        expect(bytes.toString('latin1', at, at + 15)).toBe('HTTP/1.1 200 OK');
        const expected = new BytePattern(seedOf(i, k), size).whole();
        expect(expected.equals(bytes.subarray(body, body + size)), `answer ${k} of client ${i}`).toBe(true);
        at = body + size;
      }
      expect(at).toBe(bytes.length);
    }
  });
});

/** A pace that is always a promise. */
function asyncPace(seed: number): () => Promise<void> {
  const pace = randomPace(seed);
  return async () => pace();
}
