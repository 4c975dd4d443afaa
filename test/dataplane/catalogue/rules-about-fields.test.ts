import { expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';

const UNKNOWN = { nonsense: 1 };

it.each<[type: string, config: JsonObject, problem: RegExp]>([
  [
    'CorsFilter',
    { policies: [{ acceptedOrigins: '*', allowCredentials: true, ...UNKNOWN }] },
    /allowCredentials: cannot be true/,
  ],
  [
    'FileAttributesFilter',
    { file: '/a.csv', header: false, key: 'a', value: 'b', target: '${attributes.a}', ...UNKNOWN },
    /fields: is required/,
  ],
  [
    'FileAttributesFilter',
    { file: '/a.csv', fields: ['b'], key: 'a', value: 'b', target: '${attributes.a}', ...UNKNOWN },
    /key: must be one of/,
  ],
  [
    'EntityExtractFilter',
    {
      messageType: 'REQUEST',
      target: '${attributes.a}',
      bindings: [{ key: 'a', pattern: 'x', template: '$7', ...UNKNOWN }],
    },
    /template: /,
  ],
  ['CookieFilter', { managed: ['a'], relayed: ['A'], ...UNKNOWN }, /relayed\[0\]: 'A' cannot be both/],
  ['FragmentFilter', { cookie: { sameSite: 'NONE', secure: false, ...UNKNOWN } }, /secure: must be true/],
  [
    'StaticRequestFilter',
    { method: 'POST', uri: 'http://a.test', entity: 'a', form: { b: ['c'] }, ...UNKNOWN },
    /entity: 'form' and 'entity' cannot be given together/,
  ],
  [
    'JwtSession',
    { cookie: { name: '__Host-a', domain: 'a.test', secure: true, ...UNKNOWN } },
    /domain: must be left out/,
  ],
  [
    'AuthorizationCodeOAuth2ClientFilter',
    { registrations: [], ...UNKNOWN },
    /registrations: must contain at least one/,
  ],
  [
    'AuthorizationCodeOAuth2ClientFilter',
    { registrations: 'none', tokenEndpointAuthMethod: 'private_key_jwt' },
    /discoverySecretId: is required/,
  ],
  [
    'CircuitBreakerFilter',
    { maxFailures: 5, openDuration: '1 s', slidingCounter: { size: 2 }, ...UNKNOWN },
    /slidingCounter\.size: must be greater/,
  ],
  ['ServerTlsOptions', { clientAuth: 'REQUIRED', ...UNKNOWN }, /trustManager: is required/],
  [
    'ClientTlsOptions',
    { sslCipherSuites: ['TLS_AES_128_GCM_SHA256'], sslEnabledProtocols: ['TLSv1.2'], ...UNKNOWN },
    /sslCipherSuites: none of these/,
  ],
  ['HttpBasicAuthenticationClientFilter', { username: 'a:b', ...UNKNOWN }, /username: must hold no colon/],
  [
    'JwtBuilderFilter',
    { template: {}, signature: { secretId: 'a', encryption: {} }, encryption: {}, ...UNKNOWN },
    /nonsense/,
  ],
  [
    'ReverseProxyHandler',
    { proxy: { uri: 'http://a.test', username: 'a', ...UNKNOWN } },
    /passwordSecretId: is required/,
  ],
  ['StatelessAccessTokenResolver', { issuer: 'not a url', ...UNKNOWN }, /issuer: .*without a 'secretsProvider'/],
  [
    'ClientRegistration',
    { clientId: 'a', tokenEndpointAuthMethod: 'private_key_jwt', ...UNKNOWN },
    /privateKeyJwtSecretId: is required/,
  ],
  ['Issuer', { ...UNKNOWN }, /one of 'issuer', 'wellKnownEndpoint'/],
  [
    'ClientCredentialsOAuth2ClientFilter',
    { handler: 'ClientHandler', endpointHandler: { type: 'ClientHandler' }, ...UNKNOWN },
    /handler: 'endpointHandler' and 'handler' cannot/,
  ],
  ['UriPathRewriteFilter', { mappings: { '/a': '/b', '/%61': '/c', '/d': 1 } }, /is the same path as/],
  [
    'MappedThrottlingPolicy',
    { throttlingRatesMapping: { a: { numberOfRequests: 'x', duration: '1 ns' } } },
    /duration: must be/,
  ],
])('%s tells the breach of a rule beside another problem (%j)', (type, config, problem) => {
  const found = refusals({ type, config });
  expect(found.filter((one) => !problem.test(one))).not.toEqual([]);
  expect(found).toContainEqual(expect.stringMatching(problem));
});
