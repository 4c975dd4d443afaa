import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
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
import { startSignOn } from '../../../support/access-manager/sign-on-gateway.ts';
import { keyFolder } from '../../../support/identity/key-folder.ts';

const MINUTE = 60_000;
const INFO = '_action=getSessionInfo';
const freshKey = (): JsonObject => keyFolder({ key: { bytes: randomBytes(32), algorithm: 'AES' } });

describe('the cookie of an AmSessionIdleTimeoutFilter', () => {
  it('is persistent, hidden from scripts and encrypted', async () => {
    stopWallClock();
    const { visit, tokenId } = await startIdle();
    const [line = ''] = setCookies(await visit());
    expect(line).toMatch(/^x-ig-activity-tracker=[\w.-]+; Path=\/; SameSite=Lax; HttpOnly; Max-Age=2592300; Expires=/);
    const texts = line.split(/[=.;]/).map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    expect(texts.join('\n')).not.toMatch(/seenAt|idleTimeout/);
    expect(line).not.toContain(tokenId);
  });

  it('has the configured attributes, and is Secure over https', async () => {
    const am = await startAccessManager();
    const cookie = { name: 'activity', domain: 'gw.test', path: '/app', httpOnly: false, sameSite: 'STRICT' };
    const { browser } = await startSignOn(am, { before: [idleFilter({ cookie })], trustedProxies: [GATEWAY_HOST] });
    const ada = browser();
    ada.jar('gw.test').set(am.cookieName, am.sessions.create('demo', { isClientSide: true }).tokenId);
    const [line] = setCookies(await ada.fetch('https://gw.test/app'));
    expect(line).toMatch(/^activity=[^;]+; Path=\/app; Domain=gw.test; SameSite=Strict; Secure; Max-Age=/);
  });

  it.each([
    ['5 minutes', 5000],
    ['10 hours', MINUTE],
  ])(
    'is written again after a sixtieth of a time-out of %s, at the latest after a minute',
    async (idleTimeout, after) => {
      const pass = stopWallClock();
      const { am, visit } = await startIdle({ idleTimeout });
      expect(setCookies(await visit())).toHaveLength(1);
      pass(after - 1);
      expect(setCookies(await visit())).toEqual([]);
      pass(1);
      expect(setCookies(await visit())).toHaveLength(1);
      expect(setCookies(await visit())).toEqual([]);
      // the filter for sign-on asks for each request, this one for the first only
      expect(am.callsTo(INFO)).toHaveLength(5);
    },
  );

  it('keeps its answer out of shared caches', async () => {
    const headers = { 'Cache-Control': ['public, max-age=60'] };
    const cached = { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: headers } };
    stopWallClock();
    const { visit } = await startIdle({}, { filters: [cached] });
    expect((await visit()).headers['cache-control']).toBe('max-age=60, private');
    expect((await visit()).headers['cache-control']).toBe('public, max-age=60');
  });

  it('holds while the clock goes back for half a minute', async () => {
    const pass = stopWallClock();
    const { am, visit } = await startIdle();
    await visit();
    pass(-30_000);
    const page = await visit();
    expect(page.status).toBe(200);
    expect(setCookies(page)).toEqual([]);
    expect(am.callsTo(INFO)).toHaveLength(3);
  });

  it('does not hold where its time is far ahead', async () => {
    const pass = stopWallClock();
    const { am, browser, visit } = await startIdle();
    pass(20 * MINUTE);
    browser.jar(GATEWAY_HOST).set(am.cookieName, am.sessions.create('demo', { isClientSide: true }).tokenId);
    await visit();
    pass(-19 * MINUTE);
    expect(setCookies(await visit())).toHaveLength(1);
    expect(am.callsTo(INFO)).toHaveLength(4);
  });

  it.each([
    ['ALWAYS', 3, 3],
    ['ALWAYS', 10, 10],
    ['NEVER', 3, 5],
    ['NEVER', 10, 5],
    ['INCREASE_ONLY', 3, 5],
    ['INCREASE_ONLY', 10, 10],
    ['DECREASE_ONLY', 3, 3],
    ['DECREASE_ONLY', 10, 5],
  ])('with %s and another filter of %i minutes has 5 minutes become %i', async (idleTimeoutUpdate, own, minutes) => {
    const pass = stopWallClock();
    const shared = { encryptionSecretId: 'key', secretsProvider: freshKey(), idleTimeoutUpdate };
    const { am, browser, visit, tokenId } = await startIdle(shared);
    await visit();
    const other = await startSignOn(am, { before: [idleFilter({ ...shared, idleTimeout: `${own} minutes` })] });
    const status = async (): Promise<number> => (await browser.fetch(`${other.app}/a`)).status;
    expect(await status()).toBe(200);
    pass(minutes * MINUTE - 1);
    expect(await status()).toBe(200);
    pass(minutes * MINUTE);
    expect(await status()).toBe(401);
    expect(isHeld(am, tokenId)).toBe(false);
  });

  it('is opened with every valid key and sealed with the active one', async () => {
    const pass = stopWallClock();
    const [old, fresh] = [freshKey(), freshKey()];
    const am = await startAccessManager();
    const appWith = async (...stores: JsonObject[]): Promise<string> => {
      const secretsProvider = { type: 'SecretsProvider', config: { stores } };
      return (await startSignOn(am, { before: [idleFilter({ encryptionSecretId: 'key', secretsProvider })] })).app;
    };
    const [before, both, after] = [await appWith(old), await appWith(fresh, old), await appWith(fresh)];
    const { browser } = visitor(am, await startSignOn(am));
    const jar = browser.jar(GATEWAY_HOST);
    const isTracked = async (app: string): Promise<boolean> => {
      const count = am.callsTo(INFO).length;
      expect((await browser.fetch(`${app}/a`)).status).toBe(200);
      return am.callsTo(INFO).length === count + 1;
    };
    expect(await isTracked(before)).toBe(false);
    const early = jar.get(TRACKER)!;
    pass(5000);
    expect(await isTracked(both)).toBe(true);
    expect(jar.get(TRACKER)).not.toBe(early);
    expect(await isTracked(after)).toBe(true);
    jar.set(TRACKER, early);
    expect(await isTracked(after)).toBe(false);
  });

  it('is of no use with another random key', async () => {
    const { am, browser, visit } = await startIdle();
    await visit();
    const other = await startSignOn(am, { before: [idleFilter()] });
    expect(setCookies(await browser.fetch(`${other.app}/a`))).toHaveLength(1);
    expect(am.callsTo(INFO)).toHaveLength(4);
  });

  it('counts beside others that cannot be read, and the latest of those that can', async () => {
    const pass = stopWallClock();
    const { am, browser, visit, tokenId } = await startIdle();
    const jar = browser.jar(GATEWAY_HOST);
    await visit();
    const early = jar.get(TRACKER)!;
    pass(4 * MINUTE);
    await visit();
    const late = jar.get(TRACKER)!;
    expect(late).not.toBe(early);
    pass(4 * MINUTE);
    const asked = am.callsTo(INFO).length;
    for (const values of [
      ['tossed', late],
      [late, early],
      [early, 'x.y', late],
    ]) {
      jar.set(TRACKER, values.join(`; ${TRACKER}=`));
      expect((await visit()).status, values.join()).toBe(200);
    }
    expect(am.callsTo(INFO).length - asked).toBe(3); // by the filter for sign-on
    jar.set(TRACKER, ['tossed', early].join(`; ${TRACKER}=`));
    expect((await visit()).status).toBe(401);
    expect(isHeld(am, tokenId)).toBe(false);
  });

  it('has requests refused while its keys cannot be read', async () => {
    const { gateway, visit } = await startIdle({ encryptionSecretId: 'missing', secretsProvider: keyFolder({}) });
    expect((await visit()).status).toBe(500);
    expect(gateway.seen).toEqual([]);
  });
});
