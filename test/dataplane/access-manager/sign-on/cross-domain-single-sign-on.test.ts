import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { sign } from '../../../../dataplane/jose/signature.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import {
  FAR_APP as APP,
  formOf,
  postForm,
  type SignOnGateway,
  type SignOnOptions,
  signOn,
  startSignOn,
  submit,
} from '../../../support/access-manager/sign-on-gateway.ts';
import type { Browser, Page } from '../../../support/clients/browser.ts';
import { problemsOf } from '../../../support/gateways/filtered-gateway.ts';
import { newKey } from '../../../support/identity/signing-keys.ts';

const COOKIE = 'ig-token-cookie';
const CALLBACK = '/cdsso/redirect';
const FAILURE = {
  type: 'StaticResponseHandler',
  config: { status: 403, entity: '${contexts.cdssoFailure.error}: ${contexts.cdssoFailure.description}' },
};

interface FarSetting extends SignOnGateway {
  readonly am: AccessManager;
}

async function start(config: JsonObject = {}, options: SignOnOptions = {}): Promise<FarSetting> {
  const am = await startAccessManager({ version: '7.5.0' });
  const gateway = await startSignOn(am, {
    ...options,
    type: 'CrossDomainSingleSignOnFilter',
    config: { redirectEndpoint: CALLBACK, failureHandler: FAILURE, ...config },
  });
  return { ...gateway, am };
}

/** A browser that has a session at the access manager, and the page with the form that leads back. */
async function atForm({ am, browser }: FarSetting, path = '/orders?id=1'): Promise<{ ada: Browser; page: Page }> {
  const ada = browser();
  ada.jar('127.0.0.1').set(am.cookieName, am.sessions.create('demo').tokenId);
  return { ada, page: await ada.open(APP + path) };
}

const attempts = (browser: Browser) => browser.jar('gw.test').names.filter((name) => name.includes('-signin-'));

