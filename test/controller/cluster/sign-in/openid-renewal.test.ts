import { describe, expect, it } from 'vitest';
import type { CookieJar } from '../../../support/clients/cookie-jar.ts';
import { openidConsole, SESSION } from '../../../support/crest/openid-console.ts';

const COOKIE = '__Host-gatewarden-console';
const INFO = '/api/info';
/** Seconds that the first ID token of a person is valid: it is to be renewed at once. */
const SHORT = 80;
/** Seconds that further ones are valid; a test sets it before it lets the first one end. */
const LONG = 3000;

/** ID tokens that are to be renewed at once. */
function shortTokens() {
  let lifetime = SHORT;
  const ttl = { AccessToken: 600, AuthorizationCode: 600, Grant: 6000, IdToken: () => lifetime, Session: 6000 };
  return {
    provider: { configuration: { ttl } },
    lengthen: (): void => void (lifetime = LONG),
  };
}

type Console = Awaited<ReturnType<typeof openidConsole>>;

const tokenCalls = ({ provider }: Console): number => provider.asked.filter((one) => one === 'POST /token').length;

/** Lets the ID token of a session end. */
async function untilOver(console: Console, jar: CookieJar): Promise<void> {
  console.advance(SHORT + 1);
  expect((await console.withJar(jar, INFO)).status).toBe(401);
}

describe('the session of an OpenID user', () => {
  it('keeps its token while that is valid for long', async () => {
    const console = await openidConsole();
    const jar = await console.signIn();
    expect((await console.withJar(jar, SESSION)).lines).toEqual([]);
    expect(tokenCalls(console)).toBe(1);
  });

  it('gets another ID token before the former one ends, and only when the console asks for the session', async () => {
    const console = await openidConsole({ provider: shortTokens().provider });
    const jar = await console.signIn();
    const before = jar.get(COOKIE);
    expect((await console.withJar(jar, INFO)).lines).toEqual([]);
    const { body, lines } = await console.withJar(jar, SESSION);
    expect([body['user'], lines.length > 0, tokenCalls(console)]).toEqual(['ada', true, 2]);
    expect(jar.get(COOKIE)).not.toBe(before);
    expect((await console.withJar(jar, INFO)).status).toBe(200);
  });

  it('does not last longer by renewals', async () => {
    const console = await openidConsole({ provider: shortTokens().provider });
    const jar = await console.signIn();
    const first = (await console.withJar(jar, SESSION)).body['expires'];
    expect((await console.withJar(jar, SESSION)).body['expires']).toBe(first);
    expect(tokenCalls(console)).toBe(3);
  });

  it('is renewed in turn at several controllers, with a refresh token that is used once', async () => {
    const console = await openidConsole({ provider: shortTokens().provider, replicas: 2 });
    const jar = await console.signIn();
    for (const at of [1, 0, 1, 1, 0]) expect((await console.withJar(jar, SESSION, { at })).body['user']).toBe('ada');
  });

  it('goes on after an answer was lost, at the controller that sent it', async () => {
    const console = await openidConsole({ provider: shortTokens().provider });
    const jar = await console.signIn();
    const former = jar.get(COOKIE)!;
    await console.withJar(jar, SESSION);
    jar.set(COOKIE, former);
    expect((await console.withJar(jar, SESSION)).body['user']).toBe('ada');
    expect(tokenCalls(console)).toBe(2);
  });

  it('uses a refresh token once for requests at the same time', async () => {
    const console = await openidConsole({ provider: shortTokens().provider });
    const jar = await console.signIn();
    const cookie = `${COOKIE}=${jar.get(COOKIE)}`;
    const headers = { 'sec-fetch-site': 'same-origin', cookie };
    const answers = await Promise.all([1, 2, 3].map(() => console.send(SESSION, { headers })));
    expect(answers.map(({ body }) => body['user'])).toEqual(['ada', 'ada', 'ada']);
    expect(tokenCalls(console)).toBe(2);
  });

  it('goes on after its token has ended', async () => {
    const { provider, lengthen } = shortTokens();
    const console = await openidConsole({ provider });
    const jar = await console.signIn();
    lengthen();
    await untilOver(console, jar);
    expect((await console.withJar(jar, SESSION)).body['user']).toBe('ada');
    expect((await console.withJar(jar, INFO)).status).toBe(200);
  });

  it('is not renewed for pages of others', async () => {
    const console = await openidConsole({ provider: shortTokens().provider });
    const jar = await console.signIn();
    for (const site of ['cross-site', 'same-site', 'none']) {
      const { body, lines } = await console.withJar(jar, SESSION, { headers: { 'sec-fetch-site': site } });
      expect([body['user'], lines]).toEqual([null, []]);
    }
    expect(tokenCalls(console)).toBe(1);
  });

  it('ends with the token where the provider gives no refresh token', async () => {
    const { configuration } = shortTokens().provider;
    const console = await openidConsole({
      provider: { configuration: { ...configuration, issueRefreshToken: () => false } },
    });
    const jar = await console.signIn();
    expect((await console.withJar(jar, SESSION)).body['user']).toBe('ada');
    await untilOver(console, jar);
    expect((await console.withJar(jar, SESSION)).body['user']).toBeNull();
    expect([jar.names, tokenCalls(console)]).toEqual([[], 1]);
  });

  it('ends with the token where the provider rejects the refresh token, and asks once', async () => {
    const console = await openidConsole({ provider: shortTokens().provider });
    const jar = await console.signIn();
    console.provider.before = (request, response) => {
      if (request.url !== '/token') return true;
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
      return false;
    };
    for (const _ of [1, 2]) expect((await console.withJar(jar, SESSION)).body['user']).toBe('ada');
    await untilOver(console, jar);
    expect((await console.withJar(jar, SESSION)).body['user']).toBeNull();
    expect([jar.names, tokenCalls(console)]).toEqual([[], 2]);
    expect(console.logged.join('')).toContain('the user of the console has to sign in again');
  });

  it.each([
    ['of another user', 'eve'],
    ['that is none', null],
  ])('takes no new ID token %s', async (_, sub) => {
    const rights = { ada: ['* * *'], eve: ['* * *'] };
    const console = await openidConsole({ provider: shortTokens().provider, rights });
    const jar = await console.signIn();
    const token = sub === null ? 'e30.e30.e30' : await console.provider.idToken(sub);
    console.provider.before = (request, response) => {
      if (request.url !== '/token') return true;
      const answer = { access_token: 'a', token_type: 'Bearer', id_token: token };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return false;
    };
    expect((await console.withJar(jar, SESSION)).body['user']).toBe('ada');
    await untilOver(console, jar);
    expect((await console.withJar(jar, SESSION)).body['user']).toBeNull();
  });

  it('uses a valid token on while the provider does not answer, and is 503 afterwards, but no sign-out', async () => {
    const { provider, lengthen } = shortTokens();
    const console = await openidConsole({ provider });
    const jar = await console.signIn();
    lengthen();
    let isAway = true;
    console.provider.before = (request, response) => {
      if (request.url !== '/token' || !isAway) return true;
      response.writeHead(503).end();
      return false;
    };
    expect((await console.withJar(jar, SESSION)).body['user']).toBe('ada');
    await untilOver(console, jar);
    const { status, body } = await console.withJar(jar, SESSION);
    expect([status, body['message']]).toEqual([503, expect.stringContaining('does not renew the session')]);
    isAway = false;
    console.advance(3);
    expect((await console.withJar(jar, SESSION)).body['user']).toBe('ada');
  });

  it('ends where the cluster does not accept the user any more', async () => {
    const rights: Record<string, readonly string[]> = { ada: ['* * *'] };
    const { provider, lengthen } = shortTokens();
    const console = await openidConsole({ provider, rights });
    const jar = await console.signIn();
    delete rights['ada'];
    lengthen();
    expect((await console.withJar(jar, SESSION)).body['user']).toBeNull();
  });
});

