import { describe, expect, it } from 'vitest';
import { CookieJar } from '../../../support/clients/cookie-jar.ts';
import { CALLBACK, LOGIN, OWN_PAGE, openidConsole, SESSION } from '../../../support/crest/openid-console.ts';

const COOKIE = '__Host-gatewarden-console';
const INFO = '/api/info';
const ATTEMPT =
  /^__Host-gatewarden-console-signin-[\w-]{16}=[\w.-]+; Path=\/; SameSite=Lax; HttpOnly; Secure; Max-Age=600$/;
const SESSION_LINE = /^__Host-gatewarden-console=[\w.-]+; Path=\/; SameSite=Strict; HttpOnly; Secure$/;

const problemOf = (location: unknown): string | null =>
  new URL(String(location), 'https://x').searchParams.get('sign-in-problem');

describe('signing in to the console at an OpenID provider', () => {
  it('leads to the page that the person wanted, with the ID token sealed in the cookie', async () => {
    const console = await openidConsole();
    const jar = new CookieJar();
    const begun = await console.withJar(jar, LOGIN, { method: 'POST', body: { goto: '/console/routes?sort=rate' } });
    expect([begun.status, begun.lines]).toEqual([200, [expect.stringMatching(ATTEMPT)]]);
    const { origin, searchParams } = new URL(String(begun.body['location']));
    expect([origin, searchParams.get('redirect_uri')]).toEqual([
      console.provider.issuer,
      `${console.origin}${CALLBACK}`,
    ]);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(searchParams.get(name)).toMatch(/^[\w-]{43}$/);

    const answer = await console.finish(jar, await console.begin(jar, '/console/routes?sort=rate'));
    expect([answer.status, answer.headers['location'], answer.text]).toEqual([303, '/console/routes?sort=rate', '']);
    expect(answer.lines).toContainEqual(expect.stringMatching(SESSION_LINE));
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect((await console.withJar(jar, SESSION)).body).toMatchObject({
      ...{ ways: ['openid', 'token'], provider: 'Example', user: 'ada' },
      expires: expect.stringMatching(/^\d{4}-/),
    });
    expect((await console.withJar(jar, INFO)).status).toBe(200);
    expect(console.fronts[0]!.signedIn).toEqual(['ada']);
    expect([console.fronts[0]!.unfinished, console.fronts[0]!.failures]).toEqual([[], []]);
  });

  it('leaves no token in cookies, answers and logs', async () => {
    const console = await openidConsole();
    const jar = await console.signIn();
    const shown = await console.withJar(jar, SESSION);
    // Tokens of the provider are JWTs, or opaque ones of 43 characters, as the values of cookies here are not.
    const seen = JSON.stringify([jar.header, shown.text, console.logged]);
    expect(seen).not.toMatch(/eyJ[\w-]+\.eyJ/);
    expect(console.logged.join('')).not.toContain('the-secret-of-gateway');
  });

  it('works at every controller, whichever began it', async () => {
    const console = await openidConsole({ replicas: 2 });
    const jar = new CookieJar();
    const callback = await console.begin(jar, '/console/planes', 0);
    expect((await console.finish(jar, callback, { at: 1 })).headers['location']).toBe('/console/planes');
    for (const at of [0, 1]) expect((await console.withJar(jar, INFO, { at })).status).toBe(200);
  });

  it('says that the provider did not sign the person in', async () => {
    const console = await openidConsole();
    console.provider.user = null;
    const jar = new CookieJar();
    const { headers, lines } = await console.finish(jar, await console.begin(jar));
    expect(problemOf(headers['location'])).toBe('refused');
    expect(lines.filter((line) => !line.includes('Max-Age=0'))).toEqual([]);
    expect(jar.names).toEqual([]);
    expect(console.fronts[0]!.unfinished).toEqual(['refused: the provider answered access_denied']);
  });

  it('says that the cluster does not trust the ID token', async () => {
    const console = await openidConsole({ rights: {} });
    const jar = new CookieJar();
    const { headers } = await console.finish(jar, await console.begin(jar));
    expect([problemOf(headers['location']), jar.names]).toEqual(['untrusted', []]);
    expect(console.fronts[0]!.unfinished).toEqual([expect.stringContaining('must trust this issuer')]);
  });

  it('says that the provider cannot be asked', async () => {
    const console = await openidConsole();
    await console.provider.close();
    const begun = await console.send(LOGIN, { method: 'POST', headers: OWN_PAGE, body: { goto: '/console/' } });
    expect([begun.status, begun.lines]).toEqual([503, []]);
    expect(begun.body['message']).toContain('Example cannot be asked');
    expect(console.fronts[0]!.unfinished).toEqual([expect.stringMatching(/^failed: /)]);
  });

  it.each<[string, unknown]>([
    ['another host', 'https://evil.test/console/'],
    ['another host by its scheme', '//evil.test/console/'],
    ['another host by a backslash', '/\\evil.test/console/'],
    ['another port', 'https://127.0.0.1:1/console/'],
    ['a script', 'javascript:alert(1)'],
    ['the API', '/api/routes'],
    ['a path beside the console', '/console/../api/routes'],
    ['the callback', `${CALLBACK}?code=a`],
    ['the session', SESSION],
    ['nothing', undefined],
    ['a number', 1],
  ])('never leads to %s', async (_, goto) => {
    const console = await openidConsole();
    const answer = await console.send(LOGIN, { method: 'POST', headers: OWN_PAGE, body: { goto } });
    expect([answer.status, answer.lines]).toEqual([400, []]);
  });

  it('leads to the start of the console where an address is too long', async () => {
    const console = await openidConsole();
    const jar = new CookieJar();
    const callback = await console.begin(jar, `/console/routes?filter=${'x'.repeat(3000)}`);
    expect((await console.finish(jar, callback)).headers['location']).toBe('/console/');
  });

  it('begins at the address of the console only, because the provider leads back there', async () => {
    const console = await openidConsole();
    const headers = { ...OWN_PAGE, host: 'localhost:9091' };
    const answer = await console.send(LOGIN, { method: 'POST', headers, body: { goto: '/console/' } });
    expect([answer.status, answer.lines]).toEqual([409, []]);
    expect(answer.body['message']).toBe(`open ${console.origin}/console/ to sign in with Example`);
  });

  it.each([
    [{}],
    [{ 'sec-fetch-site': 'none' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ origin: 'https://evil.test' }],
    [{ origin: 'https://evil.test', 'sec-fetch-site': 'same-origin' }],
  ])('is not begun by other pages: %j', async (headers) => {
    const console = await openidConsole();
    const answer = await console.send(LOGIN, { method: 'POST', headers, body: { goto: '/console/' } });
    expect([answer.status, answer.lines]).toEqual([403, []]);
  });

  it('has a limit for clients without a credential, which passes by', async () => {
    const console = await openidConsole();
    const jar = new CookieJar();
    const callback = await console.begin(jar);
    const login = () => console.send(LOGIN, { method: 'POST', headers: OWN_PAGE, body: { goto: '/console/' } });
    const statuses: number[] = [];
    for (let count = 1; count < 60; count++) statuses.push((await login()).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await login()).status).toBe(429);
    expect((await console.finish(jar, callback)).headers['location']).toBe('/console/?sign-in-problem=busy');
    console.advance(1);
    expect((await console.finish(jar, callback)).headers['location']).toBe('/console/routes');
  });

  it('answers other methods with 405 and uses no code up', async () => {
    const console = await openidConsole();
    const jar = new CookieJar();
    const callback = await console.begin(jar);
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE'] as const) {
      expect((await console.finish(jar, callback, { method })).status).toBe(405);
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE'] as const) {
      expect((await console.send(LOGIN, { method, headers: OWN_PAGE })).status).toBe(405);
    }
    expect((await console.finish(jar, callback)).headers['location']).toBe('/console/routes');
  });
});

