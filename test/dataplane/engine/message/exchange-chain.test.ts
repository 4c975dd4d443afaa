import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { chain } from '../../../../dataplane/engine/message/chain.ts';
import type { Exchange, Filter } from '../../../../dataplane/engine/message/exchange.ts';
import { mapResponse, mapResponseAlone } from '../../../../dataplane/engine/message/reply.ts';
import { type Response, textResponse } from '../../../../dataplane/engine/message/response.ts';
import { COUNTER, counters } from '../../../../dataplane/engine/wire/counters.ts';
import { ask, untilAnswers } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let backend: Server;
let port: number;
let gateway: TestGateway;
/** Requests that the backend has seen end before it answered. */
let abandoned = 0;
const release: (() => void)[] = [];

beforeAll(async () => {
  backend = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableEnded) abandoned++;
    });
    const path = request.url!.split('?', 1)[0];
    if (path === '/never') return;
    if (path === '/held') {
      release.push(() => response.end('released'));
      return;
    }
    if (path === '/long') {
      response.write('begun');
      return;
    }
    if (path === '/nothing') {
      response.writeHead(204).end();
      return;
    }
    response.setHeader('X-Token', request.headers['x-token'] ?? 'none');
    response.end(`for ${request.headers['x-token']} by ${request.headers['x-added']}`);
  }).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  port = (backend.address() as AddressInfo).port;
});
afterAll(() => {
  backend.closeAllConnections();
  backend.close();
});
afterEach(async () => {
  for (const go of release.splice(0)) go();
  await gateway.close();
});

