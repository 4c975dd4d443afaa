import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ForwardingOptions } from '../../../../dataplane/engine/backend/forwarding.ts';
import type { ClientContext, Exchange } from '../../../../dataplane/engine/message/exchange.ts';
import { StrictBackend } from '../../../support/backends/strict-backend.ts';
import { ask } from '../../../support/clients/answers.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let backend: StrictBackend;
let gateway: TestGateway;
let seen: { client: ClientContext; originalUri: string }[] = [];

beforeAll(async () => {
  backend = await StrictBackend.start();
  return () => backend.close();
});
beforeEach(() => {
  backend.requests.length = 0;
  seen = [];
});
afterEach(() => gateway.close());

function note(exchange: Exchange): void {
  seen.push({ client: exchange.client, originalUri: String(exchange.router.originalUri) });
}

async function start(trustedProxies: readonly string[], forwarding?: ForwardingOptions): Promise<void> {
  gateway = await startGateway({
    backend: {
      destination: { host: '127.0.0.1', port: backend.port },
      ...(forwarding === undefined ? {} : { forwarding }),
    },
    trustedProxies,
    handler: (next) => (exchange) => {
      note(exchange);
      return next(exchange);
    },
  });
}

/** Sends a request with these lines. @returns the forwarding headers that reached the backend, in order. */
async function forward(lines: string, start = 'GET /path?q HTTP/1.1\r\nHost: shop.example\r\n') {
  const answer = await ask(gateway.port, `${start}${lines}`);
  expect(answer.status).toBe(200);
  expect(backend.violations).toEqual([]);
  return backend.requests.at(-1)!.headers.filter(([name]) => /^(forwarded|via|x-forwarded-.*)$/.test(name));
}

const ours = (): [string, string][] => [
  ['x-forwarded-for', '127.0.0.1'],
  ['x-forwarded-proto', 'http'],
  ['x-forwarded-port', String(gateway.port)],
  ['x-forwarded-host', 'shop.example'],
  ['via', '1.1 gatewarden'],
];

describe('forwarding headers to the backend', () => {
  it('are X-Forwarded-* and Via by default', async () => {
    await start([]);
    expect(await forward('')).toEqual(ours());
  });

  it('contain the HTTP version of the client, also on a reused connection', async () => {
    await start([]);
    const [old] = (await forward('', 'GET / HTTP/1.0\r\nHost: shop.example\r\n')).filter(([name]) => name === 'via');
    expect(old).toEqual(['via', '1.0 gatewarden']);
  });

  it('can be Forwarded, or none', async () => {
    await start([], { xForwarded: false, forwarded: true, via: null });
    expect(await forward('')).toEqual([['forwarded', 'for=127.0.0.1;host="shop.example";proto=http']]);
    await gateway.close();
    await start([], { xForwarded: false, forwarded: false, via: null });
    expect(await forward('')).toEqual([]);
  });

  it('contain no host when the client sent none', async () => {
    await start([], { xForwarded: true, forwarded: true, via: null });
    const lines = await forward('', 'GET / HTTP/1.0\r\n');
    expect(lines.map(([name]) => name)).not.toContain('x-forwarded-host');
    expect(lines).toContainEqual(['forwarded', 'for=127.0.0.1;proto=http']);
  });

  it('keep existing Via lines before our own', async () => {
    await start([]);
    expect((await forward('Via: 1.0 first, 1.1 second\r\n')).filter(([name]) => name === 'via')).toEqual([
      ['via', '1.0 first, 1.1 second'],
      ['via', '1.1 gatewarden'],
    ]);
  });
});

describe('copies that a client sends', () => {
  const spoofed =
    'X-Forwarded-For: 6.6.6.6\r\nx-forwarded-HOST: evil\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Port: 443\r\n' +
    'X-Forwarded-Anything: evil\r\nForwarded: for=6.6.6.6;host=evil;proto=https\r\nX-Forwarded-For: 7.7.7.7\r\n';

  it.each([
    ['nobody is trusted', []],
    ['others are trusted', ['10.0.0.0/8', '::1']],
  ])('are dropped and not believed when %s', async (_name, trusted) => {
    await start(trusted);
    expect(await forward(spoofed)).toEqual(ours());
    expect(seen[0]!.client).toMatchObject({ remoteAddress: '127.0.0.1', isSecure: false });
    expect(seen[0]!.originalUri).toBe('http://shop.example/path?q');
  });

  it('are not visible to the chain', async () => {
    let names: string[] = [];
    gateway = await startGateway({
      backend: { destination: { host: '127.0.0.1', port: backend.port } },
      handler: (next) => (exchange) => {
        names = exchange.request.headers.entries().map(([name]) => name);
        return next(exchange);
      },
    });
    await forward(spoofed);
    expect(names).toEqual(['host']);
  });
});

