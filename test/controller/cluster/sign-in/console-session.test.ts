import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { consoleKeys } from '../../../../controller/cluster/sign-in/console-sealing.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { compiledFront } from '../../../support/crest/compiled-front.ts';

const secretText = (): string => randomBytes(32).toString('base64url');
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** A token with an end, as clusters make them. The user of the token is the token. */
const tokenUntil = (end: number, more: object = {}): string => `${encoded({})}.${encoded({ exp: end, ...more })}.c2ln`;
const HOUR = 3600;
const seconds = (): number => Math.floor(Date.now() / 1000);

const TOKEN = tokenUntil(seconds() + HOUR);
const OTHER = tokenUntil(seconds() + HOUR, { other: true });
const LONG = tokenUntil(seconds() + HOUR, { groups: 'g'.repeat(6000) });
const EXPIRED = tokenUntil(seconds() - 1);
/** Longer than dates go. */
const ENDLESS = tokenUntil(99_999_999_999_999);
const RIGHTS = {
  [ENDLESS]: ['* * *'],
  [TOKEN]: ['* * *'],
  [OTHER]: ['* * *'],
  [LONG]: ['* * *'],
  [EXPIRED]: ['* * *'],
};
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };
const JSON_TYPE = { 'content-type': 'application/json' };
const SESSION = '/console/session';
const INFO = '/api/info';

interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

