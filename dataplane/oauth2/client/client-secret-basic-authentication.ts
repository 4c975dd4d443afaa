import { z } from 'zod';
import { defineFilter } from '../../heap/definition.ts';
import { basicCredentials } from './basic-credentials.ts';
import { clientSecretFields } from './client-fields.ts';

/** Proves the gateway to an authorization server with its secret in a header. */
export const clientSecretBasicAuthenticationFilter = defineFilter({
  type: 'ClientSecretBasicAuthenticationFilter',
  summary:
    'Authenticates the gateway to an authorization server by `client_secret_basic`: the id and the secret of the client ' +
    'stand in an `Authorization` header of Basic authentication, each written as in a form before (RFC 6749 §2.3.1). ' +
    'A header that the request had is replaced. It belongs in front of the handler that sends requests to the ' +
    'authorization server, such as the `endpointHandler` of a ClientCredentialsOAuth2ClientFilter. The secret is asked ' +
    'for each time, so that a new one is used at once; without it the request ends with 500.',
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
