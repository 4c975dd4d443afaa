import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { pathText } from '../../../contract/problem.ts';
import { noReach } from '../../../contract/reach.ts';
import { CookieJar } from '../../support/clients/cookie-jar.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { keyFolder } from '../../support/identity/key-folder.ts';
import { sessionRoute, startSessions } from '../../support/state/session-gateway.ts';

const JWT = 'AuthenticatedEncryptedJwtSessionManager';

function keyed(id: string, secrets: Readonly<Record<string, Buffer>>, more: JsonObject = {}): JsonObject {
  const keys = Object.entries(secrets).map(([name, bytes]) => [name, { bytes, algorithm: 'AES' as const }]);
  const secretsProvider = keyFolder(Object.fromEntries(keys));
  return { type: JWT, config: { authenticatedEncryptionSecretId: id, secretsProvider, ...more } };
}

/** What is around a route: a filter that writes the session and shows it once the route has answered. */
function around(session: JsonValue | undefined): JsonObject {
  const watch = {
    type: 'AssignmentFilter',
    config: {
      onRequest: [
        { condition: "${not empty request.queryParams['outer']}", target: '${session.value}', value: 'outer' },
      ],
      onResponse: [
        { target: "${response.headers['X-Outer']}", value: "${empty session.value ? 'none' : session.value}" },
      ],
    },
  };
  const router = { name: '_router', type: 'Router' };
  return {
    handler: { type: 'Chain', config: { filters: [watch], handler: '_router' } },
    heap: [router],
    ...(session !== undefined && { session }),
  };
}

describe('sessions of routes', () => {
  it('sees nothing of the session around it, and shows nothing outside', async () => {
    const outer = { type: JWT, config: { cookie: { name: 'outer' } } };
    const inner = { type: JWT, config: { cookie: { name: 'inner' } } };
    const { visit } = await startSessions({ app: sessionRoute(inner) }, around(outer));
    const jar = new CookieJar();
    expect(await visit('/?outer=1', jar)).toMatchObject({ value: '' });
    expect(jar.names).toEqual(['outer']);
    expect(await visit('/?set=inner', jar)).toMatchObject({ value: 'inner' });
    expect(jar.names).toEqual(['outer', 'inner']);
    expect(await visit('/', jar)).toMatchObject({ value: 'inner', setCookies: [] });
  });

  it('has the session around it where a route names none', async () => {
    const { visit } = await startSessions({ app: sessionRoute(undefined) }, around({ type: JWT }));
    const jar = new CookieJar();
    expect(await visit('/?outer=1', jar)).toMatchObject({ value: 'outer' });
    expect(await visit('/?set=inner', jar)).toMatchObject({ value: 'inner' });
    expect(jar.names).toEqual(['openig-jwt-session']);
  });

  it('is kept by the heap object Session for all routes', async () => {
    const heap = [{ name: 'Session', type: 'JwtSession', config: { cookieName: 'mine' } }];
    const { visit } = await startSessions({ app: sessionRoute(undefined) }, { heap });
    const jar = new CookieJar();
    await visit('/?set=one', jar);
    expect(jar.names).toEqual(['mine']);
    expect((await visit('/', jar)).value).toBe('one');
  });

  it('is shared by routes with the same cookie and key, and only by these', async () => {
    const [key, other] = [randomBytes(32), randomBytes(32)];
    const at = (path: string, session: JsonObject): JsonObject => ({
      ...sessionRoute(session),
      condition: `\${request.uri.path == '${path}'}`,
    });
    const { visit } = await startSessions({
      a: at('/a', keyed('k', { k: key })),
      b: at('/b', keyed('k2', { k2: key })),
      c: at('/c', keyed('k', { k: other })),
    });
    const jar = new CookieJar();
    await visit('/a?set=one', jar);
    expect((await visit('/b', jar)).value).toBe('one');
    const { value, setCookies } = await visit('/c', jar);
    expect([value, setCookies]).toEqual(['', [expect.stringContaining('openig-jwt-session=; ')]]);
  });

  it('lets a route inside use a cookie of the same name as the one around it', async () => {
    const { visit } = await startSessions({ app: sessionRoute({ type: 'InMemorySessionManager' }) });
    const jar = new CookieJar();
    await visit('/?set=one', jar);
    expect(jar.names).toEqual(['IG_SESSIONID']);
    expect((await visit('/', jar)).value).toBe('one');
  });

  it('refuses requests while the keys cannot be read, with a code', async () => {
    const { visit, logged } = await startSessions({ app: sessionRoute(keyed('missing', { k: randomBytes(32) })) });
    const answer = await visit('/');
    expect([answer.status, JSON.parse(answer.body).refusal]).toEqual([500, 'session-keys']);
    expect(logged).toContainEqual(expect.objectContaining({ secretId: 'missing', level: 50 }));
  });

  it('refuses requests when the key does not have the length that the method asks for', async () => {
    const session = keyed('k', { k: randomBytes(32) }, { encryptionMethod: 'A256CBC-HS512' });
    const { visit } = await startSessions({ app: sessionRoute(session) });
    expect(JSON.parse((await visit('/')).body).refusal).toBe('session-keys');
  });

  it('keeps numbers, lists and maps, and refuses what has no JSON form', async () => {
    const filter = (value: string, target = '${session.value}'): JsonValue => ({
      type: 'AssignmentFilter',
      config: { onRequest: [{ target, value }] },
    });
    const show = {
      type: 'AssignmentFilter',
      config: { onResponse: [{ target: "${response.headers['X-Value']}", value: '${toString(session.value)}' }] },
    };
    const list = await startSessions({
      app: sessionRoute({ type: JWT }, [filter("${split('a,b', ',')}"), filter('${2.5}', '${session.value[0]}'), show]),
    });
    expect((await list.visit('/')).value).toBe('[2.5, b]');
    const host = await startSessions({ app: sessionRoute({ type: JWT }, [filter('${request}')]) });
    expect((await host.visit('/')).status).toBe(500);
    expect(JSON.stringify(host.logged)).toContain('session.value has no JSON form');
    const nested = await startSessions({
      app: sessionRoute({ type: JWT }, [
        filter("${split('a,b', ',')}"),
        filter('${request}', '${contexts.session.value[0]}'),
      ]),
    });
    expect(JSON.parse((await nested.visit('/')).body).refusal).toBe('session-value');
  });
});

