import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { noReach } from '../../../contract/reach.ts';
import { BytePattern } from '../../support/backends/byte-pattern.ts';
import { httpExchange } from '../../support/clients/http-exchange.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { type ConfiguredGateway, checkConfigured, startConfigured } from '../../support/gateways/configured-gateway.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';

const MODIFIED = new Date('2026-01-02T03:04:05.678Z');
const LARGE = new BytePattern(7, 3_000_000);
const OUTSIDE = 'outside.txt';
let top = '';
let site = '';

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'resources-'));
  site = join(top, 'site');
  for (const name of ['sub', 'empty', '.git', '.well-known', 'tree/deep'])
    mkdirSync(join(site, name), { recursive: true });
  mkdirSync(join(top, 'second'));
  const files: Record<string, string> = {
    'index.html': '<h1>top</h1>',
    'sub/index.html': '<h1>sub</h1>',
    'a file é.txt': 'é',
    'style.CSS': 'a{}',
    'nothing.json': '',
    'no-ending': 'bytes',
    '.env': 'SECRET',
    '.git/config': 'SECRET',
    '.well-known/security.txt': 'known',
    'sub/..hidden': 'SECRET',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(site, name), content);
  writeFileSync(join(top, OUTSIDE), 'SECRET');
  writeFileSync(join(top, 'second', 'other.txt'), 'second');
  writeFileSync(join(top, 'second', 'index.html'), 'second');
  writeFileSync(join(site, 'large.bin'), LARGE.whole());
  symlinkSync(join(top, OUTSIDE), join(site, 'escape.txt'));
  symlinkSync(top, join(site, 'up'));
  symlinkSync('index.html', join(site, 'inside.html'));
  symlinkSync('loop', join(site, 'loop'));
  symlinkSync(site, join(top, 'link-to-site'));
  utimesSync(join(site, 'index.html'), MODIFIED, MODIFIED);
});
afterAll(() => rmSync(top, { recursive: true }));

const serving = (config: JsonObject = {}): JsonValue => ({
  type: 'ResourceHandler',
  config: { directories: [site, join(top, 'second')], ...config },
});

