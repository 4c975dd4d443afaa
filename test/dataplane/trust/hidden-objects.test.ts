import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { startTenants, TENANT } from '../../support/gateways/tenant-gateway.ts';
import { inlineSecrets } from '../../support/identity/inline-secrets.ts';

const PASSWORD = 'the password of the operator';
const ok = { type: 'StaticResponseHandler', config: { status: 200, entity: 'ok' } };
const client = { clientId: 'gateway', clientSecretId: 'password', secretsProvider: 'vault' };

/** What an operator's `config.json` holds. */
const HEAP: readonly JsonObject[] = [
  { name: 'ok', ...ok },
  { name: 'vault', ...inlineSecrets({ password: PASSWORD }) },
  { name: 'provider', type: 'SecretsProvider', config: { stores: ['vault'] } },
  { name: 'alias', type: 'Delegate', config: { delegate: 'vault' } },
  { name: 'keys', type: 'SecretsKeyManager', config: { secretsProvider: 'vault', signingSecretId: 'key' } },
  { name: 'tls', type: 'ClientTlsOptions', config: { keyManager: 'keys' } },
  {
    name: 'am',
    type: 'AmService',
    config: {
      url: 'https://am.example.com',
      agent: { username: 'gw', passwordSecretId: 'password' },
      secretsProvider: 'vault',
    },
  },
  { name: 'profiles', type: 'UserProfileService', config: { amService: 'am' } },
  { name: 'basic', type: 'ClientSecretBasicAuthenticationFilter', config: client },
  { name: 'authenticated', type: 'Chain', config: { filters: ['basic'], handler: 'ClientHandler' } },
  { name: 'outer', type: 'Chain', config: { filters: [], handler: 'authenticated' } },
  { name: 'mutual', type: 'ReverseProxyHandler', config: { tls: 'tls' } },
  {
    name: 'resolver',
    type: 'TokenIntrospectionAccessTokenResolver',
    config: { endpoint: 'https://as.example.com/introspect', providerHandler: 'authenticated' },
  },
  { name: 'rs', type: 'OAuth2ResourceServerFilter', config: { scopes: ['read'], accessTokenResolver: 'resolver' } },
  { name: 'trust', type: 'SecretsTrustManager', config: { secretsProvider: 'vault', verificationSecretId: 'ca' } },
];

const chain = (...filters: JsonValue[]): JsonObject => ({
  handler: { type: 'Chain', config: { filters, handler: 'ok' } },
});
const asking = (secretsProvider: JsonValue): JsonObject =>
  chain({
    type: 'HttpBasicAuthenticationClientFilter',
    config: { username: 'me', passwordSecretId: 'password', secretsProvider },
  });

async function problemsOf(document: JsonObject, sharedObjects: readonly string[] = [], base: JsonObject = {}) {
  const routes = { 'shop.a': { tenant: TENANT, document } };
  const { problems } = await startTenants(routes, { base: { heap: HEAP, ...base }, trust: { sharedObjects } });
  return problems.flatMap((one) => one.problems.map(({ code, message }) => `${code}: ${message}`));
}

const absent = (name: string): string => `reference: there is no object '${name}' in this heap or in those around it`;

describe("a tenant's document", () => {
  it.each<[string, string, JsonObject]>([
    ['a store', 'vault', asking('vault')],
    ['a provider', 'provider', asking('provider')],
    ['a stand-in of a store', 'alias', asking('alias')],
    [
      'a key manager',
      'keys',
      {
        handler: {
          type: 'ReverseProxyHandler',
          config: { tls: { type: 'ClientTlsOptions', config: { keyManager: 'keys' } } },
        },
      },
    ],
    ['TLS options with a key', 'tls', { handler: { type: 'ReverseProxyHandler', config: { tls: 'tls' } } }],
    ['a handler with a key', 'mutual', { handler: 'mutual' }],
    [
      'an access manager',
      'am',
      chain({
        type: 'OAuth2ResourceServerFilter',
        config: {
          scopes: ['a'],
          accessTokenResolver: { type: 'TokenIntrospectionAccessTokenResolver', config: { amService: 'am' } },
        },
      }),
    ],
    [
      'a reader of profiles',
      'profiles',
      chain({ type: 'UserProfileFilter', config: { username: 'alice', userProfileService: 'profiles' } }),
    ],
    ['a filter that authenticates', 'basic', chain('basic')],
    ['a chain with such a filter', 'authenticated', { handler: 'authenticated' }],
    ['a chain around it', 'outer', { handler: 'outer' }],
  ])('cannot refer to %s of the operator unless it is shared', async (_what, name, document) => {
    expect(await problemsOf(document)).toContain(absent(name));
    expect(await problemsOf(document, [name])).not.toContain(absent(name));
  });

  it.each<[string, JsonObject]>([
    ['a handler', { handler: 'ok' }],
    ['a filter whose credentials go where the operator said', chain('rs')],
    [
      'a resolver of that kind',
      chain({ type: 'OAuth2ResourceServerFilter', config: { scopes: ['a'], accessTokenResolver: 'resolver' } }),
    ],
    [
      'whom to trust',
      {
        baseURI: 'https://app.example.com',
        handler: {
          type: 'ReverseProxyHandler',
          config: { tls: { type: 'ClientTlsOptions', config: { trustManager: 'trust' } } },
        },
      },
    ],
  ])('can refer to %s', async (_what, document) => {
    expect(await problemsOf(document)).toEqual([]);
  });

  it('gets no suggestions of names that it cannot see', async () => {
    const { problems } = await startTenants(
      { 'shop.a': { tenant: TENANT, document: asking('vaul') } },
      { base: { heap: HEAP } },
    );
    expect(JSON.stringify(problems)).not.toContain("'vault'");
  });

  it('cannot use the secrets.stores of the operator', async () => {
    const { secretsProvider: _none, ...config } = {
      username: 'me',
      passwordSecretId: 'password',
      secretsProvider: null,
    };
    const document = chain({ type: 'HttpBasicAuthenticationClientFilter', config });
    const base = { secrets: { stores: ['vault'] } };
    expect(await problemsOf(document, [], base)).toEqual(['missing: is required']);
    expect(await problemsOf(document, ['vault'], base)).toEqual([]);
  });

  it('cannot use the properties of the operator', async () => {
    const document = { handler: { type: 'StaticResponseHandler', config: { status: 200, entity: '[${secret}]' } } };
    const gateway = await startTenants(
      { 'shop.a': { tenant: TENANT, document } },
      { base: { heap: HEAP, properties: { secret: PASSWORD } } },
    );
    expect((await gateway.get('/')).body).toBe('[]');
  });

  it('may have an object of the same name', async () => {
    const document = { heap: [{ name: 'vault', ...inlineSecrets({ password: 'mine' }) }], ...asking('vault') };
    expect(await problemsOf(document)).toEqual([]);
  });
});
