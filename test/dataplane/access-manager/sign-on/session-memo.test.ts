import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { startSignOn } from '../../../support/access-manager/sign-on-gateway.ts';
import { connections, type OneConnection } from '../../../support/clients/one-connection.ts';

async function start(connect: (port: number) => OneConnection, service: JsonObject = {}, config: JsonObject = {}) {
  const am = await startAccessManager({ version: '7.5.0' });
  const gateway = await startSignOn(am, { service: { sessionCache: { enabled: true }, ...service }, config });
  const client = connect(gateway.port);
  const status = (cookies: string, target = '/a'): Promise<number> => client.status(target, { Cookie: cookies });
  const cookie = (token: string): string => `${am.cookieName}=${token}`;
  const asked = (): number => am.callsTo('_action=getSessionInfo').length;
  return { am, gateway, status, cookie, asked };
}

describe.each(connections)('sessions on one connection of %s', (_, connect) => {
  it('are those of the cookie of each request', async () => {
    const { am, gateway, status, cookie, asked } = await start(connect);
    const [one, other] = ['demo', 'eve'].map((user) => am.sessions.create(user).tokenId) as [string, string];
    const requests: [string, number][] = [
      [cookie(one), 200],
      [cookie(other), 200],
      [`a=b; ${cookie(one)}`, 200],
      [`${cookie(one)}; ${cookie(other)}`, 302],
      [cookie(`${one}x`), 302],
      ['a=b', 302],
    ];
    for (let round = 0; round < 3; round++) {
      for (const [line, expected] of requests) {
        for (let again = 0; again < 3; again++) expect([line, await status(line)]).toEqual([line, expected]);
      }
    }
    const users = gateway.seen.map(({ user }) => user);
    expect(users.slice(0, 9)).toEqual([...Array(3).fill('demo'), ...Array(3).fill('eve'), ...Array(3).fill('demo')]);
    expect(asked()).toBe(2 + 9); // unknown sessions are not cached
  });

  it('end with a logout of the gateway', async () => {
    const { am, status, cookie } = await start(connect, {}, { logoutExpression: "${request.uri.path == '/logout'}" });
    const line = cookie(am.sessions.create('demo').tokenId);
    for (let round = 0; round < 3; round++) expect(await status(line)).toBe(200);
    expect(await status(line, '/logout')).toBe(200);
    expect(await status(line)).toBe(302);
  });

  it('end with their time in the cache', async () => {
    const sessionCache = { enabled: true, maximumTimeToCache: '1 minute' };
    const { am, status, cookie, asked } = await start(connect, { sessionCache });
    const line = cookie(am.sessions.create('demo').tokenId);
    for (let round = 0; round < 3; round++) expect(await status(line)).toBe(200);
    expect(asked()).toBe(1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    try {
      for (let round = 0; round < 3; round++) expect(await status(line)).toBe(200);
      expect(asked()).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('end with an event about them', async () => {
    const { am, status, cookie } = await start(connect, { notifications: { reconnectDelay: '20 milliseconds' } });
    const { tokenId } = am.sessions.create('demo');
    while ((await status(cookie(tokenId))) !== 200); // until it is connected
    for (let round = 0; round < 3; round++) expect(await status(cookie(tokenId))).toBe(200);
    am.sessions.end(tokenId, 'LOGOUT');
    while ((await status(cookie(tokenId))) !== 302);
    expect(await status(cookie(tokenId))).toBe(302);
  });
});