describe('files', () => {
  it.each([
    ['/index.html', 'text/html; charset=UTF-8', '<h1>top</h1>'],
    ['/sub/index.html', 'text/html; charset=UTF-8', '<h1>sub</h1>'],
    ['/a%20file%20%C3%A9.txt', 'text/plain; charset=UTF-8', 'Ã©'],
    ['/style.CSS?v=1', 'text/css; charset=UTF-8', 'a{}'],
    ['/nothing.json', 'application/json', ''],
    ['/no-ending', 'application/octet-stream', 'bytes'],
    ['/inside.html', 'text/html; charset=UTF-8', '<h1>top</h1>'],
    ['/.well-known/security.txt', 'text/plain; charset=UTF-8', 'known'],
    ['/other.txt', 'text/plain; charset=UTF-8', 'second'],
  ])('%s is %s', async (path, type, body) => {
    const gateway = await serve(serving());
    const answer = await send(gateway, `GET ${path}`);
    expect(answer).toMatchObject({ status: 200, body });
    expect(answer.headers.get('content-type')).toBe(type);
    const head = await send(gateway, `HEAD ${path}`);
    expect(head).toMatchObject({ status: 200, body: '' });
    for (const name of ['content-type', 'content-length', 'etag', 'last-modified']) {
      expect(head.headers.get(name)).toBe(answer.headers.get(name));
    }
    expect(head.headers.get('content-length')).toBe(String(body.length));
  });

  it('of any size are sent completely, with their length', async () => {
    const { port } = await serve(serving());
    const exchange = await httpExchange({ port, path: '/large.bin', expected: LARGE });
    expect(exchange).toMatchObject({ status: 200, received: LARGE.length, exact: true });
    expect(exchange.headers['content-length']).toBe(String(LARGE.length));
  });

  it('break off when they shrink while they are sent', async () => {
    const path = join(site, 'shrinking.bin');
    const size = 64_000_000; // more than the kernel takes ahead of the reader
    writeFileSync(path, '');
    truncateSync(path, size);
    const client = await RawClient.connect((await serve(serving())).port);
    client.send('GET /shrinking.bin HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await client.until((text) => text.length > 0)).toContain(`Content-Length: ${size}\r\n`);
    client.socket.pause();
    truncateSync(path, 1000);
    client.socket.resume();
    expect((await client.untilClosed()).length).toBeLessThan(size);
  });

  it('do not stay open when the client leaves', async () => {
    const gateway = await serve(serving());
    const client = await RawClient.connect(gateway.port);
    client.send('GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n');
    await client.until((text) => text.length > 1000);
    client.destroy();
    expect((await send(gateway, 'GET /no-ending')).status).toBe(200);
  });
});

describe('a missing file', () => {
  it.each([
    '/nope',
    '/index.html/',
    '/index.html/x',
    '/sub',
    '/sub/',
    '/',
    '/empty/',
    '//index.html',
    '/.env',
    '/.git/config',
    '/sub/..hidden',
    '/escape.txt',
    `/up/${OUTSIDE}`,
    '/up/',
    '/loop',
    `/${'x'.repeat(300)}`,
  ])('GET %s', async (path) => {
    expect(await send(await serve(serving()), `GET ${path}`)).toMatchObject({ status: 404, body: '' });
  });

  it.each([
    `/../${OUTSIDE}`,
    `/%2e%2e/${OUTSIDE}`,
    `/sub/../../${OUTSIDE}`,
    `/..%2f${OUTSIDE}`,
    `/%2e%2e%2f${OUTSIDE}`,
    `/..%5c${OUTSIDE}`,
    `/..\\${OUTSIDE}`,
    '/index.html%00.txt',
  ])('GET %s', async (path) => {
    const answer = await send(await serve(serving()), `GET ${path}`);
    expect([400, 404]).toContain(answer.status);
    expect(answer.body).not.toContain('SECRET');
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s gets 405', async (method) => {
    const answer = await send(await serve(serving()), `${method} /index.html`);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('directories', () => {
  it.each([
    ['/', 200, '<h1>top</h1>', undefined],
    ['/sub/', 200, '<h1>sub</h1>', undefined],
    ['/sub', 302, '', './sub/'],
    ['/sub?a=b', 302, '', './sub/?a=b'],
    ['/empty/', 404, '', undefined],
    ['/empty', 404, '', undefined],
  ])('%s with welcome pages is %i', async (path, status, body, location) => {
    const answer = await send(await serve(serving({ welcomePages: ['welcome.html', 'index.html'] })), `GET ${path}`);
    expect(answer).toMatchObject({ status, body });
    expect(answer.headers.get('location')).toBe(location);
  });

  it.each([
    ['/docs', '/docs', 200],
    ['/docs', '/docs/', 200],
    ['/docs', '/docs/sub/index.html', 200],
    ['docs/', '/docs/index.html', 200],
    ['/docs', '/index.html', 404],
    ['/docs', '/docsindex.html', 404],
    ['/a/b', '/a/b/index.html', 200],
    ['/a/b', '/a', 404],
  ])('below %s: %s is %i', async (basePath, path, status) => {
    const gateway = await serve(serving({ basePath, welcomePages: ['index.html'] }));
    expect((await send(gateway, `GET ${path}`)).status).toBe(status);
  });

  it('may be symbolic links themselves, and relative to the instance', async () => {
    const options = { reach: operatorReach({}, {}, top) };
    const gateway = await serve(serving({ directories: ['link-to-site'] }), [], options);
    expect((await send(gateway, 'GET /index.html')).status).toBe(200);
    expect((await send(gateway, 'GET /escape.txt')).status).toBe(404);
  });
});

describe('versions', () => {
  const date = 'Fri, 02 Jan 2026 03:04:05 GMT';
  const tag = `W/"c-${MODIFIED.getTime().toString(16)}"`;
  let gateway: ConfiguredGateway;
  beforeAll(async () => {
    gateway = await startConfigured({ handler: serving() });
  });
  afterAll(() => gateway.close());

  it('are in the headers Last-Modified and ETag', async () => {
    const { headers } = await send(gateway, 'GET /index.html');
    expect([headers.get('last-modified'), headers.get('etag')]).toEqual([date, tag]);
  });

  it.each([
    [`If-Modified-Since: ${date}`, 304],
    ['If-Modified-Since: Fri, 02 Jan 2026 03:04:06 GMT', 304],
    ['If-Modified-Since: Fri, 02 Jan 2026 03:04:04 GMT', 200],
    ['If-Modified-Since: yesterday', 200],
    [`If-None-Match: ${tag}`, 304],
    [`If-None-Match: ${tag.slice(2)}`, 304],
    [`If-None-Match: "x", ${tag}`, 304],
    ['If-None-Match: *', 304],
    ['If-None-Match: "x"', 200],
    [`If-None-Match: "x"\r\nIf-Modified-Since: ${date}`, 200],
  ])('%s is %i', async (field, status) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await send(gateway, `${method} /index.html`, [field]);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('etag')).toBe(tag);
      if (status === 304) expect(answer.body).toBe('');
    }
  });
});

describe('configurations', () => {
  it.each([
    [{}, ['missing handler.config.directories: is required']],
    [{ directories: [] }, ['value handler.config.directories: must have at least 1 entry']],
    [{ directories: ['a', 1] }, ['value handler.config.directories[1]: must be a string, not a number']],
    [
      { directories: ['a'], temporaryStorage: 'TemporaryStorage' },
      ['no-effect handler.config.temporaryStorage: has no effect: files are sent as they are read'],
    ],
  ])('with %j have the expected problems', (config, problems) => {
    expect(problemsOf({ type: 'ResourceHandler', config })).toEqual(problems);
  });

  it('with a missing directory cannot be built', async () => {
    const missing = join(top, 'missing');
    await expect(startConfigured({ handler: serving({ directories: [missing] }) })).rejects.toThrow(
      `there is no directory ${missing}`,
    );
  });

  it('are not for tenants', () => {
    expect(checkConfigured({ handler: serving() }, noReach)).toMatchObject([
      { code: 'not-allowed', path: ['handler', 'type'] },
    ]);
  });
});
