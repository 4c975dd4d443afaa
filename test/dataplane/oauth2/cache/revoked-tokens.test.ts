import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { DisconnectionStrategy } from '../../../../dataplane/oauth2/cache/disconnection.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { amDeclaration } from '../../../support/access-manager/policy-gateway.ts';
import { ask } from '../../../support/clients/answers.ts';
import { startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { serveInstance } from '../../../support/gateways/served-instance.ts';

const LOST = 'lost the connection to the notification service, reconnecting';
const CONNECTED = 'connected to the notification service';
const patience = { timeout: 20_000, interval: 10 };

interface Settings {
  readonly strategy?: DisconnectionStrategy;
  /** Fields of the cache. */
  readonly cache?: JsonObject;
  /** Whether a CacheAccessTokenResolver caches, and not the filter. */
  readonly byResolver?: boolean;
  readonly notifications?: JsonObject;
}

/** The filter of a resource that accepts tokens of an access manager. */
function protecting(am: AccessManager, settings: Settings = {}): JsonObject {
  const { strategy, cache = {}, byResolver = false, notifications = {} } = settings;
  const amService = amDeclaration(am, { notifications: { reconnectDelay: '10 milliseconds', ...notifications } });
  const introspecting = {
    type: 'TokenIntrospectionAccessTokenResolver',
    config: { amService, providerHandler: 'ForgeRockClientHandler' },
  };
  const caching = { amService, ...(strategy && { onNotificationDisconnection: strategy }), ...cache };
  const accessTokenResolver = byResolver
    ? { type: 'CacheAccessTokenResolver', config: { delegate: introspecting, ...caching } }
    : introspecting;
  return {
    type: 'OAuth2ResourceServerFilter',
    config: {
      requireHttps: false,
      scopes: ['read'],
      accessTokenResolver,
      ...(!byResolver && { cache: { enabled: true, ...caching } }),
    },
  };
}

/** A gateway in front of which tokens of two grants are sent. */
async function start(settings: Settings = {}) {
  const am = await startAccessManager();
  for (const [token, authGrantId] of Object.entries({ a: 'first', b: 'second', c: 'second', d: 'third' })) {
    am.oauth2.tokens.set(token, { scope: 'read', authGrantId });
  }
  const gateway = await startFiltered([protecting(am, settings)]);
  const use = async (token: string): Promise<number> =>
    (await gateway.ask('/', { headers: [`Authorization: Bearer ${token}`] })).status;
  const logged = (message: string): number => gateway.logged.filter(({ msg }) => msg === message).length;
  return {
    am,
    gateway,
    use,
    /** Uses tokens one after the other. */
    async uses(...tokens: string[]): Promise<number[]> {
      const statuses: number[] = [];
      for (const token of tokens) statuses.push(await use(token));
      return statuses;
    },
    introspections: () => am.callsTo('/oauth2/introspect').length,
    connected: (times = 1) => vi.waitFor(() => expect(logged(CONNECTED)).toBeGreaterThanOrEqual(times), patience),
    /** The connection breaks and cannot be made again. */
    async disconnect(): Promise<void> {
      const before = logged(LOST);
      am.notifications.refusal = 503;
      am.notifications.terminate();
      await vi.waitFor(() => expect(logged(LOST)).toBeGreaterThan(before), patience);
    },
    async reconnect(): Promise<void> {
      const before = logged(CONNECTED);
      am.notifications.refusal = null;
      await vi.waitFor(() => expect(logged(CONNECTED)).toBeGreaterThan(before), patience);
    },
  };
}

describe.each([true, false])('revocations in the cache of a resolver (%s) or a filter', (byResolver) => {
  it('of a grant take effect for all its tokens', async () => {
    const { am, use, uses, connected, introspections } = await start({ byResolver });
    await connected();
    expect(await uses('a', 'b', 'c', 'a', 'b', 'c')).toEqual(Array(6).fill(200));
    expect(introspections()).toBe(3);
    am.revokeGrant('second');
    await vi.waitFor(async () => expect(await use('b')).toBe(401), patience);
    expect(await uses('c', 'a')).toEqual([401, 200]);
    expect(introspections()).toBe(5);
  });

  it('of a token take effect for it alone', async () => {
    const { am, use, uses, connected } = await start({ byResolver });
    await connected();
    await uses('b', 'c');
    am.revokeToken('b');
    await vi.waitFor(async () => expect(await use('b')).toBe(401), patience);
    expect(await use('c')).toBe(200);
  });

  it.each<[DisconnectionStrategy | undefined, number[], number]>([
    // what is used while disconnected: a was cached before, b was not; then how often the access manager is asked again
    ['NEVER_CLEAR', [200, 401], 1],
    ['CLEAR_ON_RECONNECT', [200, 401], 2],
    ['CLEAR_ON_DISCONNECT', [401, 401], 2],
    [undefined, [401, 401], 2],
  ])('that cannot be heard are met with the strategy %s', async (strategy, statuses, asked) => {
    const { uses, connected, disconnect, reconnect, introspections } = await start({
      byResolver,
      ...(strategy && { strategy }),
    });
    await connected();
    expect(await uses('a')).toEqual([200]);
    await disconnect();
    expect(await uses('a', 'b')).toEqual(statuses);
    expect(introspections()).toBe(1);
    await reconnect();
    expect(await uses('a', 'b', 'a', 'b')).toEqual([200, 200, 200, 200]);
    expect(introspections()).toBe(1 + asked);
  });
});

it.each<DisconnectionStrategy>(['NEVER_CLEAR', 'CLEAR_ON_DISCONNECT', 'CLEAR_ON_RECONNECT'])(
  'denies all tokens before the first connection with %s',
  async (strategy) => {
    const am = await startAccessManager();
    am.oauth2.tokens.set('a', { scope: 'read', authGrantId: 'first' });
    am.notifications.refusal = 503;
    const gateway = await startFiltered([protecting(am, { strategy })]);
    const use = () => gateway.ask('/', { headers: ['Authorization: Bearer a'] });
    await am.notifications.untilHandshakes(2);
    const answer = await use();
    expect(answer.status).toBe(401);
    expect(answer.values('www-authenticate')[0]).toContain('error="invalid_token"');
    expect(am.callsTo('/oauth2/introspect')).toEqual([]);
    am.notifications.refusal = null;
    await vi.waitFor(async () => expect((await use()).status).toBe(200), patience);
  },
);

it('removes tokens that expire while no notifications arrive', async () => {
  const cache = { maxTimeout: '1 second' };
  const { uses, connected, disconnect, use } = await start({ strategy: 'NEVER_CLEAR', cache });
  await connected();
  expect(await uses('a')).toEqual([200]);
  await disconnect();
  await vi.waitFor(async () => expect(await use('a')).toBe(401), patience);
});

it('caches without revocations where notifications are disabled, and warns', async () => {
  const settings = { strategy: 'CLEAR_ON_DISCONNECT', notifications: { enabled: false } } as const;
  const { am, uses, gateway } = await start(settings);
  expect(await uses('a', 'a')).toEqual([200, 200]);
  am.revokeGrant('first');
  expect(await uses('a')).toEqual([200]);
  expect(am.notifications.handshakes).toEqual([]);
  const message = 'notifications of the AmService are disabled; revoked tokens stay cached until they expire';
  expect(gateway.logged.filter(({ msg }) => msg === message)).toHaveLength(1);
});

it('goes on after a connection that comes and goes', async () => {
  const { am, use, uses, connected, disconnect, reconnect } = await start();
  await connected();
  for (let round = 0; round < 5; round++) {
    await disconnect();
    expect(await use('a')).toBe(401);
    await reconnect();
    expect(await uses('a', 'a')).toEqual([200, 200]);
  }
  am.revokeGrant('first');
  await vi.waitFor(async () => expect(await use('a')).toBe(401), patience);
});

it('shares log-in and connection between equal services of two routes, and keeps them when a route is edited', async () => {
  const am = await startAccessManager();
  am.oauth2.tokens.set('a', { scope: 'read', authGrantId: 'first' });
  const route = (path: string, more: JsonObject = {}): JsonObject => {
    const filter = protecting(am) as { config: JsonObject };
    return {
      condition: `\${request.uri.path == '${path}'}`,
      handler: {
        type: 'Chain',
        config: {
          filters: [{ ...filter, config: { ...filter.config, ...more } }],
          handler: { type: 'StaticResponseHandler', config: { status: 200 } },
        },
      },
    };
  };
  const instance = await serveInstance({
    'config/routes/one.json': route('/one'),
    'config/routes/two.json': route('/two'),
  });
  onTestFinished(() => instance.close());
  const use = async (path: string): Promise<number> =>
    (
      await ask(
        instance.port,
        `GET ${path} HTTP/1.1\r\nHost: gw.test\r\nAuthorization: Bearer a\r\nConnection: close\r\n\r\n`,
      )
    ).status;
  for (const path of ['/one', '/two']) {
    await vi.waitFor(async () => expect(await use(path)).toBe(200), patience);
  }
  const logIns = am.callsTo('/json/authenticate').length;
  expect(am.callsTo('authIndexValue=Application')).toHaveLength(1);
  expect(am.notifications.handshakes).toEqual([101]);
  await instance.change({ 'config/routes/one.json': route('/one', { realm: 'other' }) });
  expect(await use('/one')).toBe(200);
  await instance.change({ 'config/routes/one.json': null });
  expect(await use('/two')).toBe(200);
  expect(am.callsTo('/json/authenticate')).toHaveLength(logIns);
  expect(am.notifications.handshakes).toEqual([101]);
  am.revokeGrant('first');
  await vi.waitFor(async () => expect(await use('/two')).toBe(401), patience);
});
