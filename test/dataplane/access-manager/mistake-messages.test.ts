import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { startAccessManager } from '../../support/access-manager/access-manager.ts';
import { startSignOn } from '../../support/access-manager/sign-on-gateway.ts';
import { Browser } from '../../support/clients/browser.ts';
import { inlineSecrets } from '../../support/identity/inline-secrets.ts';

const policies = (config: JsonObject = {}): JsonObject => ({
  type: 'PolicyEnforcementFilter',
  config: { amService: 'AmService-1', ssoTokenSubject: '${contexts.ssoToken.value}', ...config },
});
const profile = {
  type: 'UserProfileFilter',
  config: {
    username: '${contexts.ssoToken.info.uid}',
    userProfileService: { type: 'UserProfileService', config: { amService: 'AmService-1' } },
  },
};
const sessionInfo = { type: 'SessionInfoFilter', config: { amService: 'AmService-1' } };
const WRONG_PASSWORD = 'not-the-password-of-the-agent';

interface Mistake {
  readonly service?: JsonObject;
  readonly before?: readonly JsonValue[];
  readonly filters?: readonly JsonValue[];
}

it.each<[string, Mistake, string]>([
  [
    'a wrong password of the agent',
    { service: { secretsProvider: inlineSecrets({ agent: WRONG_PASSWORD }) }, filters: [policies()] },
    "check the agent profile, 'agent.username'",
  ],
  ['a misspelt realm of the AmService', { service: { realm: '/custmers' } }, "check 'realm' of the AmService"],
  ['a misspelt realm of policies', { filters: [policies({ pepRealm: '/custmers' })] }, "check 'pepRealm'"],
  ['a misspelt policy set', { filters: [policies({ application: 'ordres' })] }, "and 'application'"],
  [
    'an empty subject',
    { filters: [policies({ ssoTokenSubject: '${contexts.ssoToken.valu}' })] },
    'check their spelling',
  ],
  ['policies before the sign-on', { before: [policies()] }, 'place the filter that signs the user on before'],
  ['a SessionInfoFilter before the sign-on', { before: [sessionInfo] }, 'place a SingleSignOnFilter'],
  ['a UserProfileFilter before the sign-on', { before: [profile] }, 'place the filter that signs the user on before'],
])('the access log names a remedy for %s, and no secret', async (_, mistake, remedy) => {
  const am = await startAccessManager();
  const { app, seen, finished, logged } = await startSignOn(am, mistake);
  const { tokenId } = am.sessions.create('demo');
  const { status } = await new Browser().fetch(`${app}/a`, { headers: { Cookie: `${am.cookieName}=${tokenId}` } });
  expect([401, 500]).toContain(status);
  expect(seen).toEqual([]);
  expect(finished.at(-1)?.decision?.reason).toContain(remedy);
  const all = JSON.stringify([logged, finished.map(({ decision }) => decision)]);
  expect(all).not.toContain(tokenId);
  expect(all).not.toContain(WRONG_PASSWORD);
});

it.each([
  ['without the context path of the access manager', '/opnam', "check 'url' and its context path"],
  ['of a host that does not answer', null, ' at 127.0.0.1:1'],
])('the access log names a remedy for a URL %s', async (_, path, remedy) => {
  const am = await startAccessManager();
  am.answer(/opnam/, () => ({ status: 404, body: {} }));
  const url = path === null ? 'http://127.0.0.1:1/openam' : new URL(path, am.url).href;
  const { app, finished } = await startSignOn({ url });
  expect((await new Browser().fetch(`${app}/a`)).status).toBe(500);
  expect(finished.at(-1)?.decision?.reason).toContain(remedy);
});

it('the access log names the cause where notifications cannot be received', async () => {
  const am = await startAccessManager();
  const blocked = { type: 'CustomProxyOptions', config: { uri: 'http://127.0.0.1:1' } };
  const service = { sessionCache: { enabled: true }, notifications: { proxyOptions: blocked } };
  const { app, finished } = await startSignOn(am, { service });
  const { tokenId } = am.sessions.create('demo');
  await new Browser().fetch(`${app}/a`, { headers: { Cookie: `${am.cookieName}=${tokenId}` } });
  expect(finished.at(-1)?.decision).toMatchObject({
    refusal: 'session-unchecked',
    reason: expect.stringContaining('no connection to the notification service of the access manager'),
  });
});
