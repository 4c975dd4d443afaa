import { describe, expect, it } from 'vitest';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { signOn, startSignOn } from '../../../support/access-manager/sign-on-gateway.ts';
import { problemsOf } from '../../../support/gateways/filtered-gateway.ts';

const COOKIE = 'iPlanetDirectoryPro';
const SESSIONS = /\/json\/sessions/;

describe('a SingleSignOnFilter', () => {
  it('leads a page request to the login page and back to the page, without its marker', async () => {
    const am = await startAccessManager();
    const { app, browser, seen, finished } = await startSignOn(am);
    const ada = browser();
    const page = await signOn(ada, `${app}/orders?id=1`);
    expect(page).toMatchObject({ url: `${app}/orders?id=1`, status: 200, body: 'GET /orders?id=1 for demo' });
    expect(page.visited).toContain(`${app}/orders?id=1&_ig=true`);
    expect((await ada.open(`${app}/more`)).visited).toEqual([`${app}/more`]);
    expect(seen.map(({ url }) => url)).toEqual(['/orders?id=1', '/more']);
    expect(seen[0]?.cookies).toContain(`${COOKIE}=`);
    expect(finished.at(-1)?.user).toBe('demo');
  });

  it('redirects to the login page with goto, realm and service', async () => {
    const am = await startAccessManager({ realms: ['/customers'] });
    const { app, browser } = await startSignOn(am, {
      config: { realm: '/customers', authenticationService: 'Second Factor' },
    });
    const { status, headers } = await browser().open(`${app}/a?x=1&y=%26`, { stopAt: () => true });
    expect(status).toBe(302);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const goto = encodeURIComponent(`${app}/a?x=1&y=%26&_ig=true`);
    expect(headers.location).toBe(
      `${am.url}/?goto=${goto}&realm=%2Fcustomers&authIndexType=service&authIndexValue=Second%20Factor`,
    );
  });

  it('leads back over https behind a trusted proxy that ends TLS', async () => {
    const am = await startAccessManager();
    const { browser } = await startSignOn(am, { trustedProxies: ['127.0.0.1'] });
    const { headers } = await browser().open('https://gw.test/a', { stopAt: () => true });
    expect(new URL(headers.location!).searchParams.get('goto')).toBe('https://gw.test/a?_ig=true');
  });

  it.each([
    ['a fetch', { headers: { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' } }],
    ['an XMLHttpRequest', { headers: { 'Sec-Fetch-Mode': '', 'X-Requested-With': 'XMLHttpRequest' } }],
    ['a form', { method: 'POST', content: 'a=b' }],
  ])('answers 401 without a redirect where the request is %s', async (_, options) => {
    const am = await startAccessManager();
    const { app, browser, seen, finished } = await startSignOn(am);
    const page = await browser().open(`${app}/api`, options);
    expect(page).toMatchObject({ status: 401, body: 'Sign in and repeat the request.\n' });
    expect(seen).toEqual([]);
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'sign-in-needed' });
  });

  it('answers 500 instead of a second redirect where the browser comes back without a session', async () => {
    const am = await startAccessManager();
    const { app, browser, finished } = await startSignOn(am);
    const page = await browser().open(`${app}/a?_ig=true`);
    expect(page.status).toBe(500);
    expect(page.body).toMatch(/your browser sent no session cookie/);
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'sign-on-loop' });
  });

  it('redirects again with the marker disabled, and looks for another name of it', async () => {
    const am = await startAccessManager();
    const off = await startSignOn(am, { config: { redirectionMarker: { enabled: false } } });
    const { headers } = await off.browser().open(`${off.app}/a?_ig=true`, { stopAt: () => true });
    expect(new URL(headers.location!).searchParams.get('goto')).toBe(`${off.app}/a?_ig=true`);
    const named = await startSignOn(am, { config: { redirectionMarker: { name: 'back' } } });
    expect((await named.browser().open(`${named.app}/a?back=true`)).status).toBe(500);
    const other = await named.browser().open(`${named.app}/a?_ig=true&comeback=true`, { stopAt: () => true });
    expect(other.status).toBe(302);
  });

  it('takes the marker out of requests that are passed on', async () => {
    const am = await startAccessManager();
    const { app, browser, seen } = await startSignOn(am);
    const ada = browser();
    ada.jar('127.0.0.1').set(COOKIE, am.sessions.create('demo').tokenId);
    await ada.fetch(`${app}/a?_ig=true&x=1`, { method: 'POST' });
    await ada.open(`${app}/b?x_ig=true`);
    expect(seen.map(({ url }) => url)).toEqual(['/a?x=1', '/b?x_ig=true']);
  });

  it('gives the session to filters behind it', async () => {
    const am = await startAccessManager({ realms: ['/customers'] });
    const { app, browser } = await startSignOn(am, {
      config: { realm: '/customers' },
      user:
        '${contexts.ssoToken.value} ${contexts.ssoToken.cookieName} ${contexts.ssoToken.loginEndpoint} ' +
        '${contexts.ssoToken.info.realm} ${contexts.ssoToken.info.username}',
    });
    const { tokenId } = am.sessions.create('demo', { realm: '/customers' });
    const ada = browser();
    ada.jar('127.0.0.1').set(COOKIE, tokenId);
    expect((await ada.open(`${app}/a`)).body).toBe(
      `GET /a for ${tokenId} ${COOKIE} ${am.url}/?realm=%2Fcustomers /customers demo`,
    );
  });

  it('refuses a session that has ended or was never there', async () => {
    const am = await startAccessManager();
    const { app, browser, seen } = await startSignOn(am);
    const ada = browser();
    const { tokenId } = am.sessions.create('demo');
    ada.jar('127.0.0.1').set(COOKIE, tokenId);
    expect((await ada.fetch(`${app}/a`)).status).toBe(200);
    am.sessions.forget(tokenId);
    expect((await ada.fetch(`${app}/a`)).status).toBe(401);
    ada.jar('127.0.0.1').set(COOKIE, 'nonsense');
    expect((await ada.fetch(`${app}/a`)).status).toBe(401);
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['is only dots', '..'],
    ['is too long', 'x'.repeat(8193)],
    ['has a space', 'AQIC 5'],
    ['has characters outside of ASCII', 'AQICÜ'],
  ])('does not ask the access manager about a token that %s', async (_, token) => {
    const am = await startAccessManager();
    const { app, browser } = await startSignOn(am);
    const page = await browser().fetch(`${app}/a`, { headers: { Cookie: `${COOKIE}=${token}` } });
    expect(page.status).toBe(401);
    expect(am.callsTo(SESSIONS)).toEqual([]);
  });

  it('accepts none of two cookies with different values', async () => {
    const am = await startAccessManager();
    const { app, browser, seen } = await startSignOn(am);
    const [own, foreign] = [am.sessions.create('demo').tokenId, am.sessions.create('mallory').tokenId];
    const headers = { Cookie: `${COOKIE}=${foreign}; ${COOKIE}=${own}` };
    expect((await browser().fetch(`${app}/a`, { headers })).status).toBe(401);
    const twice = { Cookie: `x${COOKIE}=${foreign}; ${COOKIE}=${own}; a=b; ${COOKIE}="${own}"` };
    expect((await browser().fetch(`${app}/a`, { headers: twice })).body).toBe('GET /a for demo');
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['is down', null],
    ['answers 500', { status: 500, body: { code: 500 } }],
    ['answers 401 with a page', { status: 401, body: '<html>who are you</html>' }],
    ['answers 403', { status: 403, body: { code: 403 } }],
    ['answers with a page', { status: 200, body: '<html>hello</html>' }],
    ['answers with an empty object', { status: 200, body: {} }],
    ['answers with a session of nobody', { status: 200, body: { realm: '/' } }],
    ['answers with a list', { status: 200, body: [] }],
    ['answers with more than 1 MiB', { status: 200, body: { username: 'demo', realm: '/', x: 'x'.repeat(1 << 20) } }],
  ])('refuses with 500 where the access manager %s', async (_, answer) => {
    const am = await startAccessManager();
    const { app, browser, seen, finished, logged } = await startSignOn(am, { service: { ssoTokenHeader: COOKIE } });
    const { tokenId } = am.sessions.create('demo');
    const ada = browser();
    ada.jar('127.0.0.1').set(COOKIE, tokenId);
    if (answer === null) await am.close();
    else am.answer(SESSIONS, () => answer);
    const page = await ada.open(`${app}/a`);
    expect(page).toMatchObject({ status: 500, body: '' });
    expect(seen).toEqual([]);
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'session-unchecked' });
    expect(JSON.stringify([logged, finished.at(-1)?.decision])).not.toContain(tokenId);
  });

  it('refuses with 500 where nobody knows the name of the cookie', async () => {
    const am = await startAccessManager();
    am.answer('/json/serverinfo', () => ({ status: 500 }));
    const { app, browser, seen } = await startSignOn(am);
    expect((await browser().open(`${app}/a`)).status).toBe(500);
    expect(seen).toEqual([]);
  });

  it('asks an old access manager with the token in the path, percent-encoded', async () => {
    const am = await startAccessManager({ version: '13.0.0' });
    const { app, browser } = await startSignOn(am, { service: { ssoTokenHeader: COOKIE } });
    const ada = browser();
    const { tokenId } = am.sessions.create('demo');
    ada.jar('127.0.0.1').set(COOKIE, tokenId);
    expect((await ada.fetch(`${app}/a`)).body).toBe('GET /a for demo');
    ada.jar('127.0.0.1').set(COOKIE, 'a/../b?_action=getSessionInfo#%2e');
    expect((await ada.fetch(`${app}/a`)).status).toBe(401);
    ada.jar('127.0.0.1').set(COOKIE, 'a?_action=getSessionInfo#@+');
    expect((await ada.fetch(`${app}/a`)).status).toBe(401);
    const calls = am.callsTo(SESSIONS);
    expect(calls.map(({ url }) => url)).toEqual([
      `/openam/json/sessions/${encodeURIComponent(tokenId)}?_action=validate`,
      '/openam/json/sessions/a%3F_action%3DgetSessionInfo%23%40%2B?_action=validate',
    ]);
    expect(calls[0]!.headers['accept-api-version']).toMatch(/resource=1\.1/);
  });

  it('asks a newer access manager with the token in a header and not in the URL', async () => {
    const am = await startAccessManager({ cookieName: 'am-session' });
    const { app, browser } = await startSignOn(am);
    const { tokenId } = am.sessions.create('demo');
    const headers = { Cookie: `am-session=${tokenId}` };
    expect((await browser().fetch(`${app}/a`, { headers })).body).toBe('GET /a for demo');
    const [call] = am.callsTo(SESSIONS);
    expect(call!.url).toBe('/openam/json/realms/root/sessions?_action=getSessionInfo');
    expect(call!.headers).toMatchObject({ 'am-session': tokenId });
    expect(call!.headers['accept-api-version']).toMatch(/resource=2\.0/);
  });
});

