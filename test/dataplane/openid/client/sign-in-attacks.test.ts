import { describe, expect, it } from 'vitest';
import type { Browser } from '../../../support/clients/browser.ts';
import { startTenants, TENANT } from '../../../support/gateways/tenant-gateway.ts';
import { LyingProvider } from '../../../support/identity/lying-provider.ts';
import { APP, FAILURE, registration, startSignIn } from '../../../support/identity/sign-in-gateway.ts';

const SESSIONS = [
  ['in memory', {}],
  ['in cookies', { session: { type: 'JwtSession' } }],
] as const;
const isCallback = (url: string): boolean => url.startsWith(`${APP}/openid/callback`);
const NO_SUCH =
  'failed: invalid_request: this browser has begun no such sign-in, or it was finished before or took too long';

/** Signs in as far as the callback, which is not opened. @returns its URL */
async function upToCallback(browser: Browser, path = '/orders'): Promise<string> {
  const { headers } = await browser.open(APP + path, { stopAt: isCallback });
  return headers.location!;
}

const attemptName = (browser: Browser): string =>
  browser.jar('gw.test').names.find((name) => name.includes('-signin-'))!;

describe.each(SESSIONS)('with sessions %s', (_, options) => {
  it('a session that was known before the sign-in is not that of the user afterwards', async () => {
    const provider = await LyingProvider.start();
    const remember = {
      type: 'AssignmentFilter',
      config: { onRequest: [{ target: '${session.seen}', value: '${request.uri.path}' }] },
    };
    const { browser } = await startSignIn(provider.issuer, {
      ...options,
      config: { requireLogin: false },
      filters: [remember],
    });
    const attacker = browser();
    await attacker.open(`${APP}/public`);
    const [name] = attacker.jar('gw.test').names;
    const known = attacker.jar('gw.test').get(name!)!;
    const victim = browser();
    victim.jar('gw.test').set(name!, known);
    expect((await victim.open(`${APP}/openid/login?goto=/private`)).body).toBe('GET /private for ada');
    expect(victim.jar('gw.test').get(name!)).not.toBe(known);
    expect((await attacker.open(`${APP}/private`)).body).toBe('GET /private for nobody');
  });

  it('a callback that another browser began signs nobody in, and its code is not sent', async () => {
    const provider = await LyingProvider.start();
    const { browser } = await startSignIn(provider.issuer, options);
    const callback = await upToCallback(browser());
    const victim = browser();
    expect(await victim.open(callback)).toMatchObject({ status: 403, body: NO_SUCH });
    expect(provider.codes).toEqual([]);
    provider.claims = (sound) => ({ ...sound, sub: 'bob' });
    await victim.open(`${APP}/orders`);
    expect((await victim.open(callback)).body).toBe('GET / for bob');
    expect(provider.codes).toHaveLength(1);
  });

  it('a callback works once, also for two at the same time with the cookie of the attempt', async () => {
    const provider = await LyingProvider.start();
    const { browser } = await startSignIn(provider.issuer, options);
    const ada = browser();
    const callback = await upToCallback(ada);
    const name = attemptName(ada);
    const copy = browser();
    copy.jar('gw.test').set(name, ada.jar('gw.test').get(name)!);
    const pages = await Promise.all([ada.open(callback), copy.open(callback)]);
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(provider.codes).toHaveLength(1);
  });

  it('a code of another sign-in is refused by its nonce', async () => {
    const provider = await LyingProvider.start();
    const { browser } = await startSignIn(provider.issuer, options);
    const stolen = new URL(await upToCallback(browser())).searchParams.get('code')!;
    const attacker = browser();
    const own = new URL(await upToCallback(attacker));
    own.searchParams.set('code', stolen);
    const page = await attacker.open(own.href);
    expect(page.body).toContain("'nonce' is not that of this sign-in");
    expect((await attacker.fetch(`${APP}/orders`)).status).toBe(401);
  });
});

