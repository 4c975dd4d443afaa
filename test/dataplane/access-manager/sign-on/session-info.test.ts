import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { type SignOnGateway, startSignOn } from '../../../support/access-manager/sign-on-gateway.ts';
import { Browser, type Page } from '../../../support/clients/browser.ts';

const SESSION = '${contexts.amSession.username} ${contexts.amSession.realm} ${contexts.amSession.properties.color}';
const PROPERTIES = '_action=getSessionProperties';

interface Setting extends SignOnGateway {
  ask(token: string): Promise<Page>;
}

async function start(am: AccessManager, service: JsonObject = {}, config: JsonObject = {}): Promise<Setting> {
  const gateway = await startSignOn(am, {
    service,
    filters: [{ type: 'SessionInfoFilter', config: { amService: 'AmService-1', ...config } }],
    user: `${SESSION} \${contexts.amSession.properties.size} \${contexts.amSession.asJsonValue.username}`,
  });
  const ask = (token: string) =>
    new Browser().fetch(`${gateway.app}/a`, { headers: { Cookie: `${am.cookieName}=${token}` } });
  return { ...gateway, ask };
}

const properties = { color: 'red', size: 'XL' };

describe('a SessionInfoFilter', () => {
  it.each(['16.0.5', '7.5.0'])(
    'gives the session and its properties to filters behind it, from %s',
    async (version) => {
      const am = await startAccessManager({ version });
      const { ask } = await start(am);
      const { tokenId } = am.sessions.create('demo', { properties });
      expect((await ask(tokenId)).body).toBe('GET /a for demo / red XL demo');
      expect(am.callsTo(PROPERTIES)).toHaveLength(version === '7.5.0' ? 0 : 1);
    },
  );

  it('gives only the properties that sessionProperties of the AmService names', async () => {
    const am = await startAccessManager();
    const { ask } = await start(am, { sessionProperties: ['color', 'unknown'] });
    const { tokenId } = am.sessions.create('demo', { properties });
    expect((await ask(tokenId)).body).toBe('GET /a for demo / red  demo');
  });

  it('asks nothing twice with the session cache', async () => {
    const am = await startAccessManager();
    const { ask } = await start(am, { sessionCache: { enabled: true } });
    const { tokenId } = am.sessions.create('demo', { properties });
    await ask(tokenId);
    const calls = am.calls.length;
    expect((await ask(tokenId)).body).toBe('GET /a for demo / red XL demo');
    expect(am.calls).toHaveLength(calls);
  });

  it.each([
    ['without a token', '${attributes.nothing}'],
    ['with a token of no session', 'nonsense'],
    ['with an absurd token', 'a b'],
  ])('answers 401 to a request %s', async (_, ssoToken) => {
    const am = await startAccessManager();
    const { ask, seen, finished } = await start(am, {}, { ssoToken });
    expect((await ask(am.sessions.create('demo').tokenId)).status).toBe(401);
    expect(seen).toEqual([]);
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'sign-in-needed' });
  });

  it('answers 500 where the access manager does not give the properties, and logs no token', async () => {
    const am = await startAccessManager();
    am.answer(PROPERTIES, () => ({ status: 500 }));
    const { ask, seen, logged, finished } = await start(am);
    const { tokenId } = am.sessions.create('demo', { properties });
    expect((await ask(tokenId)).status).toBe(500);
    expect(seen).toEqual([]);
    expect(finished.at(-1)?.decision).toMatchObject({ refusal: 'session-unchecked' });
    expect(JSON.stringify(logged)).not.toContain(tokenId);
  });
});