describe('a logout', () => {
  const config = { logoutExpression: "${request.uri.path == '/logout'}" };

  it('ends the session at the access manager and leads to the landing page', async () => {
    const am = await startAccessManager();
    const landing = { ...config, defaultLogoutLandingPage: 'https://www.example.com/bye' };
    const { app, browser, seen } = await startSignOn(am, { config: landing });
    const ada = browser();
    await signOn(ada, `${app}/a`);
    const out = await ada.open(`${app}/logout?goto=https://evil.example`, { stopAt: () => true });
    expect(out).toMatchObject({ status: 302, headers: { location: 'https://www.example.com/bye' } });
    expect(am.sessions.all.filter(({ kind }) => kind === 'user')).toEqual([]);
    expect(ada.jar('127.0.0.1').names).toEqual([]);
    expect(seen.map(({ url }) => url)).toEqual(['/a']);
  });

  it('is never passed on, also without a session and a landing page', async () => {
    const am = await startAccessManager();
    const { app, browser, seen } = await startSignOn(am, { config });
    expect(await browser().open(`${app}/logout`)).toMatchObject({ status: 200, body: 'You have no session here.\n' });
    expect(seen).toEqual([]);
  });

  it('takes the cookie from hosts of the same domain', async () => {
    const am = await startAccessManager();
    const { browser } = await startSignOn(am, { config, trustedProxies: ['127.0.0.1'] });
    const { headers } = await browser().open('http://gw.test/logout');
    expect(headers['set-cookie']!.map((line) => /Domain=([^;]*)/.exec(line)?.[1])).toEqual([undefined, 'gw.test']);
    expect(headers['set-cookie']!.join()).not.toContain('Secure');
    const overTls = await browser().open('https://gw.test/logout');
    for (const line of overTls.headers['set-cookie']!) expect(line).toMatch(/; Secure$/);
  });

  it('works with the deprecated logoutEndpoint', async () => {
    const am = await startAccessManager();
    const { app, browser } = await startSignOn(am, { config: { logoutEndpoint: '/bye$' } });
    const ada = browser();
    await signOn(ada, `${app}/a`);
    expect((await ada.open(`${app}/bye`)).body).toBe('You are signed out.\n');
    expect((await ada.fetch(`${app}/a`)).status).toBe(401);
  });
});

