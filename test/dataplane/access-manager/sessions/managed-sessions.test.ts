import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { Reference } from '../../../../contract/vocabulary/reference.ts';
import { ManagedSessions } from '../../../../dataplane/access-manager/sessions/managed-sessions.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { amServiceFor, type SignOnGateway, startSignOn } from '../../../support/access-manager/sign-on-gateway.ts';
import { signedOnExchange } from '../../../support/access-manager/signed-on-exchange.ts';
import { Browser, type Page } from '../../../support/clients/browser.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { startConfigured } from '../../../support/gateways/configured-gateway.ts';
import { objectParts } from '../../../support/gateways/object-parts.ts';

const INFO = '_action=getSessionInfo';
const REFRESH = '_action=refresh';
const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Setting extends SignOnGateway {
  readonly am: AccessManager;
  /** Asks as a script of a user with this session. */
  ask(token: string, path?: string): Promise<Page>;
}

async function start(service: JsonObject, config: JsonObject = {}): Promise<Setting> {
  const am = await startAccessManager({ version: '7.5.0' });
  const gateway = await startSignOn(am, { service, config });
  const ask = (token: string, path = '/a') =>
    new Browser().fetch(gateway.app + path, { headers: { Cookie: `${am.cookieName}=${token}` } });
  return { ...gateway, am, ask };
}

const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

