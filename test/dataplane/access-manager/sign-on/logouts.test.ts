import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { isHeld, setCookies } from '../../../support/access-manager/idle-gateway.ts';
import { FAR_APP, type SignOnGateway, signOn, startSignOn } from '../../../support/access-manager/sign-on-gateway.ts';
import type { Browser, Page } from '../../../support/clients/browser.ts';

const LOGOUT = '_action=logout';
const SESSIONS = '/json/sessions';
const LANDING = 'https://www.example.com/bye';
const SIGNED_OUT = { status: 302, location: LANDING };
const config = { logoutExpression: "${request.uri.path == '/logout'}", defaultLogoutLandingPage: LANDING };

/** A gateway of one of the two filters, and where its users are signed on. */
interface Place {
  readonly type: string;
  readonly config: JsonObject;
  readonly cookie: string;
  app(gateway: SignOnGateway): string;
}

const places: readonly Place[] = [
  { type: 'SingleSignOnFilter', config, cookie: 'iPlanetDirectoryPro', app: ({ app }) => app },
  {
    type: 'CrossDomainSingleSignOnFilter',
    config: { ...config, redirectEndpoint: '/cdsso' },
    cookie: 'ig-token-cookie',
    app: () => FAR_APP,
  },
];

interface SignedOn {
  readonly am: AccessManager;
  readonly gateway: SignOnGateway;
  readonly ada: Browser;
  readonly app: string;
  /** Token of the session of the user. */
  readonly tokenId: string;
  /** Value of the cookie of the gateway. */
  readonly cookie: string;
}

async function signedOn(place: Place, service: JsonObject = {}, more: JsonObject = {}): Promise<SignedOn> {
  const am = await startAccessManager();
  const { type, config: fields } = place;
  const gateway = await startSignOn(am, { type, config: { ...fields, ...more }, service });
  const app = place.app(gateway);
  const ada = gateway.browser();
  expect((await signOn(ada, `${app}/a`)).body).toBe('GET /a for demo');
  const { tokenId } = am.sessions.all.find(({ kind }) => kind === 'user')!;
  return { am, gateway, ada, app, tokenId, cookie: ada.jar(new URL(app).hostname).get(place.cookie)! };
}

const logOut = (browser: Browser, app: string, cookie?: string): Promise<Page> =>
  browser.open(`${app}/logout`, { stopAt: () => true, ...(cookie !== undefined && { headers: { Cookie: cookie } }) });

function answered({ status, headers }: Page): object {
  return { status, location: headers.location };
}

/** The user is not told to be signed out, and the browser forgets the cookie. */
function expectFailure(page: Page, { gateway, tokenId }: SignedOn, cookie: string): void {
  expect(answered(page)).toEqual({ status: 500, location: undefined });
  expect(page.body).toMatch(/^You could not be signed out: /);
  expect(setCookies(page)[0]).toMatch(new RegExp(`^${cookie}=; .*Max-Age=0`));
  expect(gateway.finished.at(-1)?.decision).toMatchObject({ refusal: 'session-unchecked' });
  expect(JSON.stringify(gateway.logged)).toContain('session of a user could not be ended; it may go on');
  expect(JSON.stringify([gateway.logged, gateway.finished.at(-1)?.decision])).not.toContain(tokenId);
}

