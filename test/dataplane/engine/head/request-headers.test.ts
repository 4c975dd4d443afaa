import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Headers } from '../../../../dataplane/engine/head/headers.ts';
import type { Next } from '../../../../dataplane/engine/message/exchange.ts';
import { StrictBackend, type StrictRequest } from '../../../support/backends/strict-backend.ts';
import { ask, exchangeBytes, refusalOf } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let backend: StrictBackend;
let gateway: TestGateway;
let loose: TestGateway;
let seen: { host: string; uri: string; headers: [string, string][] }[] = [];

/** Notes what the chain sees. */
const noting =
  (next: Next): Next =>
  (exchange) => {
    const { request } = exchange;
    seen.push({ host: request.host, uri: String(request.uri), headers: request.headers.entries() });
    return next(exchange);
  };

beforeAll(async () => {
  backend = await StrictBackend.start();
  const destination = { host: '127.0.0.1', port: backend.port };
  gateway = await startGateway({ backend: { destination }, handler: noting });
  loose = await startGateway({ backend: { destination }, handler: noting, limits: { underscores: true } });
});
afterAll(async () => {
  await gateway.close();
  await loose.close();
  await backend.close();
});
beforeEach(() => {
  backend.requests.length = 0;
  seen = [];
});

function valuesOf(request: StrictRequest, name: string): string[] {
  return request.headers.filter((header) => header[0] === name).map((header) => header[1]);
}

/** Sends one request with these lines besides Host. @returns the request as the backend got it. */
async function forward(lines: string, body = '', port = gateway.port): Promise<StrictRequest> {
  const answer = await ask(port, `POST / HTTP/1.1\r\nHost: h\r\n${lines}`, body);
  expect(answer.status).toBe(200);
  expect(backend.violations).toEqual([]);
  return backend.requests.at(-1)!;
}

describe('headers of one hop', () => {
  it.each([
    'Connection: keep-alive',
    'Keep-Alive: timeout=5',
    'Proxy-Connection: keep-alive',
    'Proxy-Authorization: Basic eDp5',
    'Proxy-Authenticate: Basic',
    'TE: trailers',
    'Trailer: Digest',
    'Upgrade: websocket',
    'Upgrade: h2c',
  ])('drops %s', async (line) => {
    const request = await forward(`X-Before: b\r\n${line}\r\nX-After: a\r\n`);
    const name = line.split(':')[0]!.toLowerCase();
    expect(valuesOf(request, name)).toEqual([]);
    expect(valuesOf(request, 'x-before')).toEqual(['b']);
    expect(valuesOf(request, 'x-after')).toEqual(['a']);
    expect(seen[0]!.headers.map(([header]) => header)).not.toContain(name);
  });

  it('drops the headers that Connection names, case-insensitive, before and after it, on several lines', async () => {
    const request = await forward(
      'X-One: 1\r\nConnection: x-ONE , X-Two\r\nX-Two: 2\r\nX-Three: 3\r\nConnection: x-three\r\nX-one: 4\r\nX-Four: 4\r\n',
    );
    for (const name of ['x-one', 'x-two', 'x-three', 'connection']) expect(valuesOf(request, name)).toEqual([]);
    expect(valuesOf(request, 'x-four')).toEqual(['4']);
    expect(seen[0]!.headers.map(([header]) => header)).not.toContain('x-one');
  });

  it('does not drop framing, host or authorization headers that Connection names', async () => {
    const request = await forward(
      'Authorization: Bearer t\r\nCookie: a=b\r\nContent-Length: 2\r\n' +
        'Connection: Host, Content-Length, Authorization, Cookie, Transfer-Encoding\r\n',
      'ok',
    );
    expect(request.body).toBe('ok');
    expect(valuesOf(request, 'host')).toEqual(['h']);
    expect(valuesOf(request, 'authorization')).toEqual(['Bearer t']);
    expect(valuesOf(request, 'cookie')).toEqual(['a=b']);
  });

  it('does not drop headers of the gateway that Connection names', async () => {
    const request = await forward('Connection: X-Forwarded-For, X-Forwarded-Host, X-Forwarded-Proto, Via\r\n');
    expect(valuesOf(request, 'x-forwarded-for')).toEqual(['127.0.0.1']);
    expect(valuesOf(request, 'x-forwarded-host')).toEqual(['h']);
    expect(valuesOf(request, 'x-forwarded-proto')).toEqual(['http']);
    expect(valuesOf(request, 'via')).toEqual(['1.1 gatewarden']);
  });

  it('writes new chunks for a chunked body', async () => {
    const request = await forward('Transfer-Encoding: Chunked\r\n', '2;x=y\r\nab\r\n1\r\nc\r\n0\r\nDigest: 1\r\n\r\n');
    expect(valuesOf(request, 'transfer-encoding')).toEqual(['chunked']);
    expect(request.body).toBe('abc');
  });
});