describe('the cookie of an attempt', () => {
  it.each([
    ['is of another attempt', (ada: Browser, name: string, other: string) => ada.jar('gw.test').set(name, other)],
    ['is a text of somebody else', (ada: Browser, name: string) => ada.jar('gw.test').set(name, 'a.b.c')],
    ['is there twice', (ada: Browser, name: string, other: string) => ada.jar('gw.test').set(` ${name}`, other)],
    ['is missing', (ada: Browser, name: string) => ada.jar('gw.test').delete(name)],
  ])('signs nobody in where it %s', async (_, toss) => {
    const provider = await LyingProvider.start();
    const { browser } = await startSignIn(provider.issuer);
    const attacker = browser();
    await upToCallback(attacker);
    const other = attacker.jar('gw.test').get(attemptName(attacker))!;
    const ada = browser();
    const callback = await upToCallback(ada);
    toss(ada, attemptName(ada), other);
    expect(await ada.open(callback)).toMatchObject({ status: 403, body: NO_SUCH });
    expect(provider.codes).toEqual([]);
  });

  it('is of the host alone over https, where other hosts of the domain cannot set it', async () => {
    const provider = await LyingProvider.start();
    const { browser } = await startSignIn(provider.issuer, {
      config: { requireHttps: true },
      trustedProxies: ['127.0.0.1'],
    });
    const ada = browser();
    const app = APP.replace('http:', 'https:');
    const { headers } = await ada.open(`${app}/orders`, { stopAt: (url) => url.startsWith(`${app}/openid/callback`) });
    const callback = headers.location!;
    const name = attemptName(ada);
    const [line] = (await ada.open(`${app}/orders`, { stopAt: () => true })).headers['set-cookie']!;
    expect(line).toMatch(
      /^__Host-IG_SESSIONID-signin-[\w-]{16}=\S+; Path=\/; SameSite=Lax; HttpOnly; Secure; Max-Age=600$/,
    );
    const tossed = browser();
    tossed.jar('gw.test').set(name.replace('__Host-', ''), ada.jar('gw.test').get(name)!);
    expect((await tossed.open(callback)).status).toBe(403);
    expect(await ada.open(callback)).toMatchObject({ url: `${app}/orders`, body: 'GET /orders for ada' });
  });

  it('is with all others 8 KB long at most, and the oldest go', async () => {
    const provider = await LyingProvider.start();
    const { browser } = await startSignIn(provider.issuer);
    const ada = browser();
    const callbacks: string[] = [];
    for (let tab = 0; tab < 5; tab++) callbacks.push(await upToCallback(ada, `/${tab}?${'a'.repeat(1900)}`));
    expect(ada.jar('gw.test').header.join().length).toBeLessThan(8500);
    expect(ada.jar('gw.test').names).toHaveLength(2);
    expect((await ada.open(callbacks[2]!)).status).toBe(403);
    expect((await ada.open(callbacks[3]!)).status).toBe(200);
    expect((await ada.open(callbacks[4]!)).body).toMatch(/^GET \/4\?a+ for ada$/);
  });

  it('is one of eight at most, and the oldest goes', async () => {
    const provider = await LyingProvider.start();
    const { browser } = await startSignIn(provider.issuer);
    const ada = browser();
    const callbacks: string[] = [];
    for (let tab = 0; tab < 12; tab++) callbacks.push(await upToCallback(ada, `/${tab}`));
    expect(ada.jar('gw.test').names).toHaveLength(8);
    expect((await ada.open(callbacks[0]!)).status).toBe(403);
    expect((await ada.open(callbacks[11]!)).body).toBe('GET /11 for ada');
  });
});

const FOREIGN = [
  'https://evil.example/',
  'http://evil.example/',
  '//evil.example/',
  '///evil.example/',
  '////evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  'https:evil.example',
  'http:/evil.example',
  'https:\\\\evil.example',
  'http://gw.test:8080/',
  'https://gw.test/',
  'http://gw.test@evil.example/',
  'http://user:pass@gw.test/',
  'http://gw.test.evil.example/',
  'http://gw.test%2eevil.example/',
  'http://gw.test%00.evil.example/',
  'http://gw.test\\.evil.example/',
  'javascript:alert(1)',
  'data:text/html,x',
  ' //evil.example',
  '\t//evil.example',
  '/\t/evil.example',
  '/%0d%0aSet-Cookie:x=y\r\nX: y',
  'http://evil\u3002example/',
  `/${'a'.repeat(3000)}`,
];

/** Every byte percent-encoded, also those that need not be. */
const allEncoded = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

