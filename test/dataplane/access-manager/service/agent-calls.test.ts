import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { AmService } from '../../../../dataplane/heap/objects/am-service.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { AGENT } from '../../../support/access-manager/am-identities.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { plainExchange } from '../../../support/gateways/plain-exchange.ts';
import { inlineSecrets } from '../../../support/identity/inline-secrets.ts';

const LOG_IN = 'POST /json/authenticate';

function service(am: AccessManager, more: JsonObject = {}, password = AGENT.password) {
  return buildObject('amService', 'AmService', {
    url: am.url,
    agent: { username: AGENT.username, passwordSecretId: 'agent.password' },
    secretsProvider: inlineSecrets({ 'agent.password': password }),
    ...more,
  });
}

function evaluate(object: AmService, realm?: string) {
  const uri = `${object.jsonEndpoint('policies', realm)}?_action=evaluate`;
  return object.call({ method: 'POST', uri, resourceVersion: '2.0', body: { resources: ['http://app.test/'] } }, null);
}

/** Addresses of the calls that arrived, without the base. */
function urls(am: AccessManager): string[] {
  return am.calls.map(({ method, url }) => `${method} ${url.replace('/openam/json', '')}`);
}

it('logs in by the module for agents where the default chain refuses the agent', async () => {
  const am = await startAccessManager();
  const { object } = service(am);
  expect((await evaluate(object)).status).toBe(200);
  expect(urls(am)).toEqual([
    'GET /serverinfo/version',
    'POST /authenticate',
    'POST /authenticate?authIndexType=module&authIndexValue=Application',
    'GET /serverinfo/*',
    'GET /serverinfo/version',
    'POST /realms/root/policies?_action=evaluate',
  ]);
  const { headers } = am.calls.at(-1)!;
  expect(headers).toMatchObject({
    'accept-api-version': 'protocol=1.0,resource=2.0',
    'content-type': 'application/json',
    iplanetdirectorypro: expect.any(String),
  });
});

it('logs in by the tree for agents where there is no module for them', async () => {
  const am = await startAccessManager({ agentLogin: 'service' });
  const { object } = service(am);
  expect((await evaluate(object)).status).toBe(200);
  expect(am.callsTo(LOG_IN)).toHaveLength(3);
});

it('logs in by the default chain alone where that accepts the agent', async () => {
  const am = await startAccessManager();
  am.answer(LOG_IN, () => ({
    status: 200,
    body: { tokenId: am.sessions.create(AGENT.username, { kind: 'agent' }).tokenId },
  }));
  const { object } = service(am);
  expect((await evaluate(object)).status).toBe(200);
  expect(am.callsTo(LOG_IN)).toHaveLength(1);
});

