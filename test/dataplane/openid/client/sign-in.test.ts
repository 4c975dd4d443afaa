import { describe, expect, it } from 'vitest';
import { type OpenidProvider, startOpenidProvider } from '../../../support/identity/openid-provider.ts';
import { APP, registration, startSignIn } from '../../../support/identity/sign-in-gateway.ts';

const SESSIONS = [
  ['in memory', {}],
  ['in cookies', { session: { type: 'JwtSession' } }],
] as const;

/** The number of codes that were sent. */
const codes = ({ asked }: OpenidProvider) => asked.filter((one) => one === 'POST /token').length;
const isCallback = (url: string) => url.startsWith(`${APP}/openid/callback`);
const attempts = (names: readonly string[]) => names.filter((name) => name.includes('-signin-'));

describe.each(SESSIONS)('a sign-in with sessions %s', (_, options) => {
  it('leads from the page to the provider and back to the page', async () => {
    const provider = await startOpenidProvider();
    const { browser, seen } = await startSignIn(provider.issuer, options);
    const ada = browser();
    const page = await ada.open(`${APP}/orders?id=1`);
    expect(page).toMatchObject({ url: `${APP}/orders?id=1`, status: 200, body: 'GET /orders?id=1 for ada' });
    expect(codes(provider)).toBe(1);
    expect((await ada.open(`${APP}/more`)).visited).toEqual([`${APP}/more`]);
    expect(seen.map(({ cookies }) => cookies)).toEqual(['', '']);
    expect(attempts(ada.jar('gw.test').names)).toEqual([]);
  });

  it('works in several tabs at once, each of which comes back to its own page', async () => {
    const provider = await startOpenidProvider();
    const { browser } = await startSignIn(provider.issuer, options);
    const ada = browser();
    const targets = ['/a', '/b', '/c', '/d'];
    const tabs = await Promise.all(targets.map((path) => ada.open(APP + path, { stopAt: (url) => !isApp(url) })));
    expect(attempts(ada.jar('gw.test').names)).toHaveLength(4);
    for (const [index, { headers }] of tabs.entries()) {
      const page = await ada.open(headers.location!);
      expect(page).toMatchObject({ url: APP + targets[index]!, body: `GET ${targets[index]} for ada` });
    }
    expect(attempts(ada.jar('gw.test').names)).toEqual([]);
  });

  it('shows the application after the back button and does not send the new code', async () => {
    const provider = await startOpenidProvider();
    const { browser } = await startSignIn(provider.issuer, options);
    const ada = browser();
    const { visited } = await ada.open(`${APP}/orders`);
    const atProvider = visited.find((url) => url.startsWith(`${provider.issuer}/auth?`))!;
    const again = await ada.open(atProvider);
    expect(again.visited.filter(isCallback)).toHaveLength(1);
    expect(again).toMatchObject({ url: `${APP}/`, status: 200, body: 'GET / for ada' });
    expect(codes(provider)).toBe(1);
  });

  it('ends with a sign-out, after which the page asks for a sign-in again', async () => {
    const provider = await startOpenidProvider();
    const { browser } = await startSignIn(provider.issuer, options);
    const ada = browser();
    await ada.open(`${APP}/orders`);
    const out = await ada.open(`${APP}/openid/logout`);
    expect(out).toMatchObject({ status: 200, body: 'You are signed out.\n' });
    expect(ada.jar('gw.test').names).toEqual([]);
    expect((await ada.fetch(`${APP}/orders`)).status).toBe(401);
  });
});

const isApp = (url: string): boolean => url.startsWith(APP);