describe('a forged callback', () => {
  it('is worth nothing in a browser that began no sign-in', async () => {
    const console = await openidConsole();
    const callback = await console.begin(new CookieJar());
    const victim = new CookieJar();
    const { headers, lines } = await console.finish(victim, callback);
    expect([headers['location'], lines]).toEqual(['/console/?sign-in-problem=state', []]);
    expect(console.provider.asked).not.toContain('POST /token');
  });

  it('does not replace the session of a person', async () => {
    const console = await openidConsole({ rights: { ada: ['* * *'], eve: ['* * *'] } });
    const victim = await console.signIn();
    console.provider.user = 'eve';
    const callback = await console.begin(new CookieJar());
    expect(problemOf((await console.finish(victim, callback)).headers['location'])).toBe('state');
    expect((await console.withJar(victim, SESSION)).body['user']).toBe('ada');
  });

  it('is worth nothing with the state of another sign-in of the same browser', async () => {
    const console = await openidConsole();
    const jar = new CookieJar();
    const [first, second] = [await console.begin(jar), await console.begin(jar)];
    const [, mixed] = [first, second].map((one) => new URL(one, console.origin));
    mixed!.searchParams.set('code', new URL(first, console.origin).searchParams.get('code')!);
    const { headers } = await console.finish(jar, `${mixed!.pathname}${mixed!.search}`);
    expect(problemOf(headers['location'])).toMatch(/^(?:refused|failed)$/);
    expect(jar.get(COOKIE)).toBeUndefined();
  });

  it.each([
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43))],
    ['two states', (url: URL) => url.searchParams.append('state', 'x')],
    ['two codes', (url: URL) => url.searchParams.append('code', 'x')],
    ['no code', (url: URL) => url.searchParams.delete('code')],
    ['another code', (url: URL) => url.searchParams.set('code', 'x')],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.test')],
    ['no issuer', (url: URL) => url.searchParams.delete('iss')],
  ])('begins no session with %s', async (_, change) => {
    const console = await openidConsole();
    const jar = new CookieJar();
    const url = new URL(await console.begin(jar), console.origin);
    change(url);
    const { status, headers } = await console.finish(jar, `${url.pathname}${url.search}`);
    expect([status, jar.get(COOKIE)]).toEqual([303, undefined]);
    expect(problemOf(headers['location'])).toMatch(/^(?:state|refused|failed)$/);
    expect(console.fronts[0]!.unfinished).toHaveLength(1);
  });

  it('is refused the second time, at every controller', async () => {
    const console = await openidConsole({ replicas: 2 });
    const jar = new CookieJar();
    const callback = await console.begin(jar);
    const copy = new CookieJar();
    for (const name of jar.names) copy.set(name, jar.get(name)!);
    expect(problemOf((await console.finish(jar, callback)).headers['location'])).toBeNull();
    for (const at of [0, 1]) {
      const again = new CookieJar();
      for (const name of copy.names) again.set(name, copy.get(name)!);
      expect(problemOf((await console.finish(again, callback, { at })).headers['location'])).not.toBeNull();
      expect(again.get(COOKIE)).toBeUndefined();
    }
  });
});
