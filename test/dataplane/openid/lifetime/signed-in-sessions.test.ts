import { generateKeyPairSync } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readJws } from '../../../../dataplane/jose/compact-jws.ts';
import type { Browser } from '../../../support/clients/browser.ts';
import { untilStill } from '../../../support/clients/event-loop.ts';
import { keyFolder } from '../../../support/identity/key-folder.ts';
import { type OpenidProvider, startOpenidProvider } from '../../../support/identity/openid-provider.ts';
import { APP, registration, startSignIn } from '../../../support/identity/sign-in-gateway.ts';

const SESSIONS = [
  ['in memory', {}],
  ['in cookies', { session: { type: 'JwtSession', config: { sessionTimeout: '12 hours' } } }],
] as const;

const MINUTES = 60_000;
/** Access tokens last ten minutes, refresh tokens half an hour. */
const TTL = { AccessToken: 600, RefreshToken: 1800, Grant: 36_000, Session: 36_000, IdToken: 36_000, Interaction: 600 };

/** A provider with refresh tokens, each of which can be used once. */
function startRotating(features: Readonly<Record<string, unknown>> = {}): Promise<OpenidProvider> {
  const configuration = { issueRefreshToken: () => true, rotateRefreshToken: true, ttl: TTL };
  return startOpenidProvider({ configuration, features });
}

/** Lets time pass for gateway and provider. */
function pass(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });
  onTestFinished(() => void vi.useRealTimers());
}

const tokenRequests = ({ asked }: OpenidProvider): number => asked.filter((one) => one === 'POST /token').length;
const statuses = async (pages: readonly Promise<{ readonly status: number }>[]): Promise<number[]> =>
  (await Promise.all(pages)).map(({ status }) => status);
const tenFetches = (browser: Browser) => Array.from({ length: 10 }, () => browser.fetch(`${APP}/api`));

describe.each(SESSIONS)('an access token in sessions %s', (_, options) => {
  it('is refreshed once for ten parallel requests after it expired, and again later', async () => {
    const provider = await startRotating();
    const { browser } = await startSignIn(provider.issuer, options);
    const ada = browser();
    await ada.open(`${APP}/orders`);
    pass(11 * MINUTES);
    expect(await statuses(tenFetches(ada))).toEqual(Array.from({ length: 10 }, () => 200));
    expect(tokenRequests(provider)).toBe(2);
    pass(11 * MINUTES);
    expect(await statuses(tenFetches(ada))).toEqual(Array.from({ length: 10 }, () => 200));
    expect(tokenRequests(provider)).toBe(3);
  });

  it('is not lost when the client disconnects during the refresh', async () => {
    const provider = await startRotating();
    const { browser, port } = await startSignIn(provider.issuer, options);
    const ada = browser();
    await ada.open(`${APP}/orders`);
    pass(11 * MINUTES);
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    provider.before = async ({ url }) => {
      if (url === '/token') await held;
      return true;
    };
    const cookie = ada.jar('gw.test').header[0]!.slice('Cookie: '.length);
    const gone = request({ host: '127.0.0.1', port, path: '/api', headers: { Host: 'gw.test', Cookie: cookie } }).end();
    gone.on('error', () => {});
    await expect.poll(() => tokenRequests(provider)).toBe(2);
    gone.destroy();
    release();
    expect((await ada.fetch(`${APP}/api`)).status).toBe(200);
    expect(tokenRequests(provider)).toBe(2);
    pass(11 * MINUTES);
    expect((await ada.fetch(`${APP}/api`)).status).toBe(200);
  });

  it('is replaced by a new sign-in once the refresh token has expired', async () => {
    const provider = await startRotating();
    const { browser } = await startSignIn(provider.issuer, options);
    const ada = browser();
    await ada.open(`${APP}/orders`);
    pass(29 * MINUTES);
    await ada.fetch(`${APP}/api`); // sessions in memory end after half an hour without a request
    provider.before = ({ url }, response) => {
      if (url !== '/token') return true;
      response.writeHead(400, { 'Content-Type': 'application/json' }).end('{"error":"invalid_grant"}');
      return false;
    };
    pass(11 * MINUTES);
    expect((await ada.fetch(`${APP}/api`)).status).toBe(401);
    provider.before = () => true;
    expect(await ada.open(`${APP}/orders`)).toMatchObject({ status: 200, body: 'GET /orders for ada' });
  });

  it('leaves the user signed in while the provider does not answer', async () => {
    const provider = await startRotating();
    const { browser } = await startSignIn(provider.issuer, options);
    const ada = browser();
    await ada.open(`${APP}/orders`);
    pass(11 * MINUTES);
    provider.before = (_, response) => {
      response.writeHead(503).end();
      return false;
    };
    const page = await ada.open(`${APP}/orders`);
    expect(page).toMatchObject({ status: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } });
    provider.before = () => true;
    pass(3000);
    expect((await ada.open(`${APP}/orders`)).visited).toEqual([`${APP}/orders`]);
  });
});

