import { describe, expect, it } from 'vitest';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import {
  GATEWAY_HOST,
  idleFilter,
  isHeld,
  setCookies,
  startIdle,
  stopWallClock,
  TRACKER,
  visitor,
} from '../../../support/access-manager/idle-gateway.ts';
import { FAR_APP, signOn, startSignOn } from '../../../support/access-manager/sign-on-gateway.ts';
import { problemsOf } from '../../../support/gateways/filtered-gateway.ts';

const COOKIE = 'iPlanetDirectoryPro';
const MINUTE = 60_000;
const INFO = '_action=getSessionInfo';

describe('an AmSessionIdleTimeoutFilter', () => {
  it('ends a session after the time-out, and has the user sign in again', async () => {
    const pass = stopWallClock();
    const { am, gateway, browser, tokenId, visit } = await startIdle();
    const jar = browser.jar(GATEWAY_HOST);
    expect((await visit()).body).toBe('GET /a for demo');
    pass(4 * MINUTE);
    expect((await visit()).status).toBe(200);
    pass(4 * MINUTE);
    expect((await visit()).status).toBe(200);
    pass(5 * MINUTE);
    const ended = await browser.open(`${gateway.app}/b`, { stopAt: () => true });
    expect(ended.status).toBe(302);
    expect(ended.headers.location).toContain(`${am.url}/?goto=`);
    expect(setCookies(ended)).toEqual([expect.stringMatching(/^x-ig-activity-tracker=; .*Max-Age=0/)]);
    expect(isHeld(am, tokenId)).toBe(false);
    expect(gateway.seen).toHaveLength(3);

    expect((await signOn(browser, `${gateway.app}/b`)).body).toBe('GET /b for demo');
    expect(jar.get(COOKIE)).not.toBe(tokenId);
    expect((await visit('/c')).body).toBe('GET /c for demo');
  });

  it('counts the idle time to the millisecond', async () => {
    const pass = stopWallClock();
    const { am, visit, tokenId } = await startIdle();
    await visit();
    pass(5 * MINUTE - 1);
    expect((await visit()).status).toBe(200);
    pass(5 * MINUTE);
    expect((await visit()).status).toBe(401);
    expect(isHeld(am, tokenId)).toBe(false);
  });

  it('passes a request without a session on to the filter for sign-on', async () => {
    const { am, gateway } = await startIdle();
    const page = await gateway.browser().fetch(`${gateway.app}/a`);
    expect(page.status).toBe(401);
    expect(setCookies(page)).toEqual([]);
    expect(am.callsTo('/json/sessions')).toEqual([]);
  });

  it('passes a request with an invalid session on, and tracks nothing', async () => {
    const { browser, visit } = await startIdle();
    browser.jar(GATEWAY_HOST).set(COOKIE, 'AQIC-made-up');
    const page = await visit();
    expect(page.status).toBe(401);
    expect(setCookies(page)).toEqual([]);
  });

  it.each<[string, (cookie: string) => string]>([
    ['was deleted', () => ''],
    ['was changed', (cookie) => `${cookie.slice(0, -4)}AAAA`],
    ['is nonsense', () => 'nonsense'],
  ])('asks about the session where its cookie %s, and ends one that is idle', async (_, change) => {
    const pass = stopWallClock();
    const { am, browser, visit, tokenId } = await startIdle();
    const jar = browser.jar(GATEWAY_HOST);
    await visit();
    pass(2 * MINUTE);
    jar.set(TRACKER, change(jar.get(TRACKER)!));
    const fresh = await visit();
    expect(fresh.status).toBe(200);
    expect(setCookies(fresh)).toHaveLength(1);
    pass(3 * MINUTE);
    jar.set(TRACKER, change(jar.get(TRACKER)!));
    expect((await visit()).status).toBe(401);
    expect(isHeld(am, tokenId)).toBe(false);
  });

  it('does not accept the cookie of another session', async () => {
    const pass = stopWallClock();
    const { am, browser, visit, tokenId: old } = await startIdle();
    pass(4 * MINUTE);
    browser.jar(GATEWAY_HOST).set(COOKIE, am.sessions.create('demo', { isClientSide: true }).tokenId);
    await visit();
    pass(2 * MINUTE);
    expect((await visit()).status).toBe(200);
    browser.jar(GATEWAY_HOST).set(COOKIE, old);
    expect((await visit()).status).toBe(401);
    expect(isHeld(am, old)).toBe(false);
  });

  it('goes by what the access manager knows now, not by a cached session', async () => {
    const pass = stopWallClock();
    const service = { sessionCache: { enabled: true } };
    const { am, browser, visit, tokenId } = await startIdle({}, { service });
    const jar = browser.jar(GATEWAY_HOST);
    await visit();
    const session = am.sessions.find(tokenId)!;
    pass(4 * MINUTE);
    session.latestAccess = Date.now(); // in use elsewhere
    pass(4 * MINUTE);
    jar.delete(TRACKER);
    expect((await visit()).status).toBe(200);
    expect(isHeld(am, tokenId)).toBe(true);
    pass(MINUTE);
    jar.delete(TRACKER);
    expect((await visit()).status).toBe(401);
    expect(isHeld(am, tokenId)).toBe(false);
  });

  it('counts from the sign-in where the session properties have its time', async () => {
    const pass = stopWallClock();
    const am = await startAccessManager({ version: '7.5.0' });
    const gateway = await startSignOn(am, { before: [idleFilter()] });
    const { browser, visit } = visitor(am, gateway);
    const authInstant = new Date(Date.now() - 4 * MINUTE).toISOString();
    const session = am.sessions.create('demo', { properties: { authInstant } });
    browser.jar(GATEWAY_HOST).set(COOKIE, session.tokenId);
    expect((await visit()).status).toBe(200);
    browser.jar(GATEWAY_HOST).delete(TRACKER);
    pass(MINUTE);
    session.latestAccess = Date.now();
    expect((await visit()).status).toBe(401);
    expect(isHeld(am, session.tokenId)).toBe(false);
  });

  it('refuses a session for which the access manager gives no time of its last use', async () => {
    const { am, gateway, visit, tokenId } = await startIdle();
    am.answer(INFO, () => ({ status: 200, body: { username: 'demo', realm: '/' } }));
    expect((await visit()).status).toBe(500);
    expect(gateway.finished.at(-1)?.decision).toMatchObject({
      refusal: 'session-unchecked',
      reason: expect.stringContaining('it must give latestAccessTime'),
    });
    expect(gateway.seen).toEqual([]);
    expect(isHeld(am, tokenId)).toBe(true);
  });

  it.each(['getSessionInfo', 'logout'])('refuses a request where the access manager fails at %s', async (action) => {
    const pass = stopWallClock();
    const { am, gateway, browser, visit } = await startIdle();
    await visit();
    pass(5 * MINUTE);
    if (action === 'getSessionInfo') browser.jar(GATEWAY_HOST).delete(TRACKER);
    const heal = am.answer(`_action=${action}`, () => ({ status: 503, body: { code: 503 } }));
    const page = await visit();
    expect(page.status).toBe(500);
    expect(setCookies(page)).toEqual([]);
    expect(gateway.finished.at(-1)?.decision).toMatchObject({ refusal: 'session-unchecked' });
    expect(gateway.seen).toHaveLength(1);
    heal();
    expect((await visit()).status).toBe(401);
  });

  it('takes the session token out of the request, so that a session which cannot be revoked ends here, too', async () => {
    const pass = stopWallClock();
    const { am, gateway, visit } = await startIdle({}, { service: { sessionCache: { enabled: true } } });
    am.answer('_action=logout', () => ({ status: 200, body: { result: 'Successfully logged out' } }));
    await visit();
    pass(5 * MINUTE);
    expect((await visit()).status).toBe(401);
    expect((await visit()).status).toBe(401);
    expect(gateway.seen).toHaveLength(1);
  });

  it('removes two session cookies with different values, so that no filter behind takes one of them', async () => {
    const am = await startAccessManager();
    const { app, browser, seen } = await startSignOn(am, {
      type: 'AmSessionIdleTimeoutFilter',
      config: { idleTimeout: '5 minutes' },
    });
    await browser().fetch(`${app}/a`, { headers: { Cookie: `${COOKIE}=one; a=b; ${COOKIE}=two` } });
    expect(seen.map(({ cookies }) => cookies)).toEqual(['a=b']);
  });

  it('ends the session of a header, and removes the header from the request', async () => {
    const pass = stopWallClock();
    const am = await startAccessManager();
    const { app, browser, seen } = await startSignOn(am, {
      type: 'AmSessionIdleTimeoutFilter',
      config: { idleTimeout: '5 minutes', sessionToken: "${request.headers['X-Token'][0]}" },
      user: "with ${request.headers['X-Token'][0]}",
    });
    const { tokenId } = am.sessions.create('demo', { isClientSide: true });
    const headers = { 'X-Token': tokenId };
    await browser().fetch(`${app}/a`, { headers });
    pass(5 * MINUTE);
    await browser().fetch(`${app}/a`, { headers });
    expect(seen.map(({ user }) => user.trim())).toEqual([`with ${tokenId}`, 'with']);
    expect(isHeld(am, tokenId)).toBe(false);
  });

  it('behind a CrossDomainSingleSignOnFilter leads an idle user back to the sign-on, and refuses scripts', async () => {
    const pass = stopWallClock();
    const am = await startAccessManager();
    const { browser, seen } = await startSignOn(am, {
      type: 'CrossDomainSingleSignOnFilter',
      config: { redirectEndpoint: '/cdsso' },
      filters: [idleFilter({ sessionToken: '${contexts.ssoToken.value}' })],
    });
    const ada = browser();
    expect((await signOn(ada, `${FAR_APP}/a`)).body).toBe('GET /a for demo');
    pass(4 * MINUTE);
    expect((await ada.open(`${FAR_APP}/a`)).status).toBe(200);
    pass(5 * MINUTE);
    const page = await ada.open(`${FAR_APP}/b`, { stopAt: (url) => url.startsWith(am.url) });
    expect(page.visited).toEqual([`${FAR_APP}/b`, `${FAR_APP}/b`]);
    expect(page.headers.location).toContain('/authorize?');
    const bob = browser();
    await signOn(bob, `${FAR_APP}/a`);
    pass(5 * MINUTE);
    expect((await bob.fetch(`${FAR_APP}/b`)).status).toBe(401);
    expect(seen.filter(({ url }) => url === '/b')).toEqual([]);
  });

  it('names every mistake in its configuration', () => {
    const problems = problemsOf('AmSessionIdleTimeoutFilter', {
      idleTimeout: 'unlimited',
      idleTimeoutUpdate: 'SOMETIMES',
      encryptionSecretId: 'key',
      cookie: { sameSite: 'NONE' },
    });
    for (const field of ['amService', 'idleTimeout', 'idleTimeoutUpdate', 'cookie.secure']) {
      expect(problems).toContainEqual(expect.stringContaining(` ${field}: `));
    }
    const alone = problemsOf('AmSessionIdleTimeoutFilter', {
      amService: 'AmService-1',
      idleTimeout: '1 minute',
      encryptionSecretId: 'key',
    });
    expect(alone).toContainEqual(
      expect.stringContaining(" secretsProvider: is required: 'encryptionSecretId' needs it"),
    );
  });
});