describe('a CrossDomainSingleSignOnFilter', () => {
  it('leads a page request to the access manager and back to the page with a cookie of its own', async () => {
    const { am, browser, seen, finished } = await start();
    const ada = browser();
    const page = await signOn(ada, `${APP}/orders?id=1`);
    expect(page).toMatchObject({ url: `${APP}/orders?id=1`, status: 200, body: 'GET /orders?id=1 for demo' });
    expect(ada.jar('gw.test').names).toContain(COOKIE);
    expect(attempts(ada)).toEqual([]);
    expect((await ada.fetch(`${APP}/more`)).body).toBe('GET /more for demo');
    expect(seen.map(({ cookies }) => cookies)).toEqual(['', '']);
    expect(finished.at(-1)?.user).toBe('demo');
    expect(am.callsTo('/oauth2/authorize')).toHaveLength(2);
    expect(am.callsTo('/oauth2/connect/jwk_uri')).toHaveLength(1);
  });

  it('asks for an ID token by form post, with a nonce and a state for each attempt', async () => {
    const { am, browser } = await start({ authenticationService: 'Second Factor' });
    const ada = browser();
    const urls: URL[] = [];
    for (const path of ['/a', '/b']) {
      const { headers, status } = await ada.open(APP + path, { stopAt: () => true });
      expect(status).toBe(302);
      urls.push(new URL(headers.location!));
    }
    expect(urls[0]!.href).toMatch(`${am.url}/oauth2/realms/root/authorize?`);
    expect(Object.fromEntries(urls[0]!.searchParams)).toEqual({
      response_type: 'id_token',
      response_mode: 'form_post',
      scope: 'openid',
      client_id: 'gateway',
      redirect_uri: `${APP}${CALLBACK}`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      agent_provider: 'true',
      agent_realm: '/',
      service: 'Second Factor',
      acr_values: 'Second Factor',
    });
    expect(
      new Set(urls.flatMap(({ searchParams }) => [searchParams.get('state'), searchParams.get('nonce')])).size,
    ).toBe(4);
    expect(attempts(ada)).toHaveLength(2);
  });

  it('lets browsers send the cookie of an attempt with a form of another site over https', async () => {
    const { browser } = await start({}, { trustedProxies: ['127.0.0.1'] });
    const [line] = (await browser().open('https://gw.test/a', { stopAt: () => true })).headers['set-cookie']!;
    expect(line).toMatch(/^__Host-/);
    expect(line).toContain('; SameSite=None; HttpOnly; Secure');
    const [plain] = (await browser().open(`${APP}/a`, { stopAt: () => true })).headers['set-cookie']!;
    expect(plain).not.toContain('SameSite');
  });

  it('keeps the cookies of other attempts from the backend', async () => {
    const { browser, seen } = await start();
    const ada = browser();
    await ada.open(`${APP}/other-tab`, { stopAt: () => true });
    await signOn(ada, `${APP}/a`);
    expect(attempts(ada)).toHaveLength(1);
    expect(seen.map(({ cookies }) => cookies)).toEqual(['']);
  });

  it('gives the token and its claims to filters behind it', async () => {
    const { am, browser } = await start(
      {},
      {
        user:
          '${contexts.cdsso.value == contexts.ssoToken.value} ${contexts.cdsso.claims.subname} ${contexts.cdsso.redirectEndpoint} ' +
          '${contexts.cdsso.cookieInfo.name} ${contexts.cdsso.sessionUid} ${contexts.ssoToken.info.realm}',
      },
    );
    const page = await signOn(browser(), `${APP}/a`);
    const { uid } = am.sessions.all.find(({ kind }) => kind === 'user')!;
    expect(page.body).toBe(`GET /a for true demo ${CALLBACK} ${COOKIE} ${uid} /`);
  });

  it('sets the cookie as configured, and always Secure over https', async () => {
    const setting = await start(
      { authCookie: { name: 'tok', path: '/home', sameSite: 'LAX' } },
      { trustedProxies: ['127.0.0.1'] },
    );
    const ada = setting.browser();
    ada.jar('127.0.0.1').set(setting.am.cookieName, setting.am.sessions.create('demo').tokenId);
    const { fields } = formOf(await ada.open('https://gw.test/a'));
    const back = await ada.open(`https://gw.test${CALLBACK}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      content: new URLSearchParams(fields).toString(),
      stopAt: () => true,
    });
    expect(back).toMatchObject({ status: 302, headers: { location: 'https://gw.test/a?_ig=true' } });
    expect(back.headers['set-cookie']![0]).toBe(
      `tok=${fields['id_token']}; Path=/home; SameSite=Lax; HttpOnly; Secure`,
    );
  });

  it('answers 401 to scripts and 500 to a browser that comes back without the cookie', async () => {
    const { browser, seen } = await start();
    expect((await browser().fetch(`${APP}/a`)).status).toBe(401);
    expect((await browser().open(`${APP}/a?_ig=true`)).status).toBe(500);
    expect(seen).toEqual([]);
  });

  it('refuses a session that was logged out at the access manager', async () => {
    const { am, browser } = await start();
    const ada = browser();
    await signOn(ada, `${APP}/a`);
    for (const { tokenId, kind } of am.sessions.all) if (kind === 'user') am.sessions.end(tokenId);
    expect((await ada.fetch(`${APP}/a`)).status).toBe(401);
  });

  it('asks for another token after its lifetime, without another login', async () => {
    const { am, browser } = await start({ lifetime: '1 minute' });
    am.oauth2.claims = (sound) => ({ ...sound, iat: Number(sound['iat']) - 90 });
    const ada = browser();
    await signOn(ada, `${APP}/a`);
    expect(ada.jar('gw.test').names).toContain(COOKIE);
    expect((await ada.fetch(`${APP}/a`)).status).toBe(401);
  });

  it('logs out at the access manager and takes its cookie away', async () => {
    const { am, browser, seen } = await start({ logoutExpression: "${request.uri.path == '/logout'}" });
    const ada = browser();
    await signOn(ada, `${APP}/a`);
    expect((await ada.open(`${APP}/logout`)).body).toBe('You are signed out.\n');
    expect(ada.jar('gw.test').names).toEqual([]);
    expect(am.sessions.all.filter(({ kind }) => kind === 'user')).toEqual([]);
    expect(seen).toHaveLength(1);
  });

  it('refuses with 500 where the access manager does not answer', async () => {
    const { am, browser, seen } = await start();
    const ada = browser();
    await signOn(ada, `${APP}/a`);
    await am.close();
    expect((await ada.fetch(`${APP}/b`)).status).toBe(500);
    expect(seen).toHaveLength(1);
  });
});

describe('the form of a cross-domain sign-on', () => {
  it('is accepted once', async () => {
    const setting = await start();
    const { ada, page } = await atForm(setting);
    const { action, fields } = formOf(page);
    const kept = ada.jar('gw.test').header[0]!;
    expect((await postForm(ada, action, fields)).status).toBe(200);
    const replayed = await setting.browser().open(action, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: kept.slice('Cookie: '.length) },
      content: new URLSearchParams(fields).toString(),
    });
    expect(kept).toContain('-signin-');
    expect(replayed).toMatchObject({ status: 403, body: expect.stringContaining('it was finished before') });
    expect(replayed.headers['set-cookie']).toBeUndefined();
  });

  it('is refused in a browser that began no sign-on', async () => {
    const setting = await start();
    const { page } = await atForm(setting);
    const eve = setting.browser();
    const { status, body } = await submit(eve, page);
    expect({ status, body }).toEqual({
      status: 403,
      body: expect.stringMatching(/^invalid_request: this browser has begun no such sign-on/),
    });
    expect(eve.jar('gw.test').names).toEqual([]);
  });

  it('is refused with the token of another attempt', async () => {
    const setting = await start();
    const { ada, page } = await atForm(setting);
    const other = formOf(await ada.open(`${APP}/b`)).fields;
    const back = await submit(ada, page, { id_token: other['id_token']! });
    expect(back).toMatchObject({ status: 403, body: expect.stringContaining("'nonce' is not that of this sign-in") });
    expect(ada.jar('gw.test').names).not.toContain(COOKIE);
  });

  const strange = newKey('RS256', 'am-signing');
  it.each<[string, (am: AccessManager) => void]>([
    ['for another audience', (am) => void (am.oauth2.claims = (sound) => ({ ...sound, aud: 'other', azp: 'other' }))],
    [
      'of another issuer',
      (am) => void (am.oauth2.claims = (sound) => ({ ...sound, iss: 'https://evil.example/oauth2' })),
    ],
    ['without a nonce', (am) => void (am.oauth2.claims = (sound) => ({ ...sound, nonce: undefined }))],
    ['without a session', (am) => void (am.oauth2.claims = (sound) => ({ ...sound, sub: '' }))],
    ['that has expired', (am) => void (am.oauth2.claims = (sound) => ({ ...sound, exp: Number(sound['iat']) - 600 }))],
    ['that never expires', (am) => void (am.oauth2.claims = (sound) => ({ ...sound, exp: undefined }))],
    ['of the future', (am) => void (am.oauth2.claims = (sound) => ({ ...sound, iat: Number(sound['iat']) + 600 }))],
    [
      'signed with another key',
      (am) =>
        void (am.oauth2.idToken = (claims) =>
          sign({ kid: 'am-signing' }, JSON.stringify(claims), strange.own, 'RS256')),
    ],
    [
      'without a signature',
      (am) => {
        const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
        am.oauth2.idToken = (claims) => `${part({ alg: 'none' })}.${part(claims)}.`;
      },
    ],
    ['that is no token', (am) => void (am.oauth2.idToken = () => 'AQIC5wM2')],
    ['that is too long', (am) => void (am.oauth2.claims = (sound) => ({ ...sound, x: 'x'.repeat(12_000) }))],
  ])('is refused with a token %s', async (_, spoil) => {
    const setting = await start();
    spoil(setting.am);
    const { ada, page } = await atForm(setting);
    const back = await submit(ada, page);
    expect(back.status).toBe(403);
    expect(back.body).toMatch(/^server_error: /);
    expect(ada.jar('gw.test').names).not.toContain(COOKIE);
    expect(attempts(ada)).toEqual([]);
    expect(setting.seen).toEqual([]);
    const [token] = [formOf(page).fields['id_token']!];
    expect(JSON.stringify(setting.logged)).not.toContain(token);
    expect(setting.finished.find(({ path }) => path === CALLBACK)?.decision).toMatchObject({
      refusal: 'cross-domain-sign-on',
    });
  });

  it('hands an error of the access manager to the failure handler, without markup', async () => {
    const setting = await start();
    const { ada, page } = await atForm(setting);
    const { action, fields } = formOf(page);
    const answer = await postForm(ada, action, {
      state: fields['state']!,
      error: 'access_denied',
      error_description: 'no <b>way</b>',
    });
    expect(answer).toMatchObject({ status: 403, body: 'access_denied: no  b way /b ' });
  });

  it('gets 500 without a failure handler', async () => {
    const am = await startAccessManager();
    const { browser } = await startSignOn(am, {
      type: 'CrossDomainSingleSignOnFilter',
      config: { redirectEndpoint: CALLBACK },
    });
    expect(await postForm(browser(), APP + CALLBACK, { state: 'x' })).toMatchObject({ status: 500, body: '' });
  });

  it('is refused with repeated fields, in a query, or longer than 128 KiB', async () => {
    const setting = await start();
    const { ada, page } = await atForm(setting);
    const { action, fields } = formOf(page);
    const query = new URLSearchParams(fields).toString();
    expect((await ada.open(`${action}?${query}`)).status).toBe(403);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const twice = await ada.open(action, { method: 'POST', headers, content: `${query}&id_token=x` });
    expect(twice.status).toBe(403);
    const long = await ada.open(action, { method: 'POST', headers, content: `x=${'x'.repeat(1 << 18)}` });
    expect(long.status).toBe(413);
    expect(ada.jar('gw.test').names).not.toContain(COOKIE);
  });

  it('leads to a page of the same origin only', async () => {
    const setting = await start({}, { trustedProxies: ['127.0.0.1'] });
    const { ada, page } = await atForm(setting, '//evil.example/x');
    const back = await submit(ada, page);
    expect(back.url).toMatch(/^http:\/\/gw\.test\//);
  });
});

describe('the cookie of a cross-domain sign-on', () => {
  it('is no session where it is a session token, or was signed by somebody else', async () => {
    const { am, browser, seen } = await start();
    const { tokenId } = am.sessions.create('demo');
    const eve = newKey('RS256', 'am-signing');
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: `${am.url}/oauth2`, aud: 'gateway', sub: tokenId, iat: now, exp: now + 600 };
    const forged = sign({ kid: 'am-signing' }, JSON.stringify(claims), eve.own, 'RS256');
    for (const value of [tokenId, forged, 'x']) {
      const page = await browser().fetch(`${APP}/a`, { headers: { Cookie: `${COOKIE}=${value}` } });
      expect(page.status, value).toBe(401);
    }
    expect(seen).toEqual([]);
  });

  it('counts no more beside another one of the same name', async () => {
    const { browser, seen } = await start();
    const ada = browser();
    await signOn(ada, `${APP}/a`);
    const own = ada.jar('gw.test').get(COOKIE)!;
    const headers = { Cookie: `${COOKIE}=tossed; ${COOKIE}=${own}` };
    expect((await browser().fetch(`${APP}/a`, { headers })).status).toBe(401);
    expect(seen).toHaveLength(1);
  });
});

describe('the configuration of a CrossDomainSingleSignOnFilter', () => {
  it.each<[string, JsonObject, string]>([
    ['an endpoint that is no path', { redirectEndpoint: 'redirect' }, 'redirectEndpoint: must'],
    ['an endpoint with a query', { redirectEndpoint: 'https://a.example/x?y' }, 'redirectEndpoint: must'],
    ['the root as endpoint', { redirectEndpoint: '/' }, 'redirectEndpoint: must'],
    ['keys of no provider', { verificationSecretId: 'x' }, 'missing secretsProvider'],
    ['a cookie that browsers drop', { authCookie: { sameSite: 'NONE' } }, 'authCookie.secure: must'],
    ['an unlimited lifetime', { lifetime: 'unlimited' }, 'duration lifetime'],
  ])('is refused with %s', (_, config, problem) => {
    const problems = problemsOf('CrossDomainSingleSignOnFilter', {
      amService: 'AmService-1',
      redirectEndpoint: '/cdsso',
      ...config,
    });
    expect(problems).toContainEqual(expect.stringContaining(problem));
  });
});
