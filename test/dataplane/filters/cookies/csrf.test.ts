import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';

async function protectedApp(config: object = {}) {
  const filter = JSON.parse(JSON.stringify({ type: 'CsrfFilter', config: { cookieName: 'SID', ...config } }));
  const gateway = await startFiltered([filter]);
  /** The token of a session, as a page gets it. */
  const tokenOf = async (session: string): Promise<string> => {
    const answer = await gateway.ask('/', { headers: [`Cookie: SID=${session}`] });
    return answer.values('x-csrf-token').join(' | ');
  };
  return { ...gateway, tokenOf };
}

describe('CsrfFilter', () => {
  it('sends a token to a page and accepts it in the next request', async () => {
    const { ask, seen, tokenOf } = await protectedApp();
    const token = await tokenOf('s3cret');
    expect(token).toMatch(/^[\w-]{43}$/);
    const headers = ['Cookie: other=1; SID=s3cret', `X-CSRF-Token: ${token}`];
    const answer = await ask('/', { method: 'POST', body: 'x', headers });
    expect(answer.status).toBe(200);
    expect(answer.values('x-csrf-token')).toEqual([token]);
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  it('computes one token per session, equal in every gateway, that does not reveal the session', async () => {
    const [one, two] = [await protectedApp(), await protectedApp()];
    const token = await one.tokenOf('a');
    expect(await two.tokenOf('a')).toBe(token);
    expect(await two.tokenOf('b')).not.toBe(token);
    expect(await two.tokenOf('"a"')).toBe(token);
    expect(token).not.toBe(createHash('sha256').update('a').digest('base64url'));
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'LOCK'])('refuses %s without a token', async (method) => {
    const { ask, seen } = await protectedApp();
    const answer = await ask('/', { method, headers: ['Cookie: SID=a'] });
    expect(answer.status).toBe(403);
    expect(answer.body).toBe('');
    expect(seen).toEqual([]);
  });

  it.each([
    ['the token of another session', (token: string) => ['Cookie: SID=b', `X-CSRF-Token: ${token}`]],
    ['no session', (token: string) => [`X-CSRF-Token: ${token}`]],
    ['an empty session', (token: string) => ['Cookie: SID=', `X-CSRF-Token: ${token}`]],
    ['two sessions', (token: string) => ['Cookie: SID=a; SID=b', `X-CSRF-Token: ${token}`]],
    ['two sessions in two lines', (token: string) => ['Cookie: SID=a', 'Cookie: SID=b', `X-CSRF-Token: ${token}`]],
    ['the token twice', (token: string) => ['Cookie: SID=a', `X-CSRF-Token: ${token}`, `X-CSRF-Token: ${token}`]],
    ['an empty token', () => ['Cookie: SID=a', 'X-CSRF-Token:']],
    ['part of the token', (token: string) => ['Cookie: SID=a', `X-CSRF-Token: ${token.slice(1)}`]],
    ['the session as token', () => ['Cookie: SID=a', 'X-CSRF-Token: a']],
    ['a session of another name', (token: string) => ['Cookie: sid=a', `X-CSRF-Token: ${token}`]],
  ])('refuses %s', async (_, headers) => {
    const { ask, seen, tokenOf } = await protectedApp();
    const token = await tokenOf('a');
    expect((await ask('/', { method: 'POST', headers: headers(token) })).status).toBe(403);
    expect(seen).toHaveLength(1);
  });

  it('accepts a session cookie that is sent twice with the same value', async () => {
    const { ask, tokenOf } = await protectedApp();
    const headers = ['Cookie: SID=a; SID=a', `X-CSRF-Token: ${await tokenOf('a')}`];
    expect((await ask('/', { method: 'POST', headers })).status).toBe(200);
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])('passes %s by default', async (method) => {
    const lenient = await protectedApp();
    expect((await lenient.ask('/', { method, headers: ['Cookie: SID=a'] })).status).toBe(200);
    const strict = await protectedApp({ excludeSafeMethods: false });
    expect((await strict.ask('/', { method, headers: ['Cookie: SID=a'] })).status).toBe(403);
    const headers = ['Cookie: SID=a', `X-CSRF-Token: ${await lenient.tokenOf('a')}`];
    expect((await strict.ask('/', { method, headers })).status).toBe(200);
  });

  it('sends a token with a rejection, so that a page can retry', async () => {
    const { ask, tokenOf } = await protectedApp();
    const refused = await ask('/', { method: 'POST', headers: ['Cookie: SID=a'] });
    expect(refused.values('x-csrf-token')).toEqual([await tokenOf('a')]);
  });

  it.each([
    ['SID=new; Path=/', 'new'],
    ['SID="new"; Path=/', 'new'],
    ['SID=; Max-Age=0', null],
    ['OTHER=new', 'a'],
  ])('sends the token of the session that the response sets: %s', async (line, session) => {
    const { ask, tokenOf } = await protectedApp();
    const answer = await ask(`/?h.set-cookie=${encodeURIComponent(line)}`, { headers: ['Cookie: SID=a'] });
    expect(answer.values('x-csrf-token')).toEqual(session === null ? [] : [await tokenOf(session)]);
  });

  it('sends no token without a session, and removes one of a backend', async () => {
    const { ask } = await protectedApp();
    const answer = await ask('/?h.x-csrf-token=theirs');
    expect(answer.values('x-csrf-token')).toEqual([]);
    expect(answer.values('vary')).toEqual(['Cookie']);
  });

  it('uses the configured header and failure handler', async () => {
    const { ask, tokenOf } = await protectedApp();
    const token = await tokenOf('a');
    const failureHandler = { type: 'StaticResponseHandler', config: { status: 418 } };
    const other = await protectedApp({ headerName: 'X-Mine', failureHandler });
    const refused = await other.ask('/', { method: 'POST', headers: ['Cookie: SID=a', `X-CSRF-Token: ${token}`] });
    expect([refused.status, refused.values('x-mine')]).toEqual([418, [token]]);
    const passed = await other.ask('/', { method: 'POST', headers: ['Cookie: SID=a', `X-Mine: ${token}`] });
    expect([passed.status, passed.values('x-csrf-token')]).toEqual([200, []]);
    expect(await ask('/')).toMatchObject({ status: 200 });
  });

  it('binds the token to the session of the gateway, also when its cookie is written again', async () => {
    const remember = {
      type: 'AssignmentFilter',
      config: { onRequest: [{ target: '${session.visit}', value: '${request.uri.query}' }] },
    };
    const gateway = await startFiltered([{ type: 'CsrfFilter', config: { cookieName: 'IG_SESSIONID' } }, remember]);
    const first = await gateway.ask('/?one');
    const cookie = `Cookie: ${first.values('set-cookie')[0]!.split(';')[0]}`;
    const [token = ''] = first.values('x-csrf-token');
    expect(token).toMatch(/^[\w-]{43}$/);
    const headers = [cookie, `X-CSRF-Token: ${token}`];
    const second = await gateway.ask('/?two', { method: 'POST', headers });
    expect([second.status, second.values('x-csrf-token')]).toEqual([200, [token]]);
    expect((await gateway.ask('/?two', { method: 'POST', headers: [cookie] })).status).toBe(403);
    const forged = ['Cookie: IG_SESSIONID=forged', `X-CSRF-Token: ${token}`];
    expect((await gateway.ask('/?two', { method: 'POST', headers: forged })).status).toBe(403);
  });

  it.each([
    [{}, ['missing cookieName: is required']],
    [{ cookieName: '' }, ['value cookieName: must not be empty']],
    [{ cookieName: 'a', headerName: 'a b' }, ["value headerName: 'a b' is not the name of a header"]],
    [{ cookieName: 'a', excludeSafeMethods: 'yes' }, ["value excludeSafeMethods: must be true or false, not 'yes'"]],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('CsrfFilter', config)).toEqual(problems);
  });
});
