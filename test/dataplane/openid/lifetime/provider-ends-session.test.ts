import { describe, expect, it } from 'vitest';
import type { Browser, Page } from '../../../support/clients/browser.ts';
import { type OpenidProvider, startOpenidProvider } from '../../../support/identity/openid-provider.ts';
import { APP, registration, type SignInGateway, startSignIn } from '../../../support/identity/sign-in-gateway.ts';

const SESSIONS = [
  ['in memory', {}],
  ['in cookies', { session: { type: 'JwtSession' } }],
] as const;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

interface Setting extends SignInGateway {
  readonly provider: OpenidProvider;
  /** Forms with logout tokens that the provider sent. */
  readonly notices: string[];
}

/** A provider that tells its client of logouts, and a gateway that is this client. */
async function setting(options: object = {}): Promise<Setting> {
  const notices: string[] = [];
  // the provider connects to no address of this machine by itself
  const fetch = async (_: unknown, { body }: { readonly body: unknown }): Promise<Response> => {
    notices.push(String(body));
    return new Response(null, { status: 200 });
  };
  const provider = await startOpenidProvider({
    clients: [
      {
        client_id: 'told',
        client_secret: 'the-secret-of-gateway',
        redirect_uris: [`${APP}/openid/callback`],
        backchannel_logout_uri: `${APP}/openid/backchannel_logout`,
        backchannel_logout_session_required: true,
      },
    ],
    configuration: { fetch },
    features: { backchannelLogout: { enabled: true } },
  });
  const registrations = [registration(provider.issuer, { clientId: 'told' })];
  const gateway = await startSignIn(provider.issuer, { ...options, config: { registrations } });
  return { ...gateway, provider, notices };
}

/** Signs the user of a browser out at the provider. */
async function leave(browser: Browser, { issuer }: OpenidProvider): Promise<void> {
  const { body } = await browser.open(`${issuer}/session/end`);
  const content = `xsrf=${/name="xsrf" value="(\w+)"/.exec(body)![1]}&logout=yes`;
  await browser.open(`${issuer}/session/end/confirm`, { method: 'POST', headers: FORM, content });
}

const tell = ({ browser }: SignInGateway, content: string): Promise<Page> =>
  browser().fetch(`${APP}/openid/backchannel_logout`, { method: 'POST', headers: FORM, content });

describe('a logout token of a real provider', () => {
  it.each(SESSIONS)('ends the session that it names, and no other one, with sessions %s', async (_, options) => {
    const gateway = await setting(options);
    const { browser, provider, notices } = gateway;
    const [ada, other] = [browser(), browser()];
    for (const one of [ada, other]) await one.open(`${APP}/orders`);
    await leave(ada, provider);
    await expect.poll(() => notices.length).toBe(1);
    expect((await ada.fetch(`${APP}/api`)).status).toBe(200); // the gateway has not been told yet
    expect(await tell(gateway, notices[0]!)).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect((await ada.fetch(`${APP}/api`)).status).toBe(401);
    expect((await other.fetch(`${APP}/api`)).status).toBe(200);
    expect(await ada.open(`${APP}/orders`)).toMatchObject({ status: 200, body: 'GET /orders for ada' });
  });

  it('is accepted once', async () => {
    const gateway = await setting();
    const { browser, provider, notices } = gateway;
    const ada = browser();
    await ada.open(`${APP}/orders`);
    await leave(ada, provider);
    await expect.poll(() => notices.length).toBe(1);
    await tell(gateway, notices[0]!);
    const again = await tell(gateway, notices[0]!);
    expect([again.status, JSON.parse(again.body)]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'the logout token was used before' },
    ]);
  });

  it('means nothing to a gateway that is another client of the provider', async () => {
    const { browser, provider, notices } = await setting();
    const ada = browser();
    await ada.open(`${APP}/orders`);
    await leave(ada, provider);
    await expect.poll(() => notices.length).toBe(1);
    const other = await startSignIn(provider.issuer);
    expect(await tell(other, notices[0]!)).toMatchObject({
      status: 400,
      body: expect.stringContaining('another client'),
    });
  });
});

