import { z } from 'zod';
import { defineFilter } from '../../heap/definition.ts';
import { clientSecretFields } from './client-fields.ts';
import { tellClient } from './client-form.ts';

/** Proves the gateway to an authorization server with its secret in the form. */
export const clientSecretPostAuthenticationFilter = defineFilter({
  type: 'ClientSecretPostAuthenticationFilter',
  summary:
    'Authenticates the gateway to an authorization server by `client_secret_post`: client id and client secret ' +
    'are sent as the form fields `client_id` and `client_secret` (RFC 6749 §2.3.1). Other client credentials in ' +
    'the form, and an `Authorization` header, are removed. Put the filter before the handler that sends requests ' +
    'to the authorization server. The secret is looked up for each request. A request is rejected if there is no ' +
    'secret, or if it is not a POST of a form of at most 1 MiB.',
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
    return async function postClientSecret(exchange, next) {
      const secret = await provider.active(clientSecretId);
      await tellClient(exchange.request, 'ClientSecretPostAuthenticationFilter', [
        ['client_id', clientId],
        ['client_secret', secret.reveal()],
      ]);
      return next(exchange);
    };
  },
});