describe('goto', () => {
  it.each(FOREIGN)('does not lead to %j after a sign-in or a sign-out', async (goto) => {
    const provider = await LyingProvider.start();
    const { browser } = await startSignIn(provider.issuer);
    for (const spelling of [encodeURIComponent(goto), ...(goto.length < 1000 ? [allEncoded(goto)] : [])]) {
      for (const service of ['login', 'logout']) {
        const page = await browser().open(`${APP}/openid/${service}?goto=${spelling}`);
        expect(page, service).toMatchObject({ status: 403, visited: [expect.stringContaining(service)] });
        expect(page.body).toBe("failed: invalid_request: 'goto' is not a URL of the same origin, or is too long");
      }
    }
    expect(provider.requests).toEqual([]);
  });

  it.each(['/%2f/evil.example', '/%5cevil.example', '%2f%2fevil.example', '/.//evil.example'])(
    'leads to a path of the same origin where it looks like a host: %s',
    async (goto) => {
      const provider = await LyingProvider.start();
      const { browser } = await startSignIn(provider.issuer);
      const target = `${APP}/openid/logout?goto=${encodeURIComponent(goto)}`;
      const { headers } = await browser().open(target, { stopAt: () => true });
      expect(headers.location).toMatch(/^http:\/\/gw\.test\//);
    },
  );

  it('is refused where it is given twice', async () => {
    const provider = await LyingProvider.start();
    const { browser } = await startSignIn(provider.issuer);
    const page = await browser().open(`${APP}/openid/login?goto=/a&goto=https://evil.example/`);
    expect(page.body).toBe("failed: invalid_request: the parameter 'goto' is given more than once");
  });

  it('is the page without its query where the URL is too long to be remembered', async () => {
    const provider = await LyingProvider.start();
    const { browser } = await startSignIn(provider.issuer);
    const page = await browser().open(`${APP}/orders?${'a'.repeat(3000)}`);
    expect(page).toMatchObject({ url: `${APP}/orders`, body: 'GET /orders for ada' });
  });
});

describe('a callback from another site', () => {
  it('is refused as a POST, and its code is not sent', async () => {
    const provider = await LyingProvider.start();
    const { browser } = await startSignIn(provider.issuer);
    const ada = browser();
    const { search } = new URL(await upToCallback(ada));
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: provider.issuer };
    for (const [url, content] of [
      [`${APP}/openid/callback`, search.slice(1)],
      [`${APP}/openid/callback${search}`, ''],
    ] as const) {
      const page = await ada.open(url, { method: 'POST', headers, content });
      expect(page).toMatchObject({ status: 405, headers: { allow: 'GET' } });
    }
    expect(provider.codes).toEqual([]);
  });

  it('of one provider is not taken for that of another', async () => {
    const [honest, evil] = [await LyingProvider.start(), await LyingProvider.start()];
    evil.metadata = ({ authorization_response_iss_parameter_supported: _, ...sound }) => sound;
    const registrations = [
      registration(honest.issuer, { name: 'honest' }),
      registration(evil.issuer, { name: 'evil' }),
    ];
    const { browser } = await startSignIn('', { config: { registrations, loginHandler: FAILURE } });
    const ada = browser();
    const { headers } = await ada.open(`${APP}/openid/login?registration=evil`, { stopAt: isCallback });
    const { searchParams } = new URL(headers.location!);
    // the user was sent to the honest provider, whose code would go to the evil one
    searchParams.set('iss', honest.issuer);
    const page = await ada.open(`${APP}/openid/callback?${searchParams}`);
    expect(page.body).toBe('failed: invalid_request: the response of the provider names another issuer');
    expect(evil.codes).toEqual([]);
  });
});

describe('the sign-in of a tenant', () => {
  it('asks no provider at an address that the operator does not allow', async () => {
    const provider = await LyingProvider.start();
    const signIn = {
      type: 'AuthorizationCodeOAuth2ClientFilter',
      config: {
        clientEndpoint: '/openid',
        registrations: [{ issuer: provider.issuer, clientId: 'gateway' }],
        requireHttps: false,
        failureHandler: FAILURE,
      },
    };
    const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: 'passed' } };
    const document = { handler: { type: 'Chain', config: { filters: [signIn], handler } } };
    const host = new URL(provider.issuer).host;
    for (const [egress, status] of [
      [[], 403],
      [[host], 302],
    ] as const) {
      const gateway = await startTenants({ shop: { tenant: TENANT, document } }, { trust: { egress } });
      expect(gateway.problems).toEqual([]);
      expect((await gateway.get('/orders')).status).toBe(status);
      if (status === 403) expect(provider.asked).toEqual([]);
    }
  });
});