describe('the session cache', () => {
  it('answers without the access manager, and counts hits and misses', async () => {
    const { am, ask, counted } = await start({ sessionCache: { enabled: true } });
    const { tokenId } = am.sessions.create('demo');
    for (let count = 0; count < 3; count++) expect((await ask(tokenId)).body).toBe('GET /a for demo');
    expect(am.callsTo(INFO)).toHaveLength(1);
    const gets = counted.filter(
      ({ metric, labels }) => metric === 'gw_cache_gets_total' && labels['content'] === 'session',
    );
    expect(gets.map(({ labels }) => labels['result'])).toEqual(['miss', 'hit', 'hit']);
  });

  it('keeps nothing under a token that the access manager may know in another spelling', async () => {
    const { am, ask } = await start({ sessionCache: { enabled: true } });
    const { tokenId } = am.sessions.create('demo');
    const spelled = `%${tokenId.charCodeAt(0).toString(16)}${tokenId.slice(1)}`;
    const info = { username: 'demo', universalId: 'id=demo', realm: '/', sessionHandle: 'h' };
    const ends = new Date(Date.now() + MINUTE).toISOString();
    const body = { ...info, latestAccessTime: ends, maxIdleExpirationTime: ends, maxSessionExpirationTime: ends };
    am.answer(INFO, () => ({ status: 200, body }));
    for (let count = 0; count < 2; count++) expect((await ask(spelled)).status).toBe(200);
    expect(am.callsTo(INFO)).toHaveLength(2);
    for (let count = 0; count < 2; count++) expect((await ask(tokenId)).status).toBe(200);
    expect(am.callsTo(INFO)).toHaveLength(3);
  });

  it('is off by default', async () => {
    const { am, ask } = await start({});
    const { tokenId } = am.sessions.create('demo');
    await ask(tokenId);
    await ask(tokenId);
    expect(am.callsTo(INFO)).toHaveLength(2);
  });

  it('asks once for requests that come at the same time', async () => {
    const { am, ask } = await start({ sessionCache: { enabled: true } });
    const { tokenId } = am.sessions.create('demo');
    const held = am.hold(INFO);
    const asked = [ask(tokenId), ask(tokenId), ask(tokenId)];
    await held.untilWaiting();
    held.release();
    for (const page of await Promise.all(asked)) expect(page.status).toBe(200);
    expect(am.callsTo(INFO)).toHaveLength(1);
  });

  it.each([
    ['the idle time of the session', 2 * 3600_000, 30 * MINUTE],
    ['the session', 10 * MINUTE, 10 * MINUTE],
  ])('keeps no session beyond the end of %s', async (_, lifetime, end) => {
    const { am, ask } = await start({ sessionCache: { enabled: true } });
    const { tokenId } = am.sessions.create('demo', { lifetime });
    await ask(tokenId);
    later(end - 2000);
    expect((await ask(tokenId)).status).toBe(200);
    expect(am.callsTo(INFO)).toHaveLength(1);
    later(2000);
    expect((await ask(tokenId)).status).toBe(401);
    expect(am.callsTo(INFO)).toHaveLength(2);
  });

  it('keeps no session longer than maximumTimeToCache', async () => {
    const { am, ask } = await start({ sessionCache: { enabled: true, maximumTimeToCache: '1 minute' } });
    const { tokenId } = am.sessions.create('demo');
    await ask(tokenId);
    am.sessions.forget(tokenId);
    later(MINUTE - 1);
    expect((await ask(tokenId)).status).toBe(200);
    later(1);
    expect((await ask(tokenId)).status).toBe(401);
  });

  it('keeps a session for a minute where the access manager names no end', async () => {
    const { am, ask } = await start({ sessionCache: { enabled: true }, version: '13' });
    am.version = '13.0.0';
    const { tokenId } = am.sessions.create('demo');
    await ask(tokenId);
    later(MINUTE - 1);
    await ask(tokenId);
    expect(am.callsTo('_action=validate')).toHaveLength(1);
    later(1);
    await ask(tokenId);
    expect(am.callsTo('_action=validate')).toHaveLength(2);
  });

  it('keeps neither invalid sessions nor failures', async () => {
    const { am, ask } = await start({ sessionCache: { enabled: true } });
    expect((await ask('unknown')).status).toBe(401);
    expect((await ask('unknown')).status).toBe(401);
    const { tokenId } = am.sessions.create('demo');
    const heal = am.answer(INFO, () => ({ status: 500 }));
    expect((await ask(tokenId)).status).toBe(500);
    heal();
    expect((await ask(tokenId)).status).toBe(200);
    expect(am.callsTo(INFO)).toHaveLength(4);
  });

  it('keeps at most maximumSize sessions', async () => {
    const { am, ask } = await start({ sessionCache: { enabled: true, maximumSize: 1 } });
    const [one, two] = [am.sessions.create('demo'), am.sessions.create('demo')];
    for (const { tokenId } of [one, two, one]) expect((await ask(tokenId)).status).toBe(200);
    expect(am.callsTo(INFO)).toHaveLength(3);
  });

  it('forgets a session in every route when one of them logs the user out', async () => {
    const am = await startAccessManager();
    const signOn = {
      type: 'SingleSignOnFilter',
      config: { amService: 'AmService-1', logoutExpression: "${request.uri.path == '/out'}" },
    };
    const route = (path: string): JsonObject => ({
      condition: `\${find(request.uri.path, '^${path}')}`,
      heap: [amServiceFor(am.url, { sessionCache: { enabled: true } })],
      handler: {
        type: 'Chain',
        config: { filters: [signOn], handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
      },
    });
    const gateway = await startConfigured({}, { routes: { one: route('/one'), two: route('/(two|out)') } });
    onTestFinished(() => gateway.close());
    const { tokenId } = am.sessions.create('demo');
    const ask = async (path: string): Promise<number> => {
      const headers = { Cookie: `${am.cookieName}=${tokenId}` };
      return (await new Browser().fetch(gateway.url + path, { headers })).status;
    };
    expect([await ask('/one'), await ask('/two'), await ask('/one')]).toEqual([200, 200, 200]);
    expect([await ask('/out'), await ask('/one'), await ask('/two')]).toEqual([200, 401, 401]);
  });
});

it('tells other data planes of a logout where there was a session, and not of made-up tokens', async () => {
  const am = await startAccessManager();
  const { object: service } = buildObject('amService', 'AmService', amServiceFor(am.url)['config']!);
  const announced: unknown[] = [];
  const { parts, close } = objectParts(
    { executor: { repeat: () => () => {}, schedule: () => () => {} } },
    { announce: (entries) => void announced.push(...entries) },
  );
  onTestFinished(close);
  const sessions = new ManagedSessions(
    service,
    {
      sessionCache: {
        enabled: true,
        executor: new Reference('executor', 'x', null),
        maximumSize: 10,
        onNotificationDisconnection: 'NEVER_CLEAR',
      },
    },
    parts,
  );
  for (const token of ['made-up', 'AQIC5']) await sessions.logout(token, signedOnExchange());
  expect(announced).toEqual([]);
  await sessions.logout(am.sessions.create('demo').tokenId, signedOnExchange());
  expect(announced).toEqual([{ key: expect.stringMatching(/^[\w-]{16}$/), at: Date.now() }]);
});

describe('sessionIdleRefresh', () => {
  it('refreshes a session in use once per interval', async () => {
    const service = { sessionCache: { enabled: true }, sessionIdleRefresh: { enabled: true, interval: '5 minutes' } };
    const { am, ask } = await start(service);
    const { tokenId } = am.sessions.create('demo');
    await ask(tokenId);
    later(5 * MINUTE);
    expect(am.callsTo(REFRESH)).toHaveLength(0);
    await Promise.all([ask(tokenId), ask(tokenId), ask(tokenId)]);
    await am.untilCalled(REFRESH);
    expect(am.callsTo(REFRESH)[0]).toMatchObject({ body: JSON.stringify({ tokenId }) });
    later(4 * MINUTE);
    await ask(tokenId);
    expect(am.callsTo(REFRESH)).toHaveLength(1);
    later(MINUTE);
    await ask(tokenId);
    await am.untilCalled(REFRESH, 2);
  });

  it('keeps a session from timing out at the access manager, also without the cache', async () => {
    const { am, ask } = await start({ sessionIdleRefresh: { enabled: true } });
    const { tokenId } = am.sessions.create('demo');
    for (let count = 1; count <= 4; count++) {
      later(20 * MINUTE);
      expect((await ask(tokenId)).status, `after ${count * 20} minutes`).toBe(200);
      await am.untilCalled(REFRESH, count);
    }
  });

  it('is off by default', async () => {
    const { am, ask } = await start({});
    const { tokenId } = am.sessions.create('demo');
    later(20 * MINUTE);
    expect((await ask(tokenId)).status).toBe(200);
    later(20 * MINUTE);
    expect((await ask(tokenId)).status).toBe(401);
    expect(am.callsTo(REFRESH)).toEqual([]);
  });

  it('lets a request pass when a refresh fails, and says so without the token', async () => {
    const { am, ask, logged } = await start({ sessionIdleRefresh: { enabled: true } });
    const { tokenId } = am.sessions.create('demo');
    const warned = new Promise<void>((resolve) => {
      am.answer(REFRESH, () => {
        resolve();
        return { status: 503 };
      });
    });
    later(6 * MINUTE);
    expect((await ask(tokenId)).status).toBe(200);
    await warned;
    await vi.waitFor(() => expect(JSON.stringify(logged)).toContain('idle time of a session could not be refreshed'));
    expect(JSON.stringify(logged)).not.toContain(tokenId);
  });
});
