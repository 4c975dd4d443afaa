import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { type SignOnGateway, startSignOn } from '../../../support/access-manager/sign-on-gateway.ts';
import { Browser } from '../../../support/clients/browser.ts';

const INFO = '_action=getSessionInfo';
const STRATEGIES = ['NEVER_CLEAR', 'CLEAR_ON_DISCONNECT', 'CLEAR_ON_RECONNECT'] as const;

afterEach(() => {
  vi.useRealTimers();
});

interface Setting extends SignOnGateway {
  readonly am: AccessManager;
  /** Status of the answer to a script with this session. */
  status(token: string): Promise<number>;
  /** Asks until the answer has a status: how long a notification is on its way is not for a test to say. */
  until(token: string, status: number): Promise<void>;
  /** How often the access manager was asked about a session. */
  asked(token: string): number;
  lose(): Promise<void>;
  regain(): Promise<void>;
}

async function start(cache: JsonObject = {}, refusal: number | null = null): Promise<Setting> {
  const am = await startAccessManager({ version: '7.5.0' });
  am.notifications.refusal = refusal;
  const gateway = await startSignOn(am, {
    service: {
      ssoTokenHeader: am.cookieName,
      sessionCache: { enabled: true, ...cache },
      notifications: { reconnectDelay: '20 milliseconds' },
    },
  });
  const status = async (token: string): Promise<number> => {
    const headers = { Cookie: `${am.cookieName}=${token}` };
    return (await new Browser().fetch(`${gateway.app}/a`, { headers })).status;
  };
  const until = async (token: string, wanted: number): Promise<void> => {
    while ((await status(token)) !== wanted);
  };
  const asked = (token: string): number =>
    am.callsTo(INFO).filter(({ headers }) => headers[am.cookieName.toLowerCase()] === token).length;
  const lose = async (): Promise<void> => {
    am.notifications.refusal = 503;
    am.notifications.terminate();
    await until(am.sessions.create('probe').tokenId, 500);
  };
  const regain = async (): Promise<void> => {
    am.notifications.refusal = null;
    await until(am.sessions.create('probe').tokenId, 200);
  };
  if (refusal === null) await until(am.sessions.create('probe').tokenId, 200);
  return { ...gateway, am, status, until, asked, lose, regain };
}

describe('a session event', () => {
  it.each(['LOGOUT', 'DESTROY', 'IDLE_TIMEOUT', 'MAX_TIMEOUT'] as const)(
    'of the type %s has a cached session refused',
    async (type) => {
      const { am, status, until } = await start();
      const { tokenId } = am.sessions.create('demo');
      expect([await status(tokenId), await status(tokenId)]).toEqual([200, 200]);
      am.sessions.end(tokenId, type);
      await until(tokenId, 401);
    },
  );

  it('with the id of a session has it refused, and leaves other sessions cached', async () => {
    const { am, status, until, asked } = await start();
    const [one, other] = [am.sessions.create('demo'), am.sessions.create('demo')];
    for (const { tokenId } of [one, other]) expect(await status(tokenId)).toBe(200);
    am.sessions.forget(one.tokenId);
    am.notifications.push('/agent/session.v2', { sessionuid: one.uid, eventType: 'LOGOUT' });
    await until(one.tokenId, 401);
    expect(await status(other.tokenId)).toBe(200);
    expect(asked(other.tokenId)).toBe(1);
  });

  it('about changed properties has the access manager asked again', async () => {
    const { am, status, asked } = await start();
    const { tokenId } = am.sessions.create('demo');
    await status(tokenId);
    am.sessions.setProperties(tokenId, { a: 'b' });
    while (asked(tokenId) < 2) expect(await status(tokenId)).toBe(200);
  });

  it('about a new session evicts nothing', async () => {
    const { am, status, until, asked } = await start();
    const [one, other] = [am.sessions.create('demo'), am.sessions.create('demo')];
    for (const { tokenId } of [one, other]) await status(tokenId);
    am.notifications.push('/agent/session', { tokenId: one.tokenId, eventType: 'SESSION_CREATION' });
    am.sessions.end(other.tokenId);
    await until(other.tokenId, 401); // events are applied in order
    expect(await status(one.tokenId)).toBe(200);
    expect(asked(one.tokenId)).toBe(1);
  });

  it('keeps an answer out of the cache that was asked for before it', async () => {
    const { am, status, until, asked } = await start();
    const [one, other] = [am.sessions.create('demo'), am.sessions.create('demo')];
    await status(other.tokenId);
    const held = am.hold(INFO);
    const waiting = status(one.tokenId);
    await held.untilWaiting();
    am.notifications.push('/agent/session', { tokenId: one.tokenId, eventType: 'PROPERTY_CHANGED' });
    am.sessions.end(other.tokenId);
    const refused = until(other.tokenId, 401);
    await held.untilWaiting(2); // the event about the other session was applied
    held.release();
    expect(await waiting).toBe(200);
    await refused;
    expect(await status(one.tokenId)).toBe(200);
    expect(asked(one.tokenId)).toBe(2);
  });
});