describe('sessions in memory', () => {
  it('are the default, with a random id in a cookie', async () => {
    const { visit, seen } = await startSessions({ app: sessionRoute(undefined) });
    const jar = new CookieJar();
    expect((await visit('/', jar)).setCookies).toEqual([]);
    expect((await visit('/?set=one', jar)).setCookies).toEqual([
      expect.stringMatching(/^IG_SESSIONID=[\w-]{32}; Path=\/; SameSite=Lax; HttpOnly$/),
    ]);
    expect(await visit('/', jar)).toMatchObject({ value: 'one', setCookies: [] });
    expect(seen).toEqual([[], [], []]);
    expect((await visit('/?clear=1', jar)).setCookies).toEqual([expect.stringContaining('Max-Age=0')]);
  });

  it('never take over an id that a client brings', async () => {
    const { visit, send } = await startSessions({ app: sessionRoute(undefined) });
    const jar = new CookieJar();
    const planted = 'A'.repeat(32);
    jar.set('IG_SESSIONID', planted);
    await visit('/?set=victim', jar);
    expect(jar.get('IG_SESSIONID')).not.toBe(planted);
    expect((await send('/', [`Cookie: IG_SESSIONID=${planted}`])).value).toBe('');
  });

  it('are empty for a request with the ids of two sessions', async () => {
    const { visit, send } = await startSessions({ app: sessionRoute(undefined) });
    const [mine, theirs] = [new CookieJar(), new CookieJar()];
    await visit('/?set=mine', mine);
    await visit('/?set=theirs', theirs);
    const ids = [mine, theirs].map((jar) => `IG_SESSIONID=${jar.get('IG_SESSIONID')}`);
    expect((await send('/', [`Cookie: ${ids.join('; ')}`])).value).toBe('');
    expect((await visit('/', mine)).value).toBe('mine');
  });

  it('refuse a session that there is no room for, and keep those that exist', async () => {
    const session = { type: 'InMemorySessionManager', config: { maximumSessions: 1 } };
    const { visit } = await startSessions({ app: sessionRoute(session) });
    const jar = new CookieJar();
    await visit('/?set=first', jar);
    const refused = await visit('/?set=second');
    expect([refused.status, JSON.parse(refused.body).refusal]).toEqual([503, 'sessions-full']);
    expect((await visit('/', jar)).value).toBe('first');
  });
});

