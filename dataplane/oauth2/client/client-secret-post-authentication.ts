import { z } from 'zod';
import { defineFilter } from '../../heap/definition.ts';
import { clientSecretFields } from './client-fields.ts';
import { tellClient } from './client-form.ts';

/** Proves the gateway to an authorization server with its secret in the form. */
export const clientSecretPostAuthenticationFilter = defineFilter({
  type: 'ClientSecretPostAuthenticationFilter',
  summary:
    'Authenticates the gateway to an authorization server by `client_secret_post`: the id and the secret of the client ' +
    'are the fields `client_id` and `client_secret` of the form that is sent (RFC 6749 §2.3.1). Other credentials of a ' +
    'client in the form, and an `Authorization` header, are taken out. It belongs in front of the handler that sends ' +
    'requests to the authorization server. The secret is asked for each time; without it, and for anything but a POST ' +
    'of a form of at most 1 MiB, the request is refused.',
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
