import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { pathText } from '../../../../contract/problem.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { checkConfigured } from '../../../support/gateways/configured-gateway.ts';

function config(more: JsonObject = {}): JsonObject {
  return {
    url: 'https://am.example.com/openam',
    agent: { username: 'gateway', passwordSecretId: 'agent.password' },
    secretsProvider: { type: 'SystemAndEnvSecretStore' },
    ...more,
  };
}

function problems(more: JsonObject): string[] {
  const heap = [{ name: 'am', type: 'AmService', config: config(more) }];
  const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
  return checkConfigured({ heap, handler }).map(
    ({ severity, code, path, message }) =>
      `${severity} ${code} ${pathText(path).replace('heap[0].config.', '')}: ${message}`,
  );
}

describe('endpoints below /json', () => {
  it.each([
    ['/', undefined, 'https://am.example.com/openam/json/realms/root/policies'],
    ['/a/b', undefined, 'https://am.example.com/openam/json/realms/root/realms/a/realms/b/policies'],
    ['/a', '/', 'https://am.example.com/openam/json/realms/root/policies'],
    ['/', '/c d', 'https://am.example.com/openam/json/realms/root/realms/c%20d/policies'],
  ])('of the realm %s for %s', (realm, other, endpoint) => {
    const { object } = buildObject('amService', 'AmService', config({ realm }));
    expect(object.jsonEndpoint('policies', other)).toBe(endpoint);
  });
});

describe('endpoints of OAuth 2.0', () => {
  it.each([
    ['https://am.example.com/openam', '/', 'https://am.example.com/openam/oauth2/realms/root/introspect'],
    ['https://am.example.com/openam/', '/', 'https://am.example.com/openam/oauth2/realms/root/introspect'],
    ['https://am.example.com', '/', 'https://am.example.com/oauth2/realms/root/introspect'],
    [
      'http://am.example.com:8088/openam',
      '/a',
      'http://am.example.com:8088/openam/oauth2/realms/root/realms/a/introspect',
    ],
    ['https://am/x', 'a', 'https://am/x/oauth2/realms/root/realms/a/introspect'],
    ['https://am/x', '/a/b/', 'https://am/x/oauth2/realms/root/realms/a/realms/b/introspect'],
    ['https://am/x', '/a b', 'https://am/x/oauth2/realms/root/realms/a%20b/introspect'],
  ])('of %s and the realm %s', (url, realm, endpoint) => {
    const { object } = buildObject('amService', 'AmService', config({ url, realm }));
    expect(object.oauth2Endpoint('introspect')).toBe(endpoint);
  });
});

it('gives no warning for disabled features', () => {
  const off = { enabled: false };
  expect(problems({ notifications: off, sessionCache: off, sessionIdleRefresh: off })).toEqual([]);
  expect(problems({ notifications: {} })).toEqual([]);
});

it.each<[JsonObject, string[]]>([
  [
    { notifications: { enabled: 'x', heartbeatInterval: 'zero', initialConnectionAttempts: -2 } },
    [
      "error value notifications.enabled: must be true or false, not 'x'",
      'error value notifications.initialConnectionAttempts: must be at least -1, not -2',
      'error duration notifications.heartbeatInterval: must be longer than zero',
    ],
  ],
  [{ sessionCache: { maximumSize: 0 } }, ['error value sessionCache.maximumSize: must be at least 1, not 0']],
  [
    { sessionCache: { maximumTimeToCache: 'unlimited' } },
    ['error duration sessionCache.maximumTimeToCache: must not be unlimited'],
  ],
  [
    { sessionCache: { onNotificationDisconnection: 'CLEAR' } },
    [
      'error value sessionCache.onNotificationDisconnection: must be one of NEVER_CLEAR, CLEAR_ON_DISCONNECT, ' +
        "CLEAR_ON_RECONNECT, not 'CLEAR'",
    ],
  ],
  [
    { sessionIdleRefresh: { interval: '1 day' } },
    ['error duration sessionIdleRefresh.interval: must be at most 2 hours'],
  ],
  [{ sessionProperties: ['a\nb'] }, ['error value sessionProperties[0]: must hold no control character']],
  [{ ssoTokenHeader: 'a b' }, ['error value ssoTokenHeader: is not the name of a header']],
  [{ ssoTokenHeader: '' }, ['error value ssoTokenHeader: must not be empty']],
  [{ version: 'new' }, ["error value version: is not a version: 'new'"]],
  [{ version: 7 }, ["error value version: must be a version such as '7.5', not a number"]],
  [{ url: 'am.example.com' }, ["error value url: is not an absolute URL: 'am.example.com'"]],
  [{ url: 'ftp://am' }, ['error value url: must have the scheme http or https, not ftp']],
  [{ url: 'https://a:b@am' }, ["error value url: must hold no credentials: use 'agent'"]],
  [{ url: 'https://am/x?y' }, ['error value url: must end with its path']],
  [{ realm: '' }, ["error value realm: is not a realm: ''"]],
  [{ realm: '//' }, ["error value realm: is not a realm: '//'"]],
  [{ realm: '/a//b' }, ["error value realm: is not a realm: '/a//b'"]],
  [{ realm: '/../x' }, ["error value realm: is not a realm: '/../x'"]],
  [
    { notifications: { vertx: { maxWebSocketMessageSize: 2 ** 31 } } },
    ['error value notifications.vertx.maxWebSocketMessageSize: must be at most 16777216: messages are kept in memory'],
  ],
  [{ agent: { username: 'x' } }, ['error missing agent.passwordSecretId: is required']],
  [
    { agent: { username: 'x', passwordSecretId: 'y', password: 'hush' } },
    [
      'error unavailable-field agent.password: cannot be given here: passwords are not allowed in documents: use ' +
        "'passwordSecretId'",
    ],
  ],
])('refuses %j', (more, expected) => {
  expect(problems(more)).toEqual(expected);
});