describe.each(places)('a logout by a $type', (place) => {
  const { cookie } = place;

  it.each<[string, { status: number; body?: object | string }]>([
    ['answers 500', { status: 500, body: { code: 500 } }],
    ['answers 401', { status: 401, body: { code: 401 } }],
    ['answers 401 with a page', { status: 401, body: '<html>who are you</html>' }],
    ['answers 403', { status: 403, body: { code: 403 } }],
    ['answers 404', { status: 404, body: { code: 404 } }],
    ['answers with a page', { status: 200, body: '<html>hello</html>' }],
    ['says that the token has expired', { status: 200, body: { result: 'Token has expired' } }],
  ])('is no success where the access manager %s and the session goes on', async (_, answer) => {
    const setting = await signedOn(place);
    const heal = setting.am.answer(LOGOUT, () => answer);
    expectFailure(await logOut(setting.ada, setting.app), setting, cookie);
    expect(isHeld(setting.am, setting.tokenId)).toBe(true);
    heal();
    expect(setting.gateway.seen).toHaveLength(1);
  });

  it('is no success where the access manager is away', async () => {
    const setting = await signedOn(place);
    await setting.am.close();
    expectFailure(await logOut(setting.ada, setting.app), setting, cookie);
  });

  it('is no success where nobody can tell whether the session goes on', async () => {
    const setting = await signedOn(place);
    setting.am.answer(SESSIONS, () => ({ status: 503 }));
    expectFailure(await logOut(setting.ada, setting.app), setting, cookie);
  });

  it('is a success where the session has ended before', async () => {
    const setting = await signedOn(place);
    setting.am.sessions.forget(setting.tokenId);
    expect(answered(await logOut(setting.ada, setting.app))).toEqual(SIGNED_OUT);
  });

  it('has every route ask about a cached session again, also where the access manager did not end it', async () => {
    const setting = await signedOn(place, { sessionCache: { enabled: true } });
    setting.am.answer(LOGOUT, () => ({ status: 500 }));
    const asked = setting.am.callsTo('getSessionInfo').length;
    expect((await logOut(setting.ada, setting.app)).status).toBe(500);
    const again = setting.gateway.browser();
    await again.fetch(`${setting.app}/a`, { headers: { Cookie: `${cookie}=${setting.cookie}` } });
    expect(setting.am.callsTo('getSessionInfo').length).toBe(asked + 2);
  });

  it('without a cookie leads to the landing page, and asks nothing', async () => {
    const { am, gateway, app } = await signedOn(place);
    const count = am.callsTo(SESSIONS).length;
    expect(answered(await logOut(gateway.browser(), app))).toEqual(SIGNED_OUT);
    expect(am.callsTo(SESSIONS)).toHaveLength(count);
  });

  it('ends the sessions of all cookies of the name', async () => {
    const setting = await signedOn(place);
    const { am, gateway, app, tokenId } = setting;
    const other = await signOnAgain(setting, place);
    const both = `${cookie}=${other.cookie}; ${cookie}=${setting.cookie}`;
    expect(answered(await logOut(gateway.browser(), app, both))).toEqual(SIGNED_OUT);
    expect([isHeld(am, tokenId), isHeld(am, other.tokenId)]).toEqual([false, false]);
  });

  it('is no success beside cookies that name no session, and ends the one that is named', async () => {
    const setting = await signedOn(place);
    const values = ['x '.repeat(3), 'x'.repeat(8193), setting.cookie];
    const page = await logOut(
      setting.gateway.browser(),
      setting.app,
      values.map((one) => `${cookie}=${one}`).join('; '),
    );
    expectFailure(page, setting, cookie);
    expect(isHeld(setting.am, setting.tokenId)).toBe(false);
  });

  it('asks about a few of many cookies only, and is no success', async () => {
    const setting = await signedOn(place);
    const values = Array.from({ length: 30 }, (_, index) => `${cookie}=made-up-${index}`);
    const count = setting.am.callsTo(LOGOUT).length;
    expectFailure(await logOut(setting.gateway.browser(), setting.app, values.join('; ')), setting, cookie);
    expect(setting.am.callsTo(LOGOUT).length - count).toBeLessThanOrEqual(4);
  });
});

async function signOnAgain({ am, gateway, app }: SignedOn, place: Place): Promise<{ cookie: string; tokenId: string }> {
  const known = new Set(am.sessions.all.map(({ tokenId }) => tokenId));
  const bob = gateway.browser();
  await signOn(bob, `${app}/a`);
  const { tokenId } = am.sessions.all.find((session) => !known.has(session.tokenId))!;
  return { tokenId, cookie: bob.jar(new URL(app).hostname).get(place.cookie)! };
}

describe('a logout by a CrossDomainSingleSignOnFilter', () => {
  const place = places[1]!;

  it('ends the session of a token that has expired', async () => {
    const setting = await signedOn(place, {}, { lifetime: '1 minute' });
    const { am, gateway, app, tokenId } = setting;
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: am.oauth2.issuer('/'), aud: 'gateway', sub: tokenId, iat: now - 900, exp: now - 300 };
    const page = await logOut(gateway.browser(), app, `${place.cookie}=${am.oauth2.signed(claims)}`);
    expect(answered(page)).toEqual(SIGNED_OUT);
    expect(isHeld(am, tokenId)).toBe(false);
  });

  it('ends the session of a token that cannot be verified while keys are missing', async () => {
    const setting = await signedOn(place);
    const { am, gateway, app, tokenId, cookie } = setting;
    am.answer('/oauth2/connect/jwk_uri', () => ({ status: 503 }));
    const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'rotated' })).toString('base64url');
    const unknown = [header, ...cookie.split('.').slice(1)].join('.');
    expect(answered(await logOut(gateway.browser(), app, `${place.cookie}=${unknown}`))).toEqual(SIGNED_OUT);
    expect(isHeld(am, tokenId)).toBe(false);
  });

  it('is no success with a cookie of which a part is missing', async () => {
    const setting = await signedOn(place);
    const page = await logOut(setting.gateway.browser(), setting.app, `${place.cookie}_1=${setting.cookie}`);
    expectFailure(page, setting, place.cookie);
    expect(isHeld(setting.am, setting.tokenId)).toBe(true);
  });
});

it('a logout is no success where the gateway takes an old access manager for a new one', async () => {
  const am = await startAccessManager({ version: '13.0.0' });
  // the agent cannot log in, so that the version stays unknown
  am.answer('/json/authenticate', () => ({ status: 401, body: { code: 401 } }));
  am.answer(/realms\/root/, () => ({ status: 404, body: { code: 404 } }));
  am.answer(SESSIONS, (call) => (call.url.includes('/realms/') ? { status: 404, body: { code: 404 } } : undefined));
  const gateway = await startSignOn(am, { config, service: { ssoTokenHeader: 'iPlanetDirectoryPro' } });
  const { tokenId } = am.sessions.create('demo');
  const page = await logOut(gateway.browser(), gateway.app, `iPlanetDirectoryPro=${tokenId}`);
  expect(answered(page)).toEqual({ status: 500, location: undefined });
  expect(isHeld(am, tokenId)).toBe(true);
});
