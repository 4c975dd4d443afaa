import { z } from 'zod';
import { defineFilter } from '../../heap/definition.ts';
import { basicCredentials } from './basic-credentials.ts';
import { clientSecretFields } from './client-fields.ts';

/** Proves the gateway to an authorization server with its secret in a header. */
export const clientSecretBasicAuthenticationFilter = defineFilter({
  type: 'ClientSecretBasicAuthenticationFilter',
  summary:
    'Authenticates the gateway to an authorization server by `client_secret_basic`: client id and client secret, ' +
    'each form-encoded, are sent in an `Authorization` header of Basic authentication (RFC 6749 §2.3.1). An ' +
    'existing header is replaced. Put the filter before the handler that sends requests to the authorization ' +
    'server, such as the `endpointHandler` of a ClientCredentialsOAuth2ClientFilter. The secret is looked up for ' +
    'each request, so a new secret is used at once. Without it the request fails with 500.',
  lendsCredentials: true,
  config: z.strictObject(clientSecretFields),
  examples: [
    {
      title: 'A secret in the environment variable CLIENT_SECRET',
      config: {
        clientId: 'gateway',
        clientSecretId: 'client.secret',
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
      },
    },
  ],
  create({ clientId, clientSecretId, secretsProvider }, { resolve }) {
    const provider = resolve(secretsProvider);
    return async function sendClientSecret(exchange, next) {
      const secret = await provider.active(clientSecretId);
      exchange.request.headers.set('Authorization', basicCredentials(clientId, secret, true));
      return next(exchange);
    };
  },
});