describe('a refresh that the client does not wait for', () => {
  it('is saved in a session in memory, for longer than the result is kept', async () => {
    const provider = await startRotating();
    const { browser, port } = await startSignIn(provider.issuer);
    const ada = browser();
    await ada.open(`${APP}/orders`);
    pass(11 * MINUTES);
    const [held, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    provider.before = async ({ url }, response) => {
      if (url !== '/token') return true;
      await held.promise;
      response.once('close', answered.resolve);
      return true;
    };
    const cookie = ada.jar('gw.test').header[0]!.slice('Cookie: '.length);
    const gone = request({ host: '127.0.0.1', port, path: '/api', headers: { Host: 'gw.test', Cookie: cookie } }).end();
    gone.on('error', () => {});
    await expect.poll(() => tokenRequests(provider)).toBe(2);
    gone.destroy();
    await untilStill(() => 0);
    held.resolve();
    await answered.promise;
    await untilStill(() => 0);
    pass(4 * MINUTES);
    expect((await ada.fetch(`${APP}/api`)).status).toBe(200);
    expect(tokenRequests(provider)).toBe(2);
  });
});

describe('user info', () => {
  it('is fetched once for an access token, and readable as user_info', async () => {
    const provider = await startRotating();
    const email = {
      messageType: 'REQUEST',
      remove: ['X-User'],
      add: { 'X-User': ['${attributes.openid.user_info.email}'] },
    };
    const { browser, seen } = await startSignIn(provider.issuer, {
      filters: [{ type: 'HeaderFilter', config: email }],
    });
    const ada = browser();
    await ada.open(`${APP}/orders`);
    await ada.fetch(`${APP}/api`);
    expect(seen.map(({ user }) => user)).toEqual(['ada@example.com', 'ada@example.com']);
    expect(provider.asked.filter((one) => one === 'GET /me')).toHaveLength(1);
  });

  it('is missing when the provider gives none, and the request goes on', async () => {
    const provider = await startRotating();
    provider.before = ({ url }, response) => {
      if (url !== '/me') return true;
      response.writeHead(500).end();
      return false;
    };
    const { browser, logged } = await startSignIn(provider.issuer);
    expect(await browser().open(`${APP}/orders`)).toMatchObject({ status: 200, body: 'GET /orders for ada' });
    expect(JSON.stringify(logged)).toContain('the user info endpoint answered 500');
  });
});

describe('tokens that are bound to a key', () => {
  it('work from the sign-in over user info to the refresh, with nonces of the provider', async () => {
    const nonceSecret = Buffer.alloc(32, 1);
    const provider = await startRotating({ dPoP: { enabled: true, nonceSecret, requireNonce: () => true } });
    const type = {
      messageType: 'REQUEST',
      remove: ['X-User'],
      add: { 'X-User': ['${attributes.openid.token_type} ${attributes.openid.user_info.email}'] },
    };
    const { browser, seen, logged } = await startSignIn(provider.issuer, {
      config: { proofOfPossession: {} },
      filters: [{ type: 'HeaderFilter', config: type }],
    });
    const ada = browser();
    expect((await ada.open(`${APP}/orders`)).status).toBe(200);
    pass(11 * MINUTES);
    expect((await ada.fetch(`${APP}/api`)).status).toBe(200);
    expect(seen.map(({ user }) => user)).toEqual(['DPoP ada@example.com', 'DPoP ada@example.com']);
    expect(JSON.stringify(logged)).toContain("made up a key for 'proofOfPossession'");
  });
});

describe('proofs of possession', () => {
  it('are signed with the key of a store, which all replicas can have', async () => {
    const shown: unknown[] = [];
    const provider = await startRotating({ dPoP: { enabled: true, requireNonce: () => false } });
    provider.before = ({ headers }) => {
      const { dpop } = headers;
      if (typeof dpop === 'string') shown.push(readJws(dpop)?.header['jwk']);
      return true;
    };
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const config = {
      proofOfPossession: { secretId: 'dpop' },
      secretsProvider: keyFolder({ dpop: privateKey }),
    };
    const { browser, logged } = await startSignIn(provider.issuer, { config });
    expect((await browser().open(`${APP}/orders`)).status).toBe(200);
    const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
    expect(shown).toEqual([
      { kty, crv, x, y },
      { kty, crv, x, y },
    ]); // for the tokens and for user info
    expect(JSON.stringify(logged)).not.toContain('made up a key');
  });
});

describe('a sign-out', () => {
  it.each(SESSIONS)('ends the session also for a copy of its cookie, with sessions %s', async (_, options) => {
    const provider = await startRotating();
    const { browser } = await startSignIn(provider.issuer, options);
    const [ada, thief] = [browser(), browser()];
    await ada.open(`${APP}/orders`);
    const jar = ada.jar('gw.test');
    for (const name of jar.names) thief.jar('gw.test').set(name, jar.get(name)!);
    expect((await thief.fetch(`${APP}/api`)).status).toBe(200);
    await ada.open(`${APP}/openid/logout`);
    expect((await thief.fetch(`${APP}/api`)).status).toBe(401);
    expect((await ada.open(`${APP}/orders`)).status).toBe(200);
    expect((await ada.fetch(`${APP}/api`)).status).toBe(200);
  });

  it('revokes the tokens at the provider', async () => {
    const provider = await startRotating();
    const { browser } = await startSignIn(provider.issuer, { config: { revokeOauth2TokenOnLogout: true } });
    const ada = browser();
    await ada.open(`${APP}/orders`);
    await ada.open(`${APP}/openid/logout`);
    expect(provider.asked.filter((one) => one === 'POST /token/revocation')).toHaveLength(2);
  });

  it('goes on although the provider revokes nothing', async () => {
    const provider = await startRotating();
    const { browser, logged } = await startSignIn(provider.issuer, { config: { revokeOauth2TokenOnLogout: true } });
    const ada = browser();
    await ada.open(`${APP}/orders`);
    provider.before = (_, response) => {
      response.writeHead(500).end();
      return false;
    };
    expect(await ada.open(`${APP}/openid/logout`)).toMatchObject({ status: 200, body: 'You are signed out.\n' });
    expect((await ada.fetch(`${APP}/api`)).status).toBe(401);
    expect(JSON.stringify(logged)).toContain('tokens not revoked');
  });

  it('leads to the provider, which ends its own session and comes back', async () => {
    const provider = await startOpenidProvider({
      clients: [
        {
          client_id: 'leaving',
          client_secret: 'the-secret-of-gateway',
          redirect_uris: [`${APP}/openid/callback`],
          post_logout_redirect_uris: [`${APP}/bye`],
        },
      ],
    });
    const { browser } = await startSignIn(provider.issuer, {
      config: {
        registrations: [registration(provider.issuer, { clientId: 'leaving' })],
        openIdEndSessionOnLogout: true,
        defaultLogoutGoto: `${APP}/bye`,
      },
    });
    const ada = browser();
    await ada.open(`${APP}/orders`);
    const asked = await ada.open(`${APP}/openid/logout`);
    expect([asked.status, asked.url.startsWith(`${provider.issuer}/session/end?`)]).toEqual([200, true]);
    const xsrf = /name="xsrf" value="(\w+)"/.exec(asked.body)![1]!;
    const done = await ada.open(`${provider.issuer}/session/end/confirm`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      content: `xsrf=${xsrf}&logout=yes`,
      stopAt: (url) => url.startsWith(APP),
    });
    expect(done.headers.location).toBe(`${APP}/bye`);
    provider.user = 'grace';
    expect(await ada.open(`${APP}/orders`)).toMatchObject({ status: 200, body: 'GET /orders for grace' });
  });
});