describe('a sign-out of an OpenID user', () => {
  it('ends the session, and revokes the refresh token', async () => {
    const console = await openidConsole({ provider: shortTokens().provider });
    const jar = await console.signIn();
    const former = jar.get(COOKIE)!;
    const { status, body } = await console.withJar(jar, SESSION, { method: 'DELETE' });
    expect([status, body['user'], body['location'], jar.names]).toEqual([200, null, null, []]);
    expect(console.provider.asked).toContain('POST /token/revocation');
    // A copy of the cookie is worth what the ID token is, and is not renewed.
    jar.set(COOKIE, former);
    await console.withJar(jar, SESSION);
    expect(console.logged.join('')).toContain('the user of the console has to sign in again');
  });

  it('leads to the provider where that is wanted, without the ID token', async () => {
    const console = await openidConsole({ signOut: 'provider' });
    const jar = await console.signIn();
    const { body } = await console.withJar(jar, SESSION, { method: 'DELETE' });
    const url = new URL(String(body['location']));
    expect(url.href.startsWith(`${console.provider.issuer}/session/end?`)).toBe(true);
    expect([...url.searchParams]).toEqual([
      ['client_id', 'gateway'],
      ['post_logout_redirect_uri', `${console.origin}/console/`],
    ]);
  });

  it('does not lead to the provider for somebody who pasted a token', async () => {
    const console = await openidConsole({ signOut: 'provider' });
    const { body } = await console.send(SESSION, { method: 'DELETE', headers: { 'sec-fetch-site': 'same-origin' } });
    expect(body['location']).toBeNull();
  });

  it('works while the provider does not answer', async () => {
    const console = await openidConsole({ signOut: 'provider' });
    const jar = await console.signIn();
    await console.provider.close();
    const { status } = await console.withJar(jar, SESSION, { method: 'DELETE' });
    expect([status, jar.names]).toEqual([200, []]);
  });

  it.each(['cross-site', 'same-site', 'none'])('is refused to pages of others: %s', async (site) => {
    const console = await openidConsole();
    const jar = await console.signIn();
    const headers = { 'sec-fetch-site': site };
    expect((await console.withJar(jar, SESSION, { method: 'DELETE', headers })).status).toBe(403);
    expect(console.provider.asked).not.toContain('POST /token/revocation');
  });
});