describe('names with an underscore', () => {
  it.each([
    'X_Forwarded_For: 1.2.3.4',
    'X-Forwarded_Host: evil',
    'Content_Length: 5',
    'transfer_encoding: chunked',
    'Proxy_Connection: close',
    'Keep_Alive: 1',
  ])('drops %s, which imitates a header of ours, even where they are allowed', async (line) => {
    for (const { port } of [gateway, loose]) {
      const request = await forward(`${line}\r\nX-Other: o\r\n`, '', port);
      expect(request.headers.some(([name]) => name.includes('_'))).toBe(false);
      expect(request.headers.some(([, value]) => value === line.split(': ')[1])).toBe(false);
      expect(valuesOf(request, 'x-other')).toEqual(['o']);
    }
  });

  it('are removed when a filter deletes or sets the header that they imitate', async () => {
    const editing = await startGateway({
      backend: { destination: { host: '127.0.0.1', port: backend.port } },
      limits: { underscores: true },
      handler: (next) => (exchange) => {
        exchange.request.headers.delete('x-api-key');
        exchange.request.headers.set('X-User-Id', 'me');
        return next(exchange);
      },
    });
    const request = await forward(
      'X-Api-Key: k\r\nX_Api_Key: k\r\nx-api_KEY: k\r\nX_User_Id: you\r\nX-User_Id: you\r\nX_Other: o\r\n',
      '',
      editing.port,
    );
    expect(request.headers.filter(([name]) => name.includes('api'))).toEqual([]);
    expect(request.headers.filter(([name]) => name.includes('user'))).toEqual([['x-user-id', 'me']]);
    expect(valuesOf(request, 'x_other')).toEqual(['o']);
    await editing.close();
  });
});

describe('names that look like another once all but letters and digits is folded', () => {
  const ODD = ['.', '~', '!', '#', '$', '%', '&', "'", '*', '+', '^', '`', '|'];

  it.each([
    ['X-Forwarded-For', '1.2.3.4'],
    ['Content-Length', '5'],
    ['Transfer-Encoding', 'chunked'],
    ['Proxy-Connection', 'close'],
    ['HTTP2-Settings', 'x'],
  ])('refuses every one of %s, which the gateway sets', async (name, value) => {
    for (const odd of ODD) {
      const answer = await ask(gateway.port, `GET / HTTP/1.1\r\nHost: h\r\n${name.replaceAll('-', odd)}: ${value}\r\n`);
      expect([answer.status, refusalOf(answer)]).toEqual([400, 'header-look-alike']);
    }
    expect(backend.requests).toEqual([]);
  });

  it.each(ODD)('refuses a request with %s in the name of a header that a filter sets, adds or deletes', async (odd) => {
    const edits: ((headers: Headers) => void)[] = [
      (headers) => headers.set('X-User', 'me'),
      (headers) => headers.append('X-User', 'me'),
      (headers) => headers.delete('X-User'),
    ];
    for (const edit of edits) {
      const editing = await startGateway({
        backend: { destination: { host: '127.0.0.1', port: backend.port } },
        handler: (next) => (exchange) => {
          edit(exchange.request.headers);
          return next(exchange);
        },
      });
      const head = `GET / HTTP/1.1\r\nHost: h\r\nX${odd}User: admin\r\n`;
      const answer = await ask(editing.port, head);
      await editing.close();
      expect([answer.status, refusalOf(answer)]).toEqual([400, 'header-look-alike']);
      expect((await ask(gateway.port, head)).status).toBe(200); // nobody sets it there
      expect(backend.requests).toHaveLength(1);
      backend.requests.length = 0;
    }
  });
});