async function controller(keys: () => readonly string[]) {
  const front = await compiledFront(new CompiledCluster(), RIGHTS, async () => [], { consoleKeys: keys });
  const host = `127.0.0.1:${front.port}`;
  const send = async (path: string, { method = 'GET', headers = {}, body }: Sent = {}) => {
    const answer = await request(`http://${host}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const text = await answer.body.text();
    const lines = [answer.headers['set-cookie'] ?? []].flat();
    return {
      ...{ status: answer.statusCode, text, lines, headers: answer.headers },
      body: (text.startsWith('{') ? JSON.parse(text) : {}) as JsonObject,
    };
  };
  const signIn = (token: string, headers: Readonly<Record<string, string>> = OWN_PAGE) =>
    send(SESSION, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify({ token }) });
  return { ...front, host, send, signIn };
}

/** The Cookie header that a browser sends after these lines. */
function cookieOf(lines: readonly string[]): string {
  const pairs = lines.filter((line) => !line.includes('Max-Age=0')).map((line) => line.slice(0, line.indexOf(';')));
  return pairs.join('; ');
}

async function signedIn(token = TOKEN) {
  const keys = consoleKeys([secretText()]);
  const server = await controller(() => keys);
  const { lines } = await server.signIn(token);
  return { ...server, keys, lines, cookie: cookieOf(lines) };
}

describe('signing in with a token', () => {
  it('answers with the user and the end of the token, and never with the token', async () => {
    const server = await controller(() => consoleKeys([secretText()]));
    const { status, body, text, lines } = await server.signIn(`  ${TOKEN}\n`);
    const expires = new Date(
      (JSON.parse(Buffer.from(TOKEN.split('.')[1]!, 'base64url').toString()).exp as number) * 1000,
    );
    expect([status, body['expires'], body['ways']]).toEqual([200, expires.toISOString(), ['token']]);
    expect(server.signedIn).toHaveLength(1);
    // The test's cluster names users by their tokens, so that only the cookies can be searched.
    expect(lines.join('\n')).not.toContain(TOKEN);
    expect(text).toContain('"user"');
  });

  it('sets a cookie that scripts, other hosts and other sites cannot use', async () => {
    const { lines } = await signedIn();
    const [first, ...removed] = lines;
    expect(first).toMatch(/^__Host-gatewarden-console=[\w.-]+; Path=\/; SameSite=Strict; HttpOnly; Secure$/);
    for (const line of removed) expect(line).toMatch(/^__Host-gatewarden-console_\d=; .*Max-Age=0/);
  });

  it('splits a long token over several cookies', async () => {
    const { send, cookie, lines } = await signedIn(LONG);
    expect(cookie.split('; ').length).toBeGreaterThan(1);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(4096);
    expect((await send(INFO, { headers: { ...OWN_PAGE, cookie } })).status).toBe(200);
    const [, ...rest] = cookie.split('; ');
    expect((await send(INFO, { headers: { ...OWN_PAGE, cookie: rest.join('; ') } })).status).toBe(401);
  });

  it.each([
    ['a token that the cluster does not accept', JSON.stringify({ token: 'unknown' }), 401, 'does not accept'],
    ['a token with spaces', JSON.stringify({ token: 'a b' }), 401, 'does not accept'],
    ['an empty token', JSON.stringify({ token: '' }), 401, 'does not accept'],
    ['an expired token', JSON.stringify({ token: EXPIRED }), 401, 'has expired'],
    ['no token', '{}', 400, 'application/json'],
    ['a token that is no text', '{"token":1}', 400, 'application/json'],
    ['another document', '[', 400, 'application/json'],
    ['a long body', JSON.stringify({ token: 'x'.repeat(30_000) }), 413, 'bytes'],
  ])('rejects %s, and sets no cookie', async (_, body, status, words) => {
    const server = await controller(() => consoleKeys([secretText()]));
    const answer = await server.send(SESSION, { method: 'POST', headers: { ...OWN_PAGE, ...JSON_TYPE }, body });
    expect([answer.status, answer.lines, server.signedIn]).toEqual([status, [], []]);
    expect(answer.body['message']).toContain(words);
    expect(server.rejected).toEqual(status === 401 ? [401] : []);
  });

  it('rejects forms, which pages of others could send', async () => {
    const server = await controller(() => consoleKeys([secretText()]));
    const headers = { ...OWN_PAGE, 'content-type': 'application/x-www-form-urlencoded' };
    const body = JSON.stringify({ token: TOKEN });
    expect((await server.send(SESSION, { method: 'POST', headers, body })).status).toBe(400);
  });

  it('gets 503 while there are no keys', async () => {
    const server = await controller(() => []);
    const { status, lines } = await server.signIn(TOKEN);
    expect([status, lines]).toEqual([503, []]);
  });
});

describe('the session of the console', () => {
  it('shows the user, and signing out ends it in the browser', async () => {
    const { send, cookie } = await signedIn();
    const shown = await send(SESSION, { headers: { ...OWN_PAGE, cookie } });
    expect([shown.body['user'], shown.lines]).toEqual([TOKEN, []]);
    const out = await send(SESSION, { method: 'DELETE', headers: { ...OWN_PAGE, cookie } });
    expect([out.status, out.body['user'], cookieOf(out.lines)]).toEqual([200, null, '']);
    expect(out.lines[0]).toMatch(/^__Host-gatewarden-console=; .*Max-Age=0/);
    expect((await send(SESSION, { headers: OWN_PAGE })).body['user']).toBeNull();
  });

  it('opens at every controller with the keys, and at no other', async () => {
    const { keys, cookie } = await signedIn();
    const replica = await controller(() => keys);
    const stranger = await controller(() => consoleKeys([secretText()]));
    const headers = { ...OWN_PAGE, cookie };
    expect((await replica.send(INFO, { headers })).status).toBe(200);
    expect((await stranger.send(INFO, { headers })).status).toBe(401);
  });

  it('survives a rotation of keys until its own key is gone', async () => {
    const [first, second, third] = [secretText(), secretText(), secretText()];
    let keys = consoleKeys([first]);
    const server = await controller(() => keys);
    const cookie = cookieOf((await server.signIn(TOKEN)).lines);
    const headers = { ...OWN_PAGE, cookie };
    for (const [ring, status] of [
      [[first, second], 200],
      [[second, first], 200],
      [[third, second], 401],
      [[], 401],
    ] as const) {
      keys = consoleKeys(ring);
      expect([ring.length, (await server.send(INFO, { headers })).status]).toEqual([ring.length, status]);
    }
  });

  it('is worth nothing when it was changed, cut or sent twice', async () => {
    const { send, cookie } = await signedIn();
    const other = await signedIn(OTHER);
    const at = cookie.length - 10;
    const changed = `${cookie.slice(0, at)}${cookie[at] === 'A' ? 'B' : 'A'}${cookie.slice(at + 1)}`;
    for (const one of [changed, cookie.slice(0, -4), `${cookie}; ${other.cookie}`, `${cookie}; ${cookie}`, 'x=y']) {
      expect((await send(INFO, { headers: { ...OWN_PAGE, cookie: one } })).status).toBe(401);
    }
  });

  it('is not used where an Authorization header is, whatever that has', async () => {
    const { send, cookie } = await signedIn();
    const status = async (authorization: string | string[]) =>
      (await send(INFO, { headers: { ...OWN_PAGE, cookie, authorization } })).status;
    expect(await status('Bearer unknown')).toBe(401);
    expect(await status('Basic dTpw')).toBe(401);
    expect(await status('')).toBe(401);
    expect(await status(`Bearer ${OTHER}`)).toBe(200);
  });

  it('has no end of another token, and none that is beyond dates', async () => {
    const { send, cookie } = await signedIn();
    const shown = await send(SESSION, { headers: { ...OWN_PAGE, cookie, authorization: `Bearer ${ENDLESS}` } });
    expect([shown.status, shown.body['expires']]).toEqual([200, null]);
  });

  it('lasts twelve hours for a token without a near end', async () => {
    const server = await controller(() => consoleKeys([secretText()]));
    const before = Date.now();
    const { status, body } = await server.signIn(ENDLESS);
    expect(status).toBe(200);
    const lasts = Date.parse(String(body['expires'])) - before;
    expect(lasts).toBeGreaterThanOrEqual(12 * HOUR * 1000);
    expect(lasts).toBeLessThan(13 * HOUR * 1000);
  });

  it.each(['x-http-method-override', 'x-http-method', 'x-method-override'])(
    'is not ended by a request with another method: %s',
    async (name) => {
      const { send, cookie } = await signedIn();
      const headers = { ...OWN_PAGE, cookie, [name]: 'DELETE' };
      const posted = await send(SESSION, { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: '{}' });
      expect([posted.status, posted.lines]).toEqual([400, []]);
      expect((await send(SESSION, { headers })).lines).toEqual([]);
    },
  );
});

describe('requests of other pages', () => {
  const OTHERS: readonly Readonly<Record<string, string>>[] = [
    {},
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'Same-Origin' },
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { origin: 'http://HOST' },
    { origin: 'https://HOST.evil.test' },
    { origin: 'https://evil.test', 'sec-fetch-site': 'same-origin' },
    { origin: 'https://HOST', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://HOST', 'sec-fetch-site': '' },
  ];
  const cases = OTHERS.flatMap((headers) =>
    (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const).map((method) => ({ headers, method })),
  );

  it.each(cases)('get nothing by the cookie: $method with $headers', async ({ headers: given, method }) => {
    const { send, cookie, host, signIn } = await signedIn();
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace('HOST', host)]),
    );
    const body =
      method === 'GET' || method === 'HEAD' || method === 'DELETE' || method === 'OPTIONS' ? {} : { body: '{}' };
    const type = 'body' in body ? JSON_TYPE : {};
    const path = method === 'POST' ? '/api/routes?_action=create' : '/api/routes/shop.orders';
    expect((await send(path, { method, headers: { ...headers, ...type, cookie }, ...body })).status).toBe(401);
    if (method === 'POST') {
      const answer = await signIn(TOKEN, headers);
      expect([answer.status, answer.lines]).toEqual([403, []]);
    }
    if (method === 'DELETE' || method === 'OPTIONS') {
      const answer = await send(SESSION, { method, headers: { ...headers, cookie } });
      expect([answer.status, answer.lines]).toEqual([403, []]);
    }
    if (method === 'GET') {
      expect((await send(SESSION, { headers: { ...headers, cookie } })).body['user']).toBeNull();
    }
  });

  it.each([
    { origin: 'https://HOST' },
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'https://HOST', 'sec-fetch-site': 'same-origin' },
  ])('are told from those of the console itself by %j', async (given) => {
    const { send, cookie, host } = await signedIn();
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace('HOST', host)]),
    );
    expect((await send(INFO, { headers: { ...headers, cookie } })).status).toBe(200);
  });
});
