import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chain } from '../../../../dataplane/engine/message/chain.ts';
import type { Answer, Filter } from '../../../../dataplane/engine/message/exchange.ts';
import { mapResponse } from '../../../../dataplane/engine/message/reply.ts';
import { Response, textResponse } from '../../../../dataplane/engine/message/response.ts';
import { ask, refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let backend: Server;
let gateway: TestGateway;

beforeAll(async () => {
  backend = createServer((request, response) => {
    if (request.url !== '/never') response.end(`for ${request.headers['x-token']}`);
  }).listen(0, '127.0.0.1');
  await once(backend, 'listening');
});
afterAll(() => {
  backend.closeAllConnections();
  backend.close();
});
afterEach(() => gateway.close());

async function start(...filters: Filter[]): Promise<void> {
  gateway = await startGateway({
    backend: { destination: { host: '127.0.0.1', port: (backend.address() as AddressInfo).port } },
    handler: (next) => chain(filters, next),
  });
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const get = (path = '/'): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n`;

describe('a failure in a filter', () => {
  const secret = 'password=hunter2';
  const failing: [string, Filter][] = [
    [
      'is thrown at once',
      () => {
        throw new Error(secret);
      },
    ],
    ['is thrown later', async () => Promise.reject(new Error(secret))],
    [
      'is thrown on the way back',
      (exchange, next) =>
        mapResponse(next(exchange), exchange, () => {
          throw new Error(secret);
        }),
    ],
    [
      'is thrown on the way back, later',
      (exchange, next) =>
        mapResponse(next(exchange), exchange, async () => {
          await soon();
          throw new Error(secret);
        }),
    ],
    [
      'is not even an error',
      () => {
        throw secret;
      },
    ],
    ['is a status nobody knows', () => new Response(1000)],
    ['is a status that is none', () => new Response(Number.NaN)],
    ['is an interim answer', () => new Response(103)],
    [
      'is a header value with a line break',
      (exchange, next) => {
        exchange.request.headers.set('X-Evil', 'a\r\nX-More: b');
        return next(exchange);
      },
    ],
  ];

  it.each(failing)('%s: 500 without details, and the connection lives', async (_name, filter) => {
    await start((exchange, next) => (exchange.request.uri.path === '/fail' ? filter(exchange, next) : next(exchange)));
    const client = await RawClient.connect(gateway.port);
    client.send(`${get('/fail')}\r\n${get()}X-Token: t\r\n\r\n`);
    const [failed, after] = await untilAnswers(client, 2);
    expect(failed!.status).toBe(500);
    expect(refusalOf(failed!)).toBe('internal');
    expect(client.text).not.toContain('hunter2');
    expect(client.text).not.toContain('X-More');
    expect(after!.body).toBe('for t');
    expect(gateway.faults).toHaveLength(1);
    client.destroy();
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'text'],
    ['a promise of nothing', Promise.resolve()],
  ])('is %s instead of an answer: 404', async (_name, answer) => {
    await start(() => answer as Answer);
    const refused = await ask(gateway.port, get());
    expect(refused.status).toBe(404);
    expect(refusalOf(refused)).toBe('no-answer');
  });

  it('has no effect when no request waits for it', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    let calls = 0;
    await start(
      (exchange, next) => {
        calls++;
        void next(exchange);
        return soon().then(() => soon().then(() => soon().then(() => textResponse(200, 'mine'))));
      },
      (exchange, next) =>
        mapResponse(next(exchange), exchange, () => {
          throw new Error('nobody hears this');
        }),
    );
    expect((await ask(gateway.port, get())).body).toBe('mine');
    expect((await ask(gateway.port, get('/never'))).body).toBe('mine');
    await soon();
    expect(calls).toBe(2);
    expect(unhandled).toEqual([]);
    process.off('unhandledRejection', note);
  });
});