describe('Host', () => {
  it.each([
    ['example.com', 'example.com', 'http://example.com/'],
    ['EXAMPLE.com:8080', 'example.com:8080', 'http://example.com:8080/'],
    ['[::1]:80', '[::1]', 'http://[::1]/'],
    ['127.0.0.1', '127.0.0.1', 'http://127.0.0.1/'],
    ['example.com:', 'example.com', 'http://example.com/'],
  ])('passes %s on as %s', async (given, host, uri) => {
    expect((await ask(gateway.port, `GET / HTTP/1.1\r\nHost: ${given}\r\n`)).status).toBe(200);
    expect(valuesOf(backend.requests[0]!, 'host')).toEqual([host]);
    expect(seen[0]).toMatchObject({ host, uri });
  });

  it.each([
    'exa mple.com',
    'user@example.com',
    'example.com/path',
    'example.com:port',
    'example.com:80:80',
    'example.com:123456',
    'example.com:65536',
    '[a:80]',
    '[::1]x',
    '[::1]:x',
    '[]',
    ':80',
    '[::1',
    '::1',
    'a[b]',
    'example.com?x',
    'example.com#x',
    'ex\x80mple.com',
    'a%zz',
    'http://example.com',
    'a, b',
    'a\\b',
  ])('refuses %j', async (host) => {
    const answer = await ask(gateway.port, `GET / HTTP/1.1\r\nHost: ${host}\r\n`);
    expect(answer.status).toBe(400);
    expect(refusalOf(answer)).toBe('host');
    expect(backend.requests).toEqual([]);
  });

  it.each([
    ['twice the same', 'Host: h\r\nHost: h\r\n'],
    ['two different', 'Host: a\r\nHost: b\r\n'],
    ['one of them empty', 'Host:\r\nHost: b\r\n'],
    ['a twin in another case', 'Host: a\r\nhOST: a\r\n'],
  ])('refuses several Hosts: %s', async (_name, lines) => {
    const answer = await ask(gateway.port, `GET / HTTP/1.1\r\n${lines}`);
    expect(answer.status).toBe(400);
    expect(refusalOf(answer)).toBe('host');
  });

  it.each([
    ['no Host', ''],
    ['an empty Host', 'Host:\r\n'],
    ['a blank Host', 'Host:  \t\r\n'],
  ])('names the backend as the host of a request of HTTP/1.0 with %s', async (_name, lines) => {
    expect((await ask(gateway.port, `GET / HTTP/1.0\r\n${lines}`)).status).toBe(200);
    expect(valuesOf(backend.requests[0]!, 'host')).toEqual([`127.0.0.1:${backend.port}`]);
    expect(valuesOf(backend.requests[0]!, 'x-forwarded-host')).toEqual([]);
    expect(seen[0]!.host).toBe('');
  });
});