async function start(...filters: Filter[]): Promise<void> {
  gateway = await startGateway({
    backend: { destination: { host: '127.0.0.1', port }, connections: 100 },
    handler: (next) => chain(filters, next),
  });
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const get = (path = '/'): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n`;

describe('headers of the request', () => {
  const seen: boolean[] = [];
  const noting = (map: typeof mapResponse): Filter => {
    const note = (response: Response, exchange: Exchange): Response => {
      seen.push(exchange.request.headers.readable);
      return response;
    };
    return (exchange, next) => map(next(exchange), exchange, note);
  };

  it.each([
    ['are kept for a step that may look at them', [noting(mapResponse)], [true]],
    ['are not kept for one that looks at the response alone', [noting(mapResponseAlone)], [false]],
    ['are kept for all where one may look', [noting(mapResponseAlone), noting(mapResponse)], [true, true]],
  ])('%s', async (_name, filters, expected) => {
    await start(...filters);
    expect((await ask(gateway.port, get())).status).toBe(200); // waits for a connection, and is kept for that
    seen.length = 0;
    expect((await ask(gateway.port, get())).status).toBe(200);
    expect(seen).toEqual(expected);
  });
});

describe('filters', () => {
  it('run in order for the request, and in reverse order for the response', async () => {
    const steps: string[] = [];
    const noting = (name: string, style: 'async' | 'then' | 'map'): Filter => {
      const back = (response: Response): Response => {
        steps.push(`${name} back`);
        return response;
      };
      const begin = (): void => void steps.push(name);
      if (style === 'map') {
        return (exchange, next) => {
          begin();
          return mapResponse(next(exchange), exchange, back);
        };
      }
      if (style === 'then') {
        return (exchange, next) => {
          begin();
          return Promise.resolve(next(exchange)).then(back);
        };
      }
      return async (exchange, next) => {
        begin();
        return back(await next(exchange));
      };
    };
    const orders: ('async' | 'then' | 'map')[][] = [
      ['map', 'map', 'map'],
      ['async', 'async', 'async'],
      ['then', 'map', 'async'],
      ['map', 'async', 'then'],
      ['async', 'then', 'map'],
    ];
    for (const styles of orders) {
      steps.length = 0;
      await start(...styles.map((style, i) => noting(String(i), style)));
      expect((await ask(gateway.port, get())).status).toBe(200);
      expect(steps).toEqual(['0', '1', '2', '2 back', '1 back', '0 back']);
      if (styles !== orders.at(-1)) await gateway.close();
    }
  });

  it('share attributes and contexts within one exchange only', async () => {
    const seen: unknown[] = [];
    await start(
      (exchange, next) => {
        seen.push(exchange.attributes.get('name'), exchange.context('mine'));
        exchange.attributes.set('name', 'value');
        exchange.setContext('mine', { a: 1 });
        return next(exchange);
      },
      (exchange, next) => {
        seen.push(exchange.attributes.get('name'), exchange.context('mine'), exchange.context('attributes'));
        seen.push(exchange.context('client') === exchange.client, exchange.context('other'));
        return next(exchange);
      },
    );
    const one = [undefined, null, 'value', { a: 1 }, new Map([['name', 'value']]), true, null];
    await ask(gateway.port, get());
    await ask(gateway.port, get());
    expect(seen).toEqual([...one, ...one]);
  });

  it('change the request and the answer', async () => {
    await start(async (exchange, next) => {
      exchange.request.headers.set('X-Token', 'changed');
      exchange.request.headers.append('X-Added', 'added');
      const response = await next(exchange);
      response.status = 203;
      response.reason = 'Changed';
      response.headers.delete('x-token');
      response.headers.append('X-Also', 'also');
      return response;
    });
    const answer = await ask(gateway.port, `${get()}X-Token: sent\r\n`);
    expect(answer.head.startsWith('HTTP/1.1 203 Changed\r\n')).toBe(true);
    expect(answer.body).toBe('for changed by added');
    expect([answer.headers.has('x-token'), answer.headers.get('x-also')]).toEqual([false, 'also']);
  });

  it('cannot put a line of their own into the head of an answer', async () => {
    await start(() => {
      const response = textResponse(200, 'x');
      response.reason = 'OK\r\nX-Evil: 1';
      return response;
    });
    const answer = await ask(gateway.port, get());
    expect(answer.head.split('\r\n')[0]).toBe('HTTP/1.1 200 OK');
    expect(answer.headers.has('x-evil')).toBe(false);
  });

  it.each([
    ['a changed method', (exchange: Exchange) => (exchange.request.method = 'HEAD')],
    ['a bodiless answer', (exchange: Exchange) => (exchange.request.uri.rawPath = '/nothing')],
  ])('do not break the framing with %s', async (_name, change) => {
    await start(async (exchange, next) => {
      if (exchange.request.uri.query === 'change') change(exchange);
      const response = await next(exchange);
      response.status = 200;
      return response;
    });
    const client = await RawClient.connect(gateway.port);
    client.send(`${get('/?change')}\r\n${get()}X-Token: t\r\n\r\n`);
    const [first, second] = await untilAnswers(client, 2);
    expect(first).toMatchObject({ status: 200, body: '' });
    expect(second!.body).toContain('for t');
    client.destroy();
  });

  it('answer HEAD without content, even if they forward another method', async () => {
    await start((exchange, next) => {
      exchange.request.method = 'GET';
      return next(exchange);
    });
    const client = await RawClient.connect(gateway.port);
    client.send(`HEAD / HTTP/1.1\r\nHost: h\r\n\r\n${get()}\r\n`);
    const [first, second] = await untilAnswers(client, 2, [true]);
    expect(first!.status).toBe(200);
    expect(second!.body).toContain('for ');
    client.destroy();
  });
});

describe('each exchange sees its own headers', () => {
  const styles: [string, Filter][] = [
    [
      'async and await',
      async (exchange, next) => {
        const token = exchange.request.headers.get('x-token');
        await soon();
        expectToken(exchange, token);
        const response = await next(exchange);
        await soon();
        expectToken(exchange, token);
        expect(response.headers.get('x-token')).toBe(token);
        return response;
      },
    ],
    [
      'then',
      (exchange, next) => {
        const token = exchange.request.headers.get('x-token');
        return Promise.resolve(next(exchange)).then((response) => {
          expectToken(exchange, token);
          expect(response.headers.get('x-token')).toBe(token);
          return response;
        });
      },
    ],
    [
      'mapResponse',
      (exchange, next) =>
        mapResponse(next(exchange), exchange, (response) => {
          expectToken(exchange, response.headers.get('x-token'));
          return response;
        }),
    ],
    [
      'a step that waits',
      (exchange, next) =>
        mapResponse(next(exchange), exchange, async (response) => {
          const token = response.headers.get('x-token');
          await soon();
          expectToken(exchange, token);
          expect(response.headers.get('x-token')).toBe(token);
          return response;
        }),
    ],
    [
      'many microtasks',
      async (exchange, next) => {
        for (let i = 0; i < 20; i++) await null;
        const token = exchange.request.headers.get('x-token');
        const response = await next(exchange);
        for (let i = 0; i < 20; i++) await null;
        expectToken(exchange, token);
        return response;
      },
    ],
    ['nothing at all', (exchange, next) => next(exchange)],
  ];

  function expectToken(exchange: Exchange, token: string | null): void {
    if (token === null || exchange.request.headers.get('x-token') !== token) {
      throw new Error(`${exchange.request.headers.get('x-token')} instead of ${token}`);
    }
  }

  async function load(filters: Filter[], clients: number, requests: number): Promise<void> {
    await start(...filters);
    await Promise.all(
      Array.from({ length: clients }, async (_, number) => {
        const client = await RawClient.connect(gateway.port);
        for (let i = 0; i < requests; i++) {
          const token = `token-${number}-${i}-${'x'.repeat((number * 31 + i * 7) % 200)}`;
          client.send(`${get()}X-Token: ${token}\r\n\r\n`);
          await client.until((text) => text.endsWith(`for ${token} by undefined`));
          expect(client.closed).toBe(false);
        }
        client.destroy();
      }),
    );
    expect(gateway.faults).toEqual([]);
  }

  it.each(styles)('with %s', async (_name, filter) => {
    await load([filter], 64, 25);
  });

  it('with all of them in one chain', async () => {
    await load(
      styles.map(([, filter]) => filter),
      64,
      25,
    );
  });

  it('also when requests are pipelined', async () => {
    await start(...styles.map(([, filter]) => filter));
    const client = await RawClient.connect(gateway.port);
    const tokens = Array.from({ length: 200 }, (_, i) => `token-${i}`);
    client.send(tokens.map((token) => `${get()}X-Token: ${token}\r\n\r\n`).join(''));
    const answers = await untilAnswers(client, tokens.length);
    expect(answers.map(({ body }) => body)).toEqual(tokens.map((token) => `for ${token} by undefined`));
    client.destroy();
  });
});

describe('an exchange that is over', () => {
  it('cannot be read any more', async () => {
    let kept: Exchange | undefined;
    await start((exchange, next) => {
      kept = exchange;
      return next(exchange);
    });
    await ask(gateway.port, get());
    expect(() => kept!.request.headers.get('host')).toThrow('the exchange is over');
    expect(() => kept!.request.headers.set('a', 'b')).toThrow('the exchange is over');
    expect(kept!.over).toBe(true);
  });

  it('ends the call to a backend whose answer is not the one that is sent', async () => {
    const before = abandoned;
    await start((exchange, next) => {
      const ignored = next(exchange);
      expect(ignored).toBeDefined();
      return soon().then(() => soon().then(() => textResponse(200, 'mine')));
    });
    expect((await ask(gateway.port, get('/never'))).body).toBe('mine');
    await vi.waitFor(() => expect(abandoned).toBe(before + 1));
  });

  it('ends the call whose answer a filter replaced', async () => {
    const before = abandoned;
    await start(async (exchange, next) => {
      await next(exchange);
      return textResponse(200, 'mine');
    });
    expect((await ask(gateway.port, get('/long'))).body).toBe('mine');
    await vi.waitFor(() => expect(abandoned).toBe(before + 1));
  });

  it('resumes a filter that waits for a response that is no longer needed', async () => {
    const statuses: number[] = [];
    await start(async (exchange, next) => {
      try {
        const response = await next(exchange);
        statuses.push(response.status);
        return response;
      } finally {
        statuses.push(0);
      }
    });
    const before = abandoned;
    const client = await RawClient.connect(gateway.port);
    client.send(`${get('/held')}\r\n`);
    await vi.waitFor(() => expect(release).toHaveLength(1));
    client.socket.resetAndDestroy();
    await vi.waitFor(() => expect(statuses).toEqual([499, 0]));
    await vi.waitFor(() => expect(abandoned).toBe(before + 1));
    await vi.waitFor(() => expect(gateway.finished.map(({ status }) => status)).toEqual([499]));
    expect(counters.block[COUNTER.requestsActive]).toBe(0);
    expect(gateway.faults).toEqual([]);
  });

  it('does not count as a fault when a filter stumbles over it', async () => {
    let waiting = true;
    await start(async (exchange, next) => {
      await next(exchange);
      waiting = false;
      return textResponse(200, String(exchange.request.headers.get('host')));
    });
    const client = await RawClient.connect(gateway.port);
    client.send(`${get('/held')}\r\n`);
    await vi.waitFor(() => expect(release).toHaveLength(1));
    client.socket.resetAndDestroy();
    await vi.waitFor(() => expect(waiting).toBe(false));
    await soon();
    expect(gateway.faults).toEqual([]);
  });
});