describe('the back-channel logout endpoint', () => {
  it.each([
    ['no token', 'x=y', 400],
    ['two tokens', 'logout_token=a&logout_token=b', 400],
    ['a text that is no token', 'logout_token=abc', 400],
    ['an unsigned token', 'logout_token=eyJhbGciOiJub25lIn0.e30.', 400],
  ])('rejects %s, keeps the answer out of caches and the user signed in', async (_, content, status) => {
    const gateway = await setting();
    const ada = gateway.browser();
    await ada.open(`${APP}/orders`);
    expect(await tell(gateway, content)).toMatchObject({ status, headers: { 'cache-control': 'no-store' } });
    expect((await ada.fetch(`${APP}/api`)).status).toBe(200);
  });

  it('serves nothing but POST', async () => {
    const { browser } = await setting();
    const page = await browser().fetch(`${APP}/openid/backchannel_logout`);
    expect(page).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });

  it('asks the provider to try again when its keys cannot be fetched', async () => {
    const gateway = await setting();
    const { browser, provider, notices } = gateway;
    const ada = browser();
    await ada.open(`${APP}/orders`);
    await leave(ada, provider);
    await expect.poll(() => notices.length).toBe(1);
    const away = await startSignIn(provider.issuer, {
      config: { registrations: [registration(provider.issuer, { clientId: 'told' })] },
    });
    provider.before = (_, response) => {
      response.writeHead(500).end();
      return false;
    };
    expect((await tell(away, notices[0]!)).status).toBe(503);
  });
});

describe('front-channel logout', () => {
  const frame = (browser: Browser, query: string): Promise<Page> =>
    browser.open(`${APP}/openid/frontchannel_logout?${query}`, { headers: { 'Sec-Fetch-Dest': 'iframe' } });

  async function signedIn(options: object) {
    const sid = {
      type: 'HeaderFilter',
      config: {
        messageType: 'REQUEST',
        remove: ['X-User'],
        add: { 'X-User': ['${attributes.openid.id_token_claims.sid}'] },
      },
    };
    const { browser, provider, seen } = await setting({ ...options, filters: [sid] });
    const ada = browser();
    await ada.open(`${APP}/orders`);
    return { ada, browser, sid: seen[0]!.user, iss: encodeURIComponent(provider.issuer) };
  }

  it.each(SESSIONS)('ends the session of the browser that it names, and copies of it, %s', async (_, options) => {
    const { ada, browser, sid, iss } = await signedIn(options);
    const thief = browser();
    for (const name of ada.jar('gw.test').names) thief.jar('gw.test').set(name, ada.jar('gw.test').get(name)!);
    expect(await frame(ada, `iss=${iss}&sid=${sid}`)).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
    });
    expect([(await ada.fetch(`${APP}/api`)).status, (await thief.fetch(`${APP}/api`)).status]).toEqual([401, 401]);
    expect(ada.jar('gw.test').names).toEqual([]);
  });

  it.each([
    ['another session', (iss: string) => `iss=${iss}&sid=other`, 200],
    ['another issuer', (_: string, sid: string) => `iss=https%3A%2F%2Fother.test&sid=${sid}`, 200],
    ['no session', (iss: string) => `iss=${iss}`, 403],
    ['no issuer', (_: string, sid: string) => `sid=${sid}`, 403],
    ['two sessions', (iss: string, sid: string) => `iss=${iss}&sid=${sid}&sid=${sid}`, 403],
  ])('leaves the user signed in when it names %s', async (_, query, status) => {
    const { ada, sid, iss } = await signedIn({});
    expect((await frame(ada, query(iss, sid))).status).toBe(status);
    expect((await ada.fetch(`${APP}/api`)).status).toBe(200);
  });

  it('does not end a session for somebody without its cookie', async () => {
    const { ada, browser, sid, iss } = await signedIn({});
    expect((await frame(browser(), `iss=${iss}&sid=${sid}`)).status).toBe(200);
    expect((await ada.fetch(`${APP}/api`)).status).toBe(200);
  });
});