describe('the configuration of sessions', () => {
  const problems = (type: string, config: JsonObject, reach?: typeof noReach): string[] =>
    checkConfigured({ handler: { type: 'WelcomeHandler' }, session: { type, config } }, reach)
      .map(({ code, path, message }) => `${code} ${pathText(path)}: ${message}`)
      .map((text) => text.replace('session.config.', ''));

  it.each<[JsonObject, string]>([
    [
      { authenticatedEncryptionSecretId: 'k' },
      "missing secretsProvider: is required: 'authenticatedEncryptionSecretId' needs it",
    ],
    [{ encryptionMethod: 'A512GCM' }, 'value encryptionMethod: must be one of'],
    [{ sessionTimeout: 'zero' }, 'duration sessionTimeout: must be longer than zero'],
    [{ sessionTimeout: '3651 days' }, 'duration sessionTimeout: must be at most 3650 days'],
    [{ cookie: { name: 'a b' } }, 'value cookie.name: is not the name of a cookie'],
    [{ cookie: { path: 'app' } }, 'value cookie.path: is not a path'],
    [{ cookie: { domain: 'a;b' } }, 'value cookie.domain: is not a domain'],
    [{ cookie: { sameSite: 'NONE' } }, "value cookie.secure: must be true where 'sameSite' is NONE"],
    [{ cookie: { name: '__Secure-a' } }, "value cookie.secure: must be true for the cookie '__Secure-a'"],
    [
      { cookie: { name: '__Host-a', secure: true, path: '/a' } },
      "value cookie.path: must be / for the cookie '__Host-a'",
    ],
    [
      { cookie: { name: '__host-a', secure: true, domain: 'a.b' } },
      'value cookie.domain: must be left out for the cookie',
    ],
    [
      { keystore: 'k' },
      "unavailable-field keystore: cannot be given here: a JWE with RSA1_5 is not safe any more; use 'authenticatedEncryptionSecretId'",
    ],
    [
      { sharedSecret: 's' },
      'unavailable-field sharedSecret: cannot be given here: encryption authenticates the session',
    ],
    [{ cookieName: 'old' }, "deprecated-field cookieName: is deprecated: use 'cookie.name'"],
  ])('%j: %s', (config, problem) => {
    expect(problems('JwtSession', config)).toEqual([expect.stringContaining(problem)]);
  });

  it('refuses a cookie domain of a tenant, which would reach hosts of others', () => {
    for (const type of [JWT, 'InMemorySessionManager']) {
      expect(problems(type, { cookie: { domain: 'example.com' } }, noReach)).toEqual([
        expect.stringContaining('not-allowed cookie.domain: is for operators only'),
      ]);
    }
  });

  it('takes a key of an HMAC for a method with one', async () => {
    const secretsProvider = keyFolder({ k: { bytes: randomBytes(64), algorithm: 'HmacSHA512' } });
    const config = { authenticatedEncryptionSecretId: 'k', secretsProvider, encryptionMethod: 'A256CBC-HS512' };
    const { visit } = await startSessions({ app: sessionRoute({ type: JWT, config }) });
    const jar = new CookieJar();
    await visit('/?set=one', jar);
    expect((await visit('/', jar)).value).toBe('one');
  });
});