describe('a request without a signed-in user', () => {
  it.each([
    ['a fetch', { headers: { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' } }],
    ['an image', { headers: { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' } }],
    ['a WebSocket', { headers: { 'Sec-Fetch-Mode': 'websocket', 'Sec-Fetch-Dest': 'websocket' } }],
    ['a form', { method: 'POST', content: 'a=b' }],
  ])('gets 401 and no redirect where it is %s', async (_, options) => {
    const provider = await startOpenidProvider();
    const { browser, seen, finished } = await startSignIn(provider.issuer);
    const page = await browser().open(`${APP}/api`, options);
    expect(page).toMatchObject({ status: 401, body: 'Sign in and repeat the request.\n' });
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(page.headers['set-cookie']).toBeUndefined();
    expect(seen).toEqual([]);
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'sign-in-needed' });
  });

  it('is redirected with redirectScriptRequests where it is a fetch', async () => {
    const provider = await startOpenidProvider();
    const { browser } = await startSignIn(provider.issuer, { config: { redirectScriptRequests: true } });
    const page = await browser().fetch(`${APP}/api`);
    expect(page).toMatchObject({ url: `${APP}/api`, body: 'GET /api for ada' });
  });

  it('passes without a user where requireLogin is false', async () => {
    const provider = await startOpenidProvider();
    const { browser, seen } = await startSignIn(provider.issuer, { config: { requireLogin: false } });
    const ada = browser();
    expect((await ada.open(`${APP}/public`)).body).toBe('GET /public for nobody');
    expect((await ada.open(`${APP}/openid/login?goto=/private`)).body).toBe('GET /private for ada');
    expect((await ada.open(`${APP}/public`)).body).toBe('GET /public for ada');
    expect(seen).toHaveLength(3);
  });

  it('is refused in clear text, also below the client endpoint', async () => {
    const provider = await startOpenidProvider();
    const { browser } = await startSignIn(provider.issuer, { config: { requireHttps: true } });
    for (const path of ['/orders', '/openid/login', '/openid/callback?code=a&state=b']) {
      const page = await browser().open(APP + path);
      expect(page).toMatchObject({ status: 403, body: "This page needs https ('requireHttps').\n" });
    }
    expect(provider.asked).toEqual([]);
  });
});

describe('the service URIs', () => {
  it('are nothing but login, callback and logout', async () => {
    const provider = await startOpenidProvider();
    const { browser, seen } = await startSignIn(provider.issuer);
    for (const path of ['/openid/', '/openid/x', '/openid/login/x', '/openid/callback/']) {
      expect((await browser().open(APP + path)).status, path).toBe(404);
    }
    expect((await browser().open(`${APP}/openid/callback`, { method: 'POST' })).status).toBe(405);
    expect((await browser().open(`${APP}/openidea`)).url).toBe(`${APP}/openidea`);
    expect(seen.map(({ url }) => url)).toEqual(['/openidea']);
  });

  it('are kept out of caches and Referer headers', async () => {
    const provider = await startOpenidProvider();
    const { browser } = await startSignIn(provider.issuer);
    for (const path of ['/openid/login', '/openid/callback', '/openid/logout', '/page']) {
      const { headers } = await browser().open(APP + path, { stopAt: () => true });
      expect(headers, path).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    }
  });

  it('let the user choose between registrations', async () => {
    const [one, two] = [await startOpenidProvider(), await startOpenidProvider()];
    two.user = 'bob';
    const loginHandler = { type: 'StaticResponseHandler', config: { status: 200, entity: 'choose' } };
    const registrations = [registration(one.issuer, { name: 'one' }), registration(two.issuer, { name: 'two' })];
    const { browser } = await startSignIn('', { config: { registrations, loginHandler } });
    const bob = browser();
    expect(await bob.open(`${APP}/orders`)).toMatchObject({ url: `${APP}/orders`, body: 'choose' });
    expect((await bob.open(`${APP}/openid/login`)).body).toBe('choose');
    const page = await bob.open(`${APP}/openid/login?registration=two&goto=/orders`);
    expect(page).toMatchObject({ url: `${APP}/orders`, body: 'GET /orders for bob' });
    expect((await browser().open(`${APP}/openid/login?registration=three`)).body).toBe(
      'failed: invalid_request: the request names no registration',
    );
    expect((await browser().open(`${APP}/openid/login?registration=gateway`)).body).toBe(
      'failed: invalid_request: the request does not say which of several registrations to use',
    );
  });

  it('go on to the configured URLs where the request names none', async () => {
    const provider = await startOpenidProvider();
    const config = {
      defaultLoginGoto: '/welcome',
      defaultLogoutGoto: 'https://www.example.com/bye',
      requireLogin: false,
    };
    const { browser } = await startSignIn(provider.issuer, { config });
    const ada = browser();
    expect((await ada.open(`${APP}/openid/login`)).url).toBe(`${APP}/welcome`);
    const out = await ada.open(`${APP}/openid/logout`, { stopAt: (url) => !isApp(url) });
    expect(out.headers.location).toBe('https://www.example.com/bye');
    expect((await ada.open(`${APP}/openid/logout?goto=/bye`)).url).toBe(`${APP}/bye`);
  });
});

it('hands on tokens, scopes and claims of the user', async () => {
  const provider = await startOpenidProvider();
  const text = [
    '${attributes.openid.access_token != null}',
    '${attributes.openid.token_type}',
    "${join(attributes.openid.scope, ' ')}",
    '${attributes.openid.expires_in > 500}',
    '${attributes.openid.id_token != null}',
    '${attributes.openid.id_token_claims.email}',
    '${attributes.openid.client_registration}',
    '${attributes.openid.client_endpoint}',
    "${attributes.openid == null ? 'gone' : 'there'}",
  ];
  const show = { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Shown': [text.join('|')] } } };
  const { browser } = await startSignIn(provider.issuer, { filters: [show] });
  const { headers } = await browser().open(`${APP}/orders`);
  expect(headers['x-shown']).toBe(`true|Bearer|openid email|true|true|ada@example.com|gateway|${APP}/openid|there`);
});

it('goes on from a page of its own where the session cookie is SameSite=Strict', async () => {
  const provider = await startOpenidProvider();
  const session = { type: 'JwtSession', config: { cookie: { sameSite: 'STRICT' } } };
  const { browser } = await startSignIn(provider.issuer, { session });
  const ada = browser();
  const page = await ada.open(`${APP}/orders?a=1&b='"`);
  expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(page.url).toMatch(/\/openid\/callback\?/);
  const [, target = ''] = /content="0;url=([^"]*)"/.exec(page.body)!;
  expect(target).toBe(`${APP}/orders?a=1&amp;b=%27%22`);
  expect((await ada.open(target.replace('&amp;', '&'))).body).toBe('GET /orders?a=1&b=%27%22 for ada');
});

it('tells the access log who the user is', async () => {
  const provider = await startOpenidProvider();
  const { browser, finished } = await startSignIn(provider.issuer);
  await browser().open(`${APP}/orders`);
  expect(finished.map(({ path, user }) => [path, user])).toEqual([
    ['/orders', null],
    ['/openid/callback', null],
    ['/orders', 'ada'],
  ]);
});

it('shares a sign-in between client endpoints with the same session key', async () => {
  const provider = await startOpenidProvider({ redirectUris: [`${APP}/shop/callback`] });
  const config = {
    clientEndpoint: "${find(request.uri.path, '^/shop') ? '/shop' : '/news'}",
    oAuth2SessionKey: 'user',
    target: '${attributes.who}',
  };
  const show = {
    type: 'HeaderFilter',
    config: { messageType: 'RESPONSE', add: { 'X-Who': ['${attributes.who.client_endpoint}'] } },
  };
  const { browser } = await startSignIn(provider.issuer, { config, filters: [show] });
  const ada = browser();
  expect((await ada.open(`${APP}/shop/login?goto=/shop`)).headers['x-who']).toBe(`${APP}/shop`);
  expect((await ada.fetch(`${APP}/news`)).headers['x-who']).toBe(`${APP}/news`);
});

it('needs nothing but an issuer and a client id', async () => {
  const provider = await startOpenidProvider();
  const registrations = [{ issuer: provider.issuer, clientId: 'public' }];
  const { browser } = await startSignIn('', { config: { registrations } });
  expect((await browser().open(`${APP}/orders`)).body).toBe('GET /orders for ada');
});
