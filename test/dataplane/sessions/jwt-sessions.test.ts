import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { CookieJar } from '../../support/clients/cookie-jar.ts';
import { SESSION_FILTERS, sessionRoute, startSessions } from '../../support/state/session-gateway.ts';

const NAME = 'openig-jwt-session';

function manager(config: JsonObject = {}): JsonObject {
  return { type: 'AuthenticatedEncryptedJwtSessionManager', config };
}

describe('a route with an encrypted session', () => {
  it('reads in one request what an earlier one wrote', async () => {
    const { visit } = await startSessions({ app: sessionRoute(manager()) });
    const jar = new CookieJar();
    expect(await visit('/?set=one', jar)).toMatchObject({ status: 200, value: 'one', body: 'served' });
    expect(jar.names).toEqual([NAME]);
    expect(await visit('/', jar)).toMatchObject({ status: 200, value: 'one', setCookies: [] });
  });

  it('shows nothing of the session in its cookie', async () => {
    const { visit } = await startSessions({ app: sessionRoute(manager()) });
    const jar = new CookieJar();
    await visit('/?set=visible-secret', jar);
    const texts = jar
      .get(NAME)!
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    expect(texts.join()).not.toContain('visible-secret');
    expect(JSON.parse(texts[0]!)).toMatchObject({ alg: 'dir', enc: 'A256GCM' });
  });

  it('writes no cookie for a value that is as it was', async () => {
    const { visit } = await startSessions({ app: sessionRoute(manager()) });
    const jar = new CookieJar();
    await visit('/?set=same', jar);
    expect((await visit('/?set=same', jar)).setCookies).toEqual([]);
    expect((await visit('/?set=other', jar)).setCookies).toHaveLength(1);
  });

  it('removes the cookie of an emptied session', async () => {
    const { visit } = await startSessions({ app: sessionRoute(manager()) });
    const jar = new CookieJar();
    await visit('/?set=one', jar);
    const { setCookies } = await visit('/?clear=1', jar);
    expect(setCookies).toEqual([
      `${NAME}=; Path=/; SameSite=Lax; HttpOnly; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT`,
    ]);
    expect(await visit('/', jar)).toMatchObject({ value: '', setCookies: [] });
  });

  it('keeps its cookies from the backend, and other cookies in order', async () => {
    const { send, seen, visit } = await startSessions({ app: sessionRoute(manager()) });
    const jar = new CookieJar();
    await visit('/?set=one', jar);
    await send('/', [`Cookie: a=1; ${NAME}=${jar.get(NAME)}; b=2`, `Cookie: ${NAME}_1=x; c=3; ${NAME}x=4`]);
    await visit('/?blind=1', jar);
    expect(seen).toEqual([[], [`a=1; b=2; c=3; ${NAME}x=4`], []]);
  });

  it('drops cookies of its name that a backend sets', async () => {
    const { visit } = await startSessions({ app: sessionRoute(manager()) });
    const lines = [`${NAME}=theirs`, 'other=1', `${NAME}_1=theirs`].map((line) => `backend-cookie=${line}`);
    expect((await visit(`/?${lines.join('&')}`)).setCookies).toEqual(['other=1']);
  });

  it('sets the attributes that it is told', async () => {
    const cookie = {
      name: '__Secure-s',
      domain: 'example.com',
      path: '/app',
      httpOnly: false,
      secure: true,
      sameSite: 'none',
    };
    const config = { cookie, persistentCookie: true, sessionTimeout: '1 hour' };
    const { visit } = await startSessions({ app: sessionRoute(manager(config)) });
    const [line = ''] = (await visit('/?set=one')).setCookies;
    expect(line.replace(/=[\w.-]+;/, '=…;').replace(/Expires=.*/, 'Expires=…')).toBe(
      '__Secure-s=…; Path=/app; Domain=example.com; SameSite=None; Secure; Max-Age=3600; Expires=…',
    );
  });

  it('splits a long session over several cookies and clears those that a shorter one leaves', async () => {
    const { visit } = await startSessions({ app: sessionRoute(manager()) });
    const jar = new CookieJar();
    const long = 'x'.repeat(6000);
    expect((await visit(`/?set=${long}`, jar)).value).toBe(long);
    expect(jar.names).toEqual([NAME, `${NAME}_1`, `${NAME}_2`]);
    expect((await visit('/', jar)).value).toBe(long);
    await visit('/?set=short', jar);
    expect(jar.names).toEqual([NAME]);
    expect((await visit('/', jar)).value).toBe('short');
  });

  it('refuses a session that does not fit, and leaves the one before as it was', async () => {
    const double = {
      type: 'AssignmentFilter',
      config: { onRequest: [{ target: '${session.more}', value: '${session.value}${session.value}${session.value}' }] },
    };
    const filters = [...SESSION_FILTERS, double];
    const { visit, logged } = await startSessions({
      app: { ...sessionRoute(manager(), filters), condition: "${request.uri.path == '/three'}" },
      plain: sessionRoute(manager()),
    });
    const jar = new CookieJar();
    const answer = await visit(`/three?set=${'x'.repeat(7000)}`, jar);
    expect([answer.status, JSON.parse(answer.body).refusal]).toEqual([500, 'session-too-large']);
    expect([jar.names, answer.setCookies]).toEqual([[], []]);
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'session not saved; request refused', refusal: 'session-too-large' }),
    );
    expect(JSON.stringify(logged)).not.toContain('xxxx');
  });
});
