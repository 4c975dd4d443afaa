import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { startAuthorizationServer } from '../../../support/identity/authorization-server.ts';
import { inlineSecrets } from '../../../support/identity/inline-secrets.ts';

const TYPE = 'ClientSecretBasicAuthenticationFilter';
const FORM = 'Content-Type: application/x-www-form-urlencoded';

function filter(clientId: string, secret: string) {
  const config = { clientId, clientSecretId: 'secret', secretsProvider: inlineSecrets({ secret }) };
  return { type: TYPE, config };
}

describe(TYPE, () => {
  it('sends form-encoded id and secret, replacing an existing header', async () => {
    const { ask, seen } = await startFiltered([filter('my client:1', 'a+b %&=ä')]);
    await ask('/', { headers: ['Authorization: Basic dGhlaXJz', 'Authorization: Bearer theirs'] });
    const sent = seen[0]!.headers.filter(([name]) => name === 'authorization').map(([, value]) => value);
    const credentials = Buffer.from('my+client%3A1:a%2Bb+%25%26%3D%C3%A4').toString('base64');
    expect(sent).toEqual([`Basic ${credentials}`]);
  });

  it.each([
    ['plain-secret', 'plain-secret', 200],
    ['s p:e%c+i&a=l/~', 's p:e%c+i&a=l/~', 200],
    ['right', 'wrong', 401],
  ])('authenticates to a real server with the secret %s by %s', async (known, sent, status) => {
    const server = await startAuthorizationServer({
      clients: [
        {
          client_id: 'gate way',
          client_secret: known,
          token_endpoint_auth_method: 'client_secret_basic',
          scope: 'read',
        },
      ],
    });
    const handler = { type: 'ReverseProxyHandler', baseURI: server.issuer };
    const { ask } = await startFiltered([filter('gate way', sent)], handler);
    const answer = await ask('/token', { method: 'POST', headers: [FORM], body: 'grant_type=client_credentials' });
    expect([answer.status, answer.body.includes('access_token')]).toEqual([status, status === 200]);
  });

  it('rejects a configuration without its required fields', () => {
    expect(problemsOf(TYPE, { clientId: 'a\tb' })).toEqual([
      'value clientId: must hold no control character',
      'missing clientSecretId: is required',
      'missing secretsProvider: is required',
    ]);
  });
});
