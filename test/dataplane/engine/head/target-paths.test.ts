import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StrictBackend } from '../../../support/backends/strict-backend.ts';
import { exchangeBytes, refusalOf } from '../../../support/clients/answers.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

interface PathCases {
  readonly rejectInEnvoy: readonly string[];
  readonly normalise: readonly [string, string][];
  readonly mergeSlashes: readonly [string, string][];
  readonly unescapeSlashes: readonly [string, string][];
}

let backend: StrictBackend;
let gateway: TestGateway;
let matched: { rawPath: string; path: string; rawQuery: string | null }[] = [];

beforeAll(async () => {
  backend = await StrictBackend.start();
  gateway = await startGateway({
    backend: { destination: { host: '127.0.0.1', port: backend.port } },
    handler: (next) => (exchange) => {
      const { rawPath, path, rawQuery } = exchange.request.uri;
      matched.push({ rawPath, path, rawQuery });
      return next(exchange);
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await backend.close();
});
beforeEach(() => {
  backend.requests.length = 0;
  matched = [];
});

/** Sends a target as it is. @returns the status, what the chain saw and what the backend got. */
async function send(target: string) {
  const [answer] = await exchangeBytes(
    gateway.port,
    Buffer.from(`GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`, 'latin1'),
  );
  expect(backend.violations).toEqual([]);
  return { answer: answer!, matched: matched[0], forwarded: backend.requests[0]?.target };
}

const cases = JSON.parse(
  readFileSync(new URL('../../../vectors/envoy-path-cases.json', import.meta.url), 'utf8'),
) as PathCases;
const targets = [
  ...cases.rejectInEnvoy,
  ...[...cases.normalise, ...cases.mergeSlashes, ...cases.unescapeSlashes].flat(),
].filter((target, i, all) => all.indexOf(target) === i);

describe('the paths of Envoy', () => {
  it.each(targets)('%s is refused, or decided on and forwarded as one string', async (target) => {
    const { answer, matched, forwarded } = await send(target);
    if (answer.status === 400) {
      expect(matched).toBeUndefined();
      expect(forwarded).toBeUndefined();
    } else {
      expect(answer.status).toBe(200);
      expect(forwarded).toBe(
        matched!.rawQuery === null ? matched!.rawPath : `${matched!.rawPath}?${matched!.rawQuery}`,
      );
    }
  });

  it.each(cases.rejectInEnvoy)('%s is refused', async (target) => {
    expect((await send(target)).answer.status).toBe(400);
  });
});

/** Every spelling of a text in which each character is plain or percent-encoded in either case. */
function spellings(text: string): string[] {
  let all = [''];
  for (const character of text) {
    const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
    const ways = [...new Set([character, `%${hex}`, `%${hex.toUpperCase()}`])];
    all = all.flatMap((start) => ways.map((way) => start + way));
  }
  return all;
}

describe('ambiguous paths are refused', () => {
  const dots = [...spellings('.'), ...spellings('..')];

  it.each(
    dots.flatMap((dot) => [`/a/${dot}/b`, `/a/${dot}`, `/${dot}`, `/a/${dot}?q`, `/a/${dot};x=1/b`, `/a/${dot}%3bx/b`]),
  )('dot segment %s', async (target) => {
    const { answer, matched } = await send(target);
    expect(answer.status).toBe(400);
    expect(refusalOf(answer)).toBe('target-ambiguous');
    expect(matched).toBeUndefined();
  });

  it.each([
    ['an encoded slash', ['/a%2fb', '/a%2Fb', '/%2f', '/%2fetc', '/a/..%2fb', '/a%2f..%2fb']],
    ['an encoded backslash', ['/a%5cb', '/a%5Cb', '/a/..%5cb', '/%5c..']],
    ['a raw backslash', ['/a\\b', '/\\', '/a/..\\b', '\\a']],
    ['a fragment', ['/a#b', '/#', '/a#b?c', '/a%20#b']],
    ['NUL and other controls', ['/%00', '/a%00b', '/a%0d%0ab', '/a%09b', '/a%1fb', '/a%7fb', '/a%7Fb']],
    ['overlong UTF-8', ['/%c0%af', '/%c0%ae%c0%ae/a', '/%e0%80%af', '/%f0%80%80%af', '/%c1%9c', '/%e0%80%ae']],
    ['invalid UTF-8', ['/%ff', '/%80', '/%c3', '/%c3%28', '/%ed%a0%80', '/%f5%80%80%80', '/%e2%82', '/%fe%bf']],
    ['a bad percent', ['/%', '/%2', '/%zz', '/a%', '/%2g', '/%%2e', '/%u002e', '/%-1', '/% 1'.replace(' ', '+')]],
    ['double encoding that decodes to dots', ['/a/%2e%2e%2fb', '/a/.%2e%2fb']],
  ])('%s', async (_name, list) => {
    for (const target of list) {
      const { answer, matched, forwarded } = await send(target);
      expect(answer.status, target).toBe(400);
      expect(matched, target).toBeUndefined();
      expect(forwarded, target).toBeUndefined();
      matchedReset();
    }
  });

  it('bytes beyond ASCII', async () => {
    for (const target of ['/\xff', '/caf\xc3\xa9', '/a?b=\xe9']) {
      expect((await send(target)).answer.status).toBe(400);
    }
  });
});

function matchedReset(): void {
  matched = [];
  backend.requests.length = 0;
}

describe('equivalent paths have one spelling, for the chain and the backend', () => {
  it.each([
    ['/%6frders', '/orders'],
    ['/%6Frders/%31%32', '/orders/12'],
    ['/%7euser', '/~user'],
    ['/a%2db%2ec%5fd', '/a-b.c_d'],
    ['/a/%2e%2e%2e/b', '/a/.../b'],
    ['/a/%2ehidden', '/a/.hidden'],
    ['/a%20b', '/a%20b'],
    ['/caf%c3%a9', '/caf%C3%A9'],
    ['/%e2%82%ac', '/%E2%82%AC'],
    ['/a%3bb', '/a%3Bb'],
    ['/a;b=c/d', '/a;b=c/d'],
    ['/a%25b', '/a%25b'],
    ['/%252e%252e/a', '/%252e%252e/a'],
    ['/a%3fb', '/a%3Fb'],
    ['/a%23b', '/a%23b'],
    ['/a%3Ab', '/a%3Ab'],
    ['//a//b', '//a//b'],
    ['/...', '/...'],
    ['/.a', '/.a'],
    ['/..a/b', '/..a/b'],
    ['/a..', '/a..'],
    ["/!$&'()*+,;=:@", "/!$&'()*+,;=:@"],
    ['/a"b<c>^`{|}', '/a"b<c>^`{|}'],
  ])('%s is %s', async (target, path) => {
    const { answer, matched, forwarded } = await send(target);
    expect(answer.status).toBe(200);
    expect(matched!.rawPath).toBe(path);
    expect(forwarded).toBe(path);
  });

  it('decodes a path once', async () => {
    expect((await send('/%25%32%65/caf%c3%a9')).matched!.path).toBe('/%2e/café');
  });
});

describe('queries pass unchanged', () => {
  it.each([
    '?',
    '??',
    '?a=b&c=d',
    '?a=%2e%2E/../%2f%5c\\',
    '?a=%00',
    '?%6f',
    '?a=/./../b',
    '?x=http://a/b?c',
    '?!$&\'()*+,;=:@/?[]{}|^`"<>',
    '?=',
  ])('%s', async (query) => {
    for (const path of ['/a', '/a%20b']) {
      const { answer, matched, forwarded } = await send(path + query);
      expect(answer.status).toBe(200);
      expect(matched!.rawQuery).toBe(query.slice(1));
      expect(forwarded).toBe(path + query);
      matchedReset();
    }
  });

  it.each([
    ['/a?b#c', '/a?b'],
    ['/a?#c', '/a?'],
    ['/a?b#c#d?e', '/a?b'],
    ['/a%20b?c#d', '/a%20b?c'],
    ['http://h/a?b#c', '/a?b'],
  ])('but not their fragment: %s is %s', async (target, forwarded) => {
    const sent = await send(target);
    expect(sent.answer.status).toBe(200);
    expect(sent.forwarded).toBe(forwarded);
    expect(sent.matched!.rawQuery).toBe(forwarded.slice(forwarded.indexOf('?') + 1));
  });
});
