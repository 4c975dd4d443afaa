import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { amServiceFor } from '../../../support/access-manager/sign-on-gateway.ts';
import { signedOnExchange } from '../../../support/access-manager/signed-on-exchange.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { type FilteredGateway, problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';

const USERS = '/json/users/';
const attributes = { mail: ['ada@example.com'], cn: ['Ada'] };

afterEach(() => {
  vi.useRealTimers();
});

async function start(am: AccessManager, config: JsonObject = {}): Promise<FilteredGateway> {
  const service = { type: 'UserProfileService', config: { amService: amServiceFor(am.url), ...config } };
  return startFiltered([
    {
      type: 'UserProfileFilter',
      config: { username: "${request.headers['X-Name'][0]}", userProfileService: service },
    },
    {
      type: 'HeaderFilter',
      config: {
        messageType: 'REQUEST',
        add: {
          'X-Profile': [
            '${contexts.userProfile.username} ${contexts.userProfile.realm} ${contexts.userProfile.asMap.mail[0]} ${contexts.userProfile.rawInfo.cn[0]}',
          ],
        },
      },
    },
  ]);
}

const profileOf = ({ seen }: FilteredGateway) => seen.at(-1)?.headers.find(([name]) => name === 'x-profile')?.[1];
const named = (name: string) => ({ headers: [`X-Name: ${name}`] });

describe('a UserProfileFilter', () => {
  it('gives the profile of a user to filters behind it', async () => {
    const am = await startAccessManager({ users: { ada: { password: 'x', attributes } }, realms: ['/customers'] });
    const gateway = await start(am, { realm: '/customers' });
    expect((await gateway.ask('/a', named('ada'))).status).toBe(200);
    expect(profileOf(gateway)).toBe('ada /customers ada@example.com Ada');
    expect(am.callsTo(USERS)[0]!.url).toBe('/openam/json/realms/root/realms/customers/users/ada');
  });

  it('asks for the attributes that are configured', async () => {
    const am = await startAccessManager({ users: { ada: { password: 'x', attributes } } });
    const gateway = await start(am, { profileAttributes: ['mail', 'a,b'] });
    await gateway.ask('/a', named('ada'));
    expect(profileOf(gateway)).toBe('ada / ada@example.com');
    expect(am.callsTo(USERS)[0]!.query.get('_fields')).toBe('username,realm,mail,a,b');
  });

  it('percent-encodes names', async () => {
    const am = await startAccessManager({ users: { 'ada?_action=x#&@': { password: 'x', attributes } } });
    const gateway = await start(am);
    expect((await gateway.ask('/a', named('ada?_action=x#&@'))).status).toBe(200);
    expect(am.callsTo(USERS)).toHaveLength(1);
  });

  it.each(['..', '.', 'a/b', '../agents/gateway', 'a\\b', 'a%2fb', `${'x'.repeat(1025)}`])(
    'does not ask about the name %j',
    async (name) => {
      const am = await startAccessManager();
      const gateway = await start(am);
      expect((await gateway.ask('/a', named(name))).status).toBe(500);
      expect(am.calls).toEqual([]);
      expect(gateway.seen).toEqual([]);
    },
  );

  it.each<[string, (am: AccessManager) => void]>([
    ['has no such user', () => {}],
    ['answers 500', (am) => void am.answer(USERS, () => ({ status: 500 }))],
    ['answers with a page', (am) => void am.answer(USERS, () => ({ status: 200, body: '<html>' }))],
    ['answers with a list', (am) => void am.answer(USERS, () => ({ status: 200, body: [] }))],
  ])('refuses with 500 where the access manager %s', async (_, spoil) => {
    const am = await startAccessManager();
    spoil(am);
    const gateway = await start(am);
    expect((await gateway.ask('/a', named('ada'))).status).toBe(500);
    expect(gateway.seen).toEqual([]);
    expect(gateway.finished.at(-1)?.decision).toMatchObject({ refusal: 'user-profile' });
  });

  it('refuses with 500 where nobody is named', async () => {
    const am = await startAccessManager();
    const gateway = await start(am);
    expect((await gateway.ask('/a')).status).toBe(500);
    expect(am.calls).toEqual([]);
  });
});

describe('the cache of a UserProfileService', () => {
  it('keeps profiles for its time, each under its own name', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const users = { ada: { password: 'x', attributes }, bob: { password: 'x' } };
    const am = await startAccessManager({ users });
    const gateway = await start(am, { cache: { enabled: true, maximumTimeToCache: '5 minutes' } });
    for (const name of ['ada', 'bob', 'ada', 'bob']) await gateway.ask('/a', named(name));
    expect(profileOf(gateway)).toBe('bob /');
    expect(am.callsTo(USERS)).toHaveLength(2);
    vi.setSystemTime(Date.now() + 300_000);
    await gateway.ask('/a', named('ada'));
    expect(am.callsTo(USERS)).toHaveLength(3);
  });

  it('keeps no failures', async () => {
    const am = await startAccessManager();
    const gateway = await start(am, { cache: { enabled: true } });
    for (let count = 0; count < 2; count++) expect((await gateway.ask('/a', named('ada'))).status).toBe(500);
    expect(am.callsTo(USERS)).toHaveLength(2);
  });
});

it('a profile cannot be changed, because requests share it', async () => {
  const am = await startAccessManager({ users: { ada: { password: 'x', attributes } } });
  const { object } = buildObject('userProfileService', 'UserProfileService', { amService: amServiceFor(am.url) });
  const { asMap, rawInfo } = await object.profile('ada', signedOnExchange());
  expect(asMap['mail']).toEqual(['ada@example.com']);
  for (const part of [asMap, asMap['mail'], rawInfo, rawInfo['cn']]) expect(Object.isFrozen(part)).toBe(true);
});

it('a UserProfileService is refused with a cache without a time limit', () => {
  const service = {
    type: 'UserProfileService',
    config: { amService: amServiceFor('http://am.test'), cache: { maximumTimeToCache: 'unlimited' } },
  };
  const problems = problemsOf('UserProfileFilter', { username: 'x', userProfileService: service });
  expect(problems).toContainEqual(expect.stringContaining('maximumTimeToCache: must not be unlimited'));
});
