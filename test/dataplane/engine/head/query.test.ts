import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodedQuery } from '../../../../dataplane/engine/head/query.ts';
import { StrictBackend } from '../../../support/backends/strict-backend.ts';
import { exchangeBytes, refusalOf } from '../../../support/clients/answers.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let backend: StrictBackend;
let encoding: TestGateway;
let passing: TestGateway;
let refusing: TestGateway;

beforeAll(async () => {
  backend = await StrictBackend.start();
  const to = { destination: { host: '127.0.0.1', port: backend.port } };
  encoding = await startGateway({ backend: to, limits: { queries: 'encode' } });
  passing = await startGateway({ backend: to });
  refusing = await startGateway({ backend: to, limits: { queries: 'refuse' } });
});
afterAll(async () => {
  await encoding.close();
  await refusing.close();
  await passing.close();
  await backend.close();
});
beforeEach(() => {
  backend.requests.length = 0;
});

/** Sends a target as it is. @returns the answer, and what the backend got. */
async function send({ port }: TestGateway, target: string) {
  const bytes = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`, 'latin1');
  const [answer] = await exchangeBytes(port, bytes);
  return { answer: answer!, forwarded: backend.requests[0]?.target };
}

const clean = ['?', '??', '?a=b&c=d', '?%6f%2F%2f', '?x=http://a/b?c', "?!$&'()*+,;=:@/?[]", '?=', '?a=/./../b'];
const unfit: readonly [string, string][] = [
  ['?{}|^`"<>\\', '?%7B%7D%7C%5E%60%22%3C%3E%5C'],
  ['?a=b|c#d|', '?a=b%7Cc'],
];

describe('a query with a percent sign without an escape', () => {
  it.each(['?a=%', '?a=%4', '?%zz%41', '?%%41', '?a=%u0041', '?a|%4#b'])('%s is refused everywhere', async (query) => {
    for (const gateway of [passing, encoding, refusing]) {
      for (const target of [`/a${query}`, `/a%20b${query}`, `http://h/a${query}`]) {
        const { answer, forwarded } = await send(gateway, target);
        expect([answer.status, refusalOf(answer), forwarded]).toEqual([400, 'query', undefined]);
      }
    }
  });
});

describe('a query with characters that are not allowed', () => {
  it.each(unfit)('%s is encoded: %s', async (query, expected) => {
    for (const path of ['/a', '/a%20b']) {
      expect((await send(encoding, path + query)).forwarded).toBe(path + expected);
      backend.requests.length = 0;
    }
    expect((await send(encoding, `http://h/a${query}`)).forwarded).toBe(`/a${expected}`);
  });

  it.each(unfit)('%s is rejected if queries pass unchanged', async (query) => {
    for (const target of [`/a${query}`, `/a%20b${query}`, `http://h/a${query}`]) {
      const { answer, forwarded } = await send(refusing, target);
      expect([answer.status, refusalOf(answer), forwarded]).toEqual([400, 'query', undefined]);
    }
  });
});

describe('a query with allowed characters only', () => {
  it.each(clean)('%s passes unchanged', async (query) => {
    for (const gateway of [encoding, refusing]) {
      for (const path of ['/a', '/a%20b']) {
        expect((await send(gateway, path + query)).forwarded).toBe(path + query);
        backend.requests.length = 0;
      }
    }
  });

  it('loses its fragment', async () => {
    for (const gateway of [encoding, refusing]) {
      expect((await send(gateway, '/a?b#c|%')).forwarded).toBe('/a?b');
      backend.requests.length = 0;
    }
  });
});

it('is encoded once: encoded characters are not encoded again', () => {
  for (const [query] of unfit) expect(encodedQuery(encodedQuery(query, 0), 0)).toBe(encodedQuery(query, 0));
});