describe('forwarding headers of a trusted proxy', () => {
  it.each([['127.0.0.1'], ['127.0.0.0/8'], ['10.0.0.0/8', '127.0.0.1/32'], ['0.0.0.0/0', '::/0']])(
    'are kept and extended when %s is trusted',
    async (...networks) => {
      await start(networks.filter((network) => typeof network === 'string'));
      const lines = await forward(
        'X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: shop.example.com\r\n' +
          'X-Forwarded-Port: 443\r\nX-Forwarded-Prefix: /shop\r\n',
      );
      expect(Object.fromEntries(lines)).toEqual({
        'x-forwarded-for': '192.0.2.7, 127.0.0.1',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'shop.example.com',
        'x-forwarded-port': '443',
        'x-forwarded-prefix': '/shop',
        via: '1.1 gatewarden',
      });
      expect(lines).toHaveLength(6);
    },
  );

  it('are completed where they are missing', async () => {
    await start(['127.0.0.1']);
    expect(Object.fromEntries(await forward(''))).toEqual(Object.fromEntries(ours()));
    expect(seen[0]!.client.remoteAddress).toBe('127.0.0.1');
    expect(seen[0]!.client.remotePort).toBeGreaterThan(0);
  });

  it('extend Forwarded if configured', async () => {
    await start(['127.0.0.1'], { xForwarded: false, forwarded: true, via: null });
    const lines = await forward('Forwarded: for="[2001:db8::1]:80";proto=https\r\nForwarded: for=127.0.0.2\r\n');
    expect(lines).toEqual([
      ['forwarded', 'for="[2001:db8::1]:80";proto=https, for=127.0.0.2, for=127.0.0.1;host="shop.example";proto=http'],
    ]);
  });

  it('are the same before and after the request is forwarded, also repeatedly', async () => {
    let attempts = 0;
    gateway = await startGateway({
      backend: { destination: { host: '127.0.0.1', port: backend.port } },
      trustedProxies: ['127.0.0.1'],
      handler: (next) => async (exchange) => {
        note(exchange);
        await next(exchange);
        note(exchange);
        attempts++;
        return next(exchange);
      },
    });
    const second = await forward('X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: a.b\r\n');
    expect(attempts).toBe(1);
    expect(backend.requests[0]!.headers).toEqual(backend.requests[1]!.headers);
    expect(second).toContainEqual(['x-forwarded-for', '192.0.2.7, 127.0.0.1']);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[0]).toMatchObject({ client: { remoteAddress: '192.0.2.7' }, originalUri: 'https://a.b/path?q' });
  });
});