describe('loginEndpoint', () => {
  const location = async (loginEndpoint: string, path = '/a'): Promise<string | undefined> => {
    const am = await startAccessManager();
    const { app, browser } = await startSignOn(am, { config: { loginEndpoint } });
    const { headers } = await browser().open(app + path, { stopAt: () => true });
    return headers.location?.replaceAll(encodeURIComponent(app), 'APP');
  };

  it('gets goto where it has none', async () => {
    expect(await location('https://login.example.com/?tenant=1#form')).toBe(
      'https://login.example.com/?tenant=1&goto=APP%2Fa%3F_ig%3Dtrue#form',
    );
    expect(await location('https://login.example.com/in')).toBe(
      'https://login.example.com/in?goto=APP%2Fa%3F_ig%3Dtrue',
    );
    expect(await location('https://login.example.com/?goto=https%3A%2F%2Fwww.example.com')).toBe(
      'https://login.example.com/?goto=https%3A%2F%2Fwww.example.com',
    );
  });

  it.each(['javascript:alert(1)', '//evil.example/', '/login', 'data:text/html,x', '  '])(
    'is no redirect where an expression gives %j',
    async (given) => {
      const am = await startAccessManager();
      const loginEndpoint = '${request.queryParams.to[0]}';
      const { app, browser, finished } = await startSignOn(am, { config: { loginEndpoint } });
      const page = await browser().open(`${app}/a?to=${encodeURIComponent(given)}`, { stopAt: () => true });
      expect(page.status).toBe(500);
      expect(page.headers.location).toBeUndefined();
      expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'no-uri' });
    },
  );
});

describe('the configuration of a SingleSignOnFilter', () => {
  it.each([
    ['a path as loginEndpoint', { loginEndpoint: '/login' }, 'loginEndpoint: must'],
    ['a path as landing page', { defaultLogoutLandingPage: '/bye' }, 'defaultLogoutLandingPage: '],
    ['credentials in the landing page', { defaultLogoutLandingPage: 'https://a:b@c/' }, 'defaultLogoutLandingPage: '],
    ['a marker that is no name', { redirectionMarker: { name: 'a=b' } }, 'redirectionMarker.name: must'],
    ['a realm with steps', { realm: '/a/../b' }, 'realm: is'],
    [
      'a field of OpenIG 5',
      { openamUrl: 'http://am.test/openam/' },
      'openamUrl: cannot be given here: declare an AmService',
    ],
  ])('is refused with %s', (_, config, path) => {
    const problems = problemsOf('SingleSignOnFilter', { amService: 'AmService-1', ...config });
    expect(JSON.stringify(problems)).toContain(path);
  });
});