it('uses one log-in for many requests at a time', async () => {
  const am = await startAccessManager();
  const { object } = service(am);
  const held = am.hold(LOG_IN);
  const answers = Promise.all(Array.from({ length: 20 }, () => evaluate(object)));
  await held.untilWaiting();
  held.release();
  expect((await answers).map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(am.callsTo(LOG_IN)).toHaveLength(2);
});

it('logs in once more after a 401 and repeats the request once', async () => {
  const am = await startAccessManager();
  const { object } = service(am);
  await evaluate(object);
  const token = am.calls.at(-1)!.headers['iplanetdirectorypro'] as string;
  am.sessions.end(token);
  am.calls.length = 0;
  expect((await Promise.all([evaluate(object), evaluate(object)])).map(({ status }) => status)).toEqual([200, 200]);
  // the module that worked is tried first
  expect(am.callsTo(LOG_IN)).toHaveLength(1);
  expect(am.callsTo('/json/policies').length).toBeLessThanOrEqual(4);
});

it('returns the second 401 and does not log in for every request that gets one', async () => {
  const am = await startAccessManager();
  const { object } = service(am);
  am.answer('/json/policies', () => ({ status: 401, body: {} }));
  for (let count = 0; count < 5; count++) expect((await evaluate(object)).status).toBe(401);
  expect(am.callsTo('authIndexValue=Application')).toHaveLength(2);
  expect(am.callsTo('/json/policies')).toHaveLength(6);
});

it('delays log-ins after a wrong password, and requests fail at once', async () => {
  const am = await startAccessManager();
  const { object, logged } = service(am, {}, 'wrong');
  for (let count = 0; count < 10; count++) {
    await expect(evaluate(object)).rejects.toMatchObject({ name: 'AgentLoginFailed' });
  }
  expect(am.callsTo(LOG_IN)).toHaveLength(3);
  const lines = logged.filter(({ msg }) => msg === 'the agent cannot log in; requests that need it fail');
  expect(lines).toHaveLength(1);
  expect(JSON.stringify(logged)).not.toContain('wrong');
});

it('stops to wait for a log-in when the client disconnects', async () => {
  const am = await startAccessManager();
  const { object } = service(am);
  const held = am.hold(LOG_IN);
  const exchange = plainExchange();
  const uri = object.jsonEndpoint('policies');
  const answer = object.call({ method: 'GET', uri, resourceVersion: '2.0' }, exchange);
  await held.untilWaiting();
  exchange.call?.cancel();
  await expect(answer).rejects.toMatchObject({ name: 'ParentGone' });
  held.release();
});

it('sends names and passwords with other characters as encoded words', async () => {
  const am = await startAccessManager();
  const { object } = service(am, { agent: { username: 'Größe ☃', passwordSecretId: 'agent.password' } }, 'a\r\nX: y');
  await expect(evaluate(object)).rejects.toThrow('the agent cannot log in');
  const { headers } = am.callsTo(LOG_IN)[0]!;
  expect(headers['x-openam-username']).toBe('=?UTF-8?B?R3LDtsOfZSDimIM=?=');
  expect(headers['x-openam-password']).toBe(`=?UTF-8?B?${Buffer.from('a\r\nX: y').toString('base64')}?=`);
  expect(headers['x']).toBeUndefined();
});

describe('the name of the cookie', () => {
  it('is asked once and used as the header for the token', async () => {
    const am = await startAccessManager({ cookieName: 'amSession' });
    const { object } = service(am);
    await evaluate(object);
    await evaluate(object);
    expect(am.calls.at(-1)!.headers['amsession']).toEqual(expect.any(String));
    expect(am.callsTo('GET /json/serverinfo/*')).toHaveLength(1);
    expect(object.cookieName(null)).toBe('amSession');
  });

  it('is not asked where ssoTokenHeader names it', async () => {
    const am = await startAccessManager();
    const { object } = service(am, { ssoTokenHeader: 'iPlanetDirectoryPro' });
    expect(object.cookieName(null)).toBe('iPlanetDirectoryPro');
    await evaluate(object);
    expect(am.callsTo('GET /json/serverinfo/*')).toHaveLength(0);
  });

  it('rejects with a remedy where the access manager does not tell it', async () => {
    const am = await startAccessManager();
    am.answer('GET /json/serverinfo/*', () => ({ status: 200, body: { cookieName: 'a b' } }));
    const { object } = service(am);
    await expect(object.cookieName(null)).rejects.toThrow("set 'ssoTokenHeader'");
  });
});

describe('the version', () => {
  it('is discovered, and overrides the configured one with a warning', async () => {
    const am = await startAccessManager({ version: '7.5.1' });
    const { object, logged } = service(am, { version: '6.5' });
    expect(await object.version(null)).toEqual({ text: '7.5.1', major: 7, minor: 5 });
    expect(object.version(null)).toEqual({ text: '7.5.1', major: 7, minor: 5 });
    expect(logged).toEqual([expect.objectContaining({ configured: '6.5', discovered: '7.5.1' })]);
  });

  it('is asked as the agent where nobody else may ask', async () => {
    const am = await startAccessManager({ version: '7.5.1' });
    am.answer('/serverinfo/version', ({ headers }) =>
      headers['iplanetdirectorypro'] === undefined ? { status: 401, body: {} } : undefined,
    );
    expect(await service(am).object.version(null)).toMatchObject({ major: 7 });
  });

  it.each([
    ['6.5', { major: 6, minor: 5 }],
    [undefined, { major: 6, minor: 0 }],
  ])('is the configured one (%s) or 6 where the access manager does not tell it', async (version, expected) => {
    const am = await startAccessManager({ version: null });
    const { object } = service(am, version === undefined ? {} : { version });
    expect(await object.version(null)).toMatchObject(expected);
    expect(await object.version(null)).toMatchObject(expected);
    expect(am.callsTo('/serverinfo/version')).toHaveLength(1);
  });

  it.each([
    ['16.0.5', '/realms/root/realms/customers/policies?_action=evaluate'],
    ['7.5.0', '/realms/root/realms/customers/policies?_action=evaluate'],
    ['13.0.0', '/customers/policies?_action=evaluate'],
  ])('%s decides that a realm is addressed as %s', async (version, address) => {
    const am = await startAccessManager({ version, realms: ['/customers'] });
    const { object } = service(am, { ssoTokenHeader: 'iPlanetDirectoryPro' });
    await evaluate(object, '/customers');
    expect(urls(am).at(-1)).toBe(`POST ${address}`);
  });
});

it('finds the log-in of a realm at an access manager that knows only the older form of addresses', async () => {
  const am = await startAccessManager({ version: '13.0.0', realms: ['/customers'] });
  am.answer(/./, ({ url }) => (url.includes('/realms/') ? { status: 404, body: {} } : undefined));
  am.answer('/serverinfo/version', ({ headers }) =>
    headers['iplanetdirectorypro'] === undefined ? { status: 401, body: {} } : undefined,
  );
  const { object } = service(am, { realm: '/customers' });
  await expect(object.version(null)).resolves.toMatchObject({ major: 13 });
});

it.each([
  ['an empty answer', { status: 200, body: '' }],
  ['HTML', { status: 200, body: '<html>' }],
  ['a token that breaks headers', { status: 200, body: { tokenId: 'a\r\nb' } }],
  ['a failure', { status: 503, body: {} }],
])('takes %s for a failed log-in', async (_what, answer) => {
  const am = await startAccessManager();
  am.answer(LOG_IN, () => answer);
  await expect(evaluate(service(am).object)).rejects.toMatchObject({ name: 'AgentLoginFailed' });
});