describe('the client behind trusted proxies', () => {
  const trusted = ['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48'];

  it.each([
    ['X-Forwarded-For: 192.0.2.7', '192.0.2.7'],
    ['X-Forwarded-For: 6.6.6.6, 192.0.2.7', '192.0.2.7'],
    ['X-Forwarded-For: 6.6.6.6, 192.0.2.7, 10.1.2.3', '192.0.2.7'],
    ['X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 192.0.2.7, 10.1.2.3', '192.0.2.7'],
    ['X-Forwarded-For: 192.0.2.7:5555, 10.1.2.3:80', '192.0.2.7'],
    ['X-Forwarded-For: 2001:db8::7, 2001:db8:ffff::1', '2001:db8::7'],
    ['X-Forwarded-For: [2001:db8::7]:443, [2001:db8:ffff::1]:443', '2001:db8::7'],
    ['X-Forwarded-For: 192.0.2.7, ::ffff:10.1.2.3', '192.0.2.7'],
    ['X-Forwarded-For: ::ffff:192.0.2.7', '192.0.2.7'],
    ['X-Forwarded-For: 10.9.9.9, 10.1.2.3', '10.9.9.9'],
    ['X-Forwarded-For: 192.0.2.7, , 10.1.2.3,', '192.0.2.7'],
    ['X-Forwarded-For: ', '127.0.0.1'],
    ['X-Forwarded-For: 192.0.2.7, rubbish', 'unknown'],
    ['X-Forwarded-For: 192.0.2.7, unknown, 10.1.2.3', 'unknown'],
    ['X-Forwarded-For: [::1', 'unknown'],
    ['Forwarded: for=192.0.2.7', '192.0.2.7'],
    ['Forwarded: For="[2001:db8::7]:1234";proto=https', '2001:db8::7'],
    ['Forwarded: for=6.6.6.6, for=192.0.2.7;by=10.0.0.1, for=10.1.2.3', '192.0.2.7'],
    ['Forwarded: for=192.0.2.7\r\nForwarded: for=10.1.2.3', '192.0.2.7'],
    ['Forwarded: for=_hidden, for=10.1.2.3', 'unknown'],
    ['Forwarded: for=192.0.2.7;host="x, for=10.1.1.1"', '192.0.2.7'],
    ['Forwarded: for=192.0.2.7;host="x\\", for=10.1.1.1"', '192.0.2.7'],
    ['Forwarded: proto=https', 'unknown'],
    ['Forwarded: for="6.6.6.6, for=192.0.2.7', 'unknown'],
    ['Forwarded: for=6.6.6.6;for=192.0.2.7', 'unknown'],
    ['Forwarded: for=192.0.2.7 for=10.0.0.1', 'unknown'],
    ['Forwarded: for=192.0.2.7\r\nX-Forwarded-For: 192.0.2.7', '192.0.2.7'],
    ['Forwarded: for=6.6.6.6\r\nX-Forwarded-For: 192.0.2.7', 'unknown'],
    ['Forwarded: for=192.0.2.7\r\nX-Forwarded-For: 6.6.6.6', 'unknown'],
  ])('%s makes it %s', async (lines, address) => {
    await start(trusted);
    await forward(`${lines}\r\n`);
    expect(seen[0]!.client.remoteAddress).toBe(address);
  });

  it.each([
    ['X-Forwarded-Proto: https', 'https://shop.example/path?q', true],
    ['X-Forwarded-Proto: HTTPS', 'https://shop.example/path?q', true],
    ['X-Forwarded-Proto: http', 'http://shop.example/path?q', false],
    ['X-Forwarded-Proto: gopher', 'http://shop.example/path?q', false],
    ['X-Forwarded-Host: www.example:8443\r\nX-Forwarded-Proto: https', 'https://www.example:8443/path?q', true],
    ['X-Forwarded-Host: bad host', 'http://shop.example/path?q', false],
    ['X-Forwarded-Host: a@b', 'http://shop.example/path?q', false],
    [
      'X-Forwarded-For: 192.0.2.7, 10.1.1.1\r\nX-Forwarded-Proto: https, http\r\nX-Forwarded-Host: a.b, c.d',
      'https://a.b/path?q',
      true,
    ],
    [
      'X-Forwarded-For: 6.6.6.6, 192.0.2.7\r\nX-Forwarded-Proto: https, http\r\nX-Forwarded-Host: evil, c.d',
      'http://c.d/path?q',
      false,
    ],
    ['X-Forwarded-For: 192.0.2.7, 10.1.1.1\r\nX-Forwarded-Proto: https', 'https://shop.example/path?q', true],
    ['Forwarded: for=192.0.2.7;proto=https;host="www.example:8443"', 'https://www.example:8443/path?q', true],
    ['Forwarded: for=192.0.2.7;proto=https;host=a.b, for=10.1.1.1;proto=http;host=inner', 'https://a.b/path?q', true],
    ['Forwarded: for=6.6.6.6;proto=https;host=evil, for=192.0.2.7;host=c.d', 'http://c.d/path?q', false],
    ['Forwarded: for="broken;proto=https', 'http://shop.example/path?q', false],
    ['Forwarded: for=192.0.2.7;host=a.b\r\nX-Forwarded-Host: c.d', 'http://shop.example/path?q', false],
  ])('%s makes the original URI %s', async (lines, uri, secure) => {
    await start(trusted);
    await forward(`${lines}\r\n`);
    expect(seen[0]!.originalUri).toBe(uri);
    expect(seen[0]!.client.isSecure).toBe(secure);
  });

  it('keeps the original URI when the request is sent elsewhere', async () => {
    const originals: string[] = [];
    gateway = await startGateway({
      backend: { destination: { host: '127.0.0.1', port: backend.port } },
      handler: (next) => (exchange) => {
        const { router } = exchange;
        exchange.request.uri.rawPath = '/elsewhere';
        exchange.request.uri.host = 'inner';
        originals.push(String(router.originalUri), String(exchange.router.originalUri));
        return next(exchange);
      },
    });
    await forward('');
    expect(originals).toEqual(['http://shop.example/path?q', 'http://shop.example/path?q']);
    expect(backend.requests[0]!.target).toBe('/elsewhere?q');
  });

  it('rejects an invalid network', async () => {
    await start([]);
    for (const network of ['10.0.0.0/33', 'localhost', '10.0.0', '::/129', '10.0.0.0/-1', '']) {
      await expect(startGateway({ trustedProxies: [network] })).rejects.toThrow('not a network');
    }
  });
});
