import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { refusals } from '../../../support/gateways/refused-objects.ts';
import { startTenants, TENANT } from '../../../support/gateways/tenant-gateway.ts';
import { inlineSecrets } from '../../../support/identity/inline-secrets.ts';
import { metadata, OPENID_PATH, startMetadataServer } from '../../../support/identity/metadata-server.ts';

const TYPE = 'Issuer';

describe(TYPE, () => {
  it('discovers endpoints by the location of its metadata, and configured ones win', async () => {
    const server = await startMetadataServer({
      [OPENID_PATH]: metadata({ revocation_endpoint: 'http://127.0.0.1/r' }),
    });
    const { object } = buildObject('issuer', TYPE, {
      wellKnownEndpoint: `${server.url}${OPENID_PATH}`,
      tokenEndpoint: 'https://as.test/token?realm=a',
    });
    const found = await object.metadata();
    expect(found).toMatchObject({
      issuer: server.url,
      endpoints: {
        token: 'https://as.test/token?realm=a',
        revocation: 'http://127.0.0.1/r',
        keys: `${server.url}/jwks`,
      },
    });
    expect(await object.metadata()).toBe(found);
    expect(server.asked).toHaveLength(1);
  });

  it('asks nobody where its endpoints are configured', async () => {
    const config = {
      issuer: 'https://as.test',
      authorizeEndpoint: 'https://as.test/a',
      tokenEndpoint: 'https://as.test/t',
      userInfoEndpoint: 'https://as.test/u',
      registrationEndpoint: 'https://as.test/r',
      endSessionEndpoint: 'https://as.test/e',
      revocationEndpoint: 'https://as.test/v',
      idTokenVerificationSecretId: 'keys',
      secretsProvider: inlineSecrets({ keys: 'x' }),
    };
    const { object } = buildObject('issuer', TYPE, config);
    expect(await object.metadata()).toEqual({
      issuer: 'https://as.test',
      endpoints: {
        authorization: 'https://as.test/a',
        token: 'https://as.test/t',
        userInfo: 'https://as.test/u',
        registration: 'https://as.test/r',
        endSession: 'https://as.test/e',
        revocation: 'https://as.test/v',
      },
      certificateEndpoints: {},
      members: {},
    });
    expect(object.keys?.secretId).toBe('keys');
  });

  it('of an operator does not exist for tenants, nor does a registration', async () => {
    const heap = [
      { name: 'login', type: TYPE, config: { issuer: 'https://as.test' } },
      { name: 'client', type: 'ClientRegistration', config: { issuer: 'login', clientId: 'gateway' } },
    ];
    const document = {
      heap: [{ name: 'own', type: 'ClientRegistration', config: { issuer: 'login', clientId: 'a' } }],
      handler: { type: 'StaticResponseHandler', config: { status: 200 } },
    };
    const gateway = await startTenants({ shop: { tenant: TENANT, document } }, { base: { heap } });
    expect(JSON.stringify(gateway.problems)).toContain('login');
    expect((await gateway.get('/')).status).toBe(500);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    [
      'nothing',
      {},
      ["config: one of 'issuer', 'wellKnownEndpoint', or both 'authorizeEndpoint' and 'tokenEndpoint' is required"],
    ],
    [
      'one endpoint alone',
      { tokenEndpoint: 'https://as.test/token' },
      ["config: one of 'issuer', 'wellKnownEndpoint', or both 'authorizeEndpoint' and 'tokenEndpoint' is required"],
    ],
    [
      'a repository, a bad domain and keys without a provider',
      { issuer: 'https://as.test', issuerRepository: 'a', supportedDomains: ['('] },
      [
        expect.stringMatching(/^config\.supportedDomains\[0\]: /) as unknown as string,
        'config.issuerRepository: cannot be given here: registrations name their issuer',
      ],
    ],
    [
      'keys without a provider',
      { issuer: 'https://as.test', idTokenVerificationSecretId: 'a' },
      ["config.secretsProvider: is required: 'idTokenVerificationSecretId' needs it"],
    ],
  ])('refuses %s', (_, config, expected) => {
    expect(refusals({ type: TYPE, config })).toEqual(expected);
  });

  it('warns of every URL without TLS', () => {
    const { problems } = buildObject('issuer', TYPE, { issuer: 'http://as.test', tokenEndpoint: 'http://as.test/t' });
    expect(problems.map(({ code, path }) => `${code} ${path.at(-1)}`)).toEqual([
      'insecure issuer',
      'insecure tokenEndpoint',
    ]);
  });
});