describe.each(STRATEGIES)('with %s the session cache', (onNotificationDisconnection) => {
  const clearsAtOnce = onNotificationDisconnection === 'CLEAR_ON_DISCONNECT';
  const staysFull = onNotificationDisconnection === 'NEVER_CLEAR';

  it('refuses every session before the first connection', async () => {
    const { am, status, regain, finished } = await start({ onNotificationDisconnection }, 503);
    const { tokenId } = am.sessions.create('demo');
    expect([await status(tokenId), await status(tokenId)]).toEqual([500, 500]);
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'session-unchecked' });
    await regain();
    expect(await status(tokenId)).toBe(200);
  });

  it(`${clearsAtOnce ? 'refuses' : 'serves'} cached sessions while disconnected, and refuses others`, async () => {
    const { am, status, lose, asked } = await start({ onNotificationDisconnection });
    const [cached, uncached] = [am.sessions.create('demo'), am.sessions.create('demo')];
    expect(await status(cached.tokenId)).toBe(200);
    await lose();
    expect(await status(cached.tokenId)).toBe(clearsAtOnce ? 500 : 200);
    expect([await status(uncached.tokenId), await status(uncached.tokenId)]).toEqual([500, 500]);
    expect([asked(cached.tokenId), asked(uncached.tokenId)]).toEqual([1, 0]);
  });

  it(`${staysFull ? 'keeps' : 'has forgotten'} its sessions when the connection is back`, async () => {
    const { am, status, lose, regain, asked } = await start({ onNotificationDisconnection });
    const { tokenId } = am.sessions.create('demo');
    await status(tokenId);
    await lose();
    await regain();
    expect([await status(tokenId), await status(tokenId)]).toEqual([200, 200]);
    expect(asked(tokenId)).toBe(staysFull ? 1 : 2);
  });

  it('removes sessions that expire while disconnected', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { am, status, lose } = await start({ onNotificationDisconnection });
    const { tokenId } = am.sessions.create('demo');
    await status(tokenId);
    await lose();
    vi.setSystemTime(Date.now() + 30 * 60_000);
    expect(await status(tokenId)).toBe(500);
  });
});

it('onNotificationDisconnection has no effect on sessions where notifications are disabled', async () => {
  const am = await startAccessManager();
  const { app } = await startSignOn(am, {
    service: { sessionCache: { enabled: true, onNotificationDisconnection: 'CLEAR_ON_DISCONNECT' } },
  });
  const headers = { Cookie: `${am.cookieName}=${am.sessions.create('demo').tokenId}` };
  for (let count = 0; count < 2; count++) expect((await new Browser().fetch(`${app}/a`, { headers })).status).toBe(200);
  expect(am.callsTo(INFO)).toHaveLength(1);
  expect(am.notifications.handshakes).toEqual([]);
});
