import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { startAuthorizationServer } from '../../../support/identity/authorization-server.ts';
import { USER } from '../../../support/identity/custom-grants.ts';
import { inlineSecrets } from '../../../support/identity/inline-secrets.ts';
import { startTokenEndpoint } from '../../../support/identity/token-endpoint.ts';

const TYPE = 'ResourceOwnerOAuth2ClientFilter';

function filter(tokenEndpoint: string, config: JsonObject = {}): JsonObject {
  return {
    type: TYPE,
    config: {
      tokenEndpoint,
      username: USER.name,
      passwordSecretId: 'password',
      secretsProvider: inlineSecrets({ password: USER.password }),
      endpointHandler: 'ClientHandler',
      ...config,
    },
  };
}

function authenticating(clientId: string, secret: string): JsonObject {
  const config = { clientId, clientSecretId: 'secret', secretsProvider: inlineSecrets({ secret }) };
  const filters = [{ type: 'ClientSecretBasicAuthenticationFilter', config }];
  return { type: 'Chain', config: { filters, handler: 'ClientHandler' } };
}

const authorizations = (seen: Awaited<ReturnType<typeof startFiltered>>['seen']) =>
  seen.map(({ headers }) => headers.find(([name]) => name === 'authorization')?.[1]);

describe(TYPE, () => {
  it('sends the name, the password and the scopes once, and the token with each request', async () => {
    const endpoint = await startTokenEndpoint((count) => ({
      access_token: `t${count}`,
      token_type: 'Bearer',
      expires_in: 600,
    }));
    const { ask, seen } = await startFiltered([filter(endpoint.url, { scopes: ['a', 'b'] })]);
    for (let at = 0; at < 2; at++)
      expect((await ask('/', { headers: ['Authorization: Basic eA=='] })).status).toBe(200);
    expect(authorizations(seen)).toEqual(['Bearer t0', 'Bearer t0']);
    expect(endpoint.requests.map(({ form }) => [...form])).toEqual([
      [
        ['grant_type', 'password'],
        ['username', USER.name],
        ['password', USER.password],
        ['scope', 'a b'],
      ],
    ]);
  });

  it('gets a token from a real authorization server', async () => {
    const client = { client_id: 'gateway', client_secret: 'the-secret-of-gateway', grant_types: ['password'] };
    const server = await startAuthorizationServer({ clients: [{ ...client, scope: 'read' }] });
    const endpointHandler = authenticating('gateway', client.client_secret);
    const { ask, seen } = await startFiltered([filter(server.endpoints.token, { endpointHandler, scopes: ['read'] })]);
    expect((await ask('/')).status).toBe(200);
    expect(authorizations(seen)[0]).toMatch(/^Bearer .{20,}/);
  });

  it('answers with 502 when the server refuses the password, and shows it to nobody', async () => {
    const client = { client_id: 'gateway', client_secret: 'the-secret-of-gateway', grant_types: ['password'] };
    const server = await startAuthorizationServer({ clients: [client] });
    const endpointHandler = authenticating('gateway', client.client_secret);
    const secretsProvider = inlineSecrets({ password: 'wrong-password' });
    const { ask, seen, logged } = await startFiltered([
      filter(server.endpoints.token, { endpointHandler, secretsProvider }),
    ]);
    const { status, body } = await ask('/');
    expect([status, body, seen]).toEqual([502, '', []]);
    const log = JSON.stringify(logged);
    expect(log).toContain('the token endpoint answered 400 (invalid_grant)');
    expect(log).not.toContain('wrong-password');
  });

  it('reads the password again for each token', async () => {
    const endpoint = await startTokenEndpoint(() => ({ access_token: 't', token_type: 'Bearer', expires_in: 0 }));
    const { ask } = await startFiltered([filter(endpoint.url)]);
    await ask('/');
    await ask('/');
    expect(endpoint.requests.map(({ form }) => form.get('password'))).toEqual([USER.password, USER.password]);
  });

  it.each<[string, JsonObject, string[]]>([
    [
      'nothing',
      {},
      [
        'missing tokenEndpoint: is required',
        'missing username: is required',
        'missing passwordSecretId: is required',
        'missing secretsProvider: is required',
      ],
    ],
    [
      'credentials in the URL, and two scopes in one',
      { ...(filter('https://a:b@as.test/')['config'] as JsonObject), scopes: ['a b'] },
      [
        'value tokenEndpoint: must not contain credentials or a fragment',
        'value scopes[0]: must be one scope: printable ASCII without spaces, quotation marks and backslashes',
      ],
    ],
    [
      'clear text',
      filter('http://as.test/')['config'] as JsonObject,
      ['insecure tokenEndpoint: is not https: the password and tokens travel unencrypted'],
    ],
  ])('reports %s', (_, config, problems) => {
    const found = problemsOf(TYPE, config).filter((problem) => !problem.includes('secretsProvider.config'));
    expect(found).toEqual(problems);
  });
});