describe('absolute targets', () => {
  it.each([
    ['http://example.com/a?b', 'example.com', '/a?b', 'example.com'],
    ['http://example.com/a?b', 'EXAMPLE.COM', '/a?b', 'example.com'],
    ['http://example.com/a', 'example.com:80', '/a', 'example.com'],
    ['http://example.com:80/a', 'example.com', '/a', 'example.com'],
    ['HTTP://example.com', 'example.com', '/', 'example.com'],
    ['http://example.com?b', 'example.com', '/?b', 'example.com'],
    ['https://example.com/a', 'example.com:443', '/a', 'example.com'],
  ])('%s with Host %s is forwarded as %s', async (target, host, forwarded, forwardedHost) => {
    expect((await ask(gateway.port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n`)).status).toBe(200);
    expect(backend.requests[0]!.target).toBe(forwarded);
    expect(valuesOf(backend.requests[0]!, 'host')).toEqual([forwardedHost]);
  });

  it('adds a Host header when there is none', async () => {
    expect((await ask(gateway.port, 'GET http://example.com:81/a HTTP/1.1\r\n')).status).toBe(200);
    expect(valuesOf(backend.requests[0]!, 'host')).toEqual(['example.com:81']);
    expect(seen[0]).toMatchObject({ host: 'example.com:81', uri: 'http://example.com:81/a' });
  });

  it.each([
    ['http://other.com/a', 'target-foreign'],
    ['http://example.com:81/a', 'target-foreign'],
    ['https://example.com:80/a', 'target-foreign'],
    ['http://example.com.evil/', 'target-foreign'],
    ['http://user@example.com/a', 'target'],
    ['http:///a', 'target'],
    ['ftp://example.com/a', 'target'],
    ['example.com/a', 'target'],
    ['http:example.com', 'target'],
    ['http://example.com\\@other.com/', 'target'],
    ['*', 'target'],
    ['http://example.com/a/../b', 'target-ambiguous'],
  ])('refuses %s for Host example.com as %s', async (target, refusal) => {
    const answer = await ask(gateway.port, `GET ${target} HTTP/1.1\r\nHost: example.com\r\n`);
    expect(answer.status).toBe(400);
    expect(refusalOf(answer)).toBe(refusal);
    expect(backend.requests).toEqual([]);
  });

  it('forwards OPTIONS *', async () => {
    expect((await ask(gateway.port, 'OPTIONS * HTTP/1.1\r\nHost: h\r\n')).status).toBe(200);
    expect(backend.requests[0]!.target).toBe('*');
  });

  it.each(['example.com:443', '/', 'http://h/'])('refuses CONNECT %s', async (target) => {
    const [answer] = await exchangeBytes(gateway.port, `CONNECT ${target} HTTP/1.1\r\nHost: h\r\n\r\n`);
    expect(answer!.status).toBe(405);
    expect(answer!.headers.get('connection')).toBe('close');
  });
});

describe('the request line', () => {
  it.each([
    ['GET  / HTTP/1.1', 400],
    ['GET /  HTTP/1.1', 400],
    [' GET / HTTP/1.1', 400],
    ['GET\t/ HTTP/1.1', 400],
    ['GET / HTTP/1.1 ', 400],
    ['get / HTTP/1.1', 400],
    ['G@T / HTTP/1.1', 400],
    ['GET / http/1.1', 400],
    ['GET / HTTP/1.2', 400],
    ['GET / HTTP/1.10', 400],
    ['GET / HTTP/01.1', 400],
    ['GET / HTTP/2.0', 505],
    ['GET / HTTP/3.1', 505],
    ['PRU * HTTP/2.0', 505],
    [`${'M'.repeat(33)} / HTTP/1.1`, 400],
  ])('%j is %i', async (line, status) => {
    const [answer] = await exchangeBytes(gateway.port, `${line}\r\nHost: h\r\n\r\n`);
    expect(answer!.status).toBe(status);
    expect(answer!.headers.get('connection')).toBe('close');
    expect(backend.requests).toEqual([]);
  });

  it('closes without an answer on a client that speaks something else', async () => {
    const client = await RawClient.connect(gateway.port);
    client.send('INVALID CONNECTION PREFACE\r\n\r\n');
    expect(await client.until(() => false)).toBe('');
    expect(client.ended).toBe(true);
  });

  it.each(['DELETE', 'PATCH', 'M-SEARCH', 'VERSION-CONTROL', 'M'.repeat(32)])('forwards %s', async (method) => {
    expect((await ask(gateway.port, `${method} / HTTP/1.1\r\nHost: h\r\n`)).status).toBe(200);
    expect(backend.requests[0]!.method).toBe(method);
  });
});
