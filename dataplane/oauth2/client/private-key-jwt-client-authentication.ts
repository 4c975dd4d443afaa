import { z } from 'zod';
import { defineFilter } from '../../heap/definition.ts';
import { assertionFields, clientAssertion, tellAssertion } from './client-assertion.ts';

/** Proves the gateway to an authorization server with a JWT that it signs. */
export const privateKeyJwtClientAuthenticationFilter = defineFilter({
  type: 'PrivateKeyJwtClientAuthenticationFilter',
  summary:
    'Authenticates the gateway to an authorization server by `private_key_jwt`: with each request it signs a JWT of its ' +
    'own (RFC 7523) and sends it in the form, as `client_id`, `client_assertion_type` and `client_assertion`. The JWT ' +
    'names the client (`iss`, `sub`), the token endpoint (`aud`), when it was made and when it ends (`iat`, `exp`), and ' +
    'has an id that is never used again (`jti`); the header names the key by its stable id (`kid`). Other credentials ' +
    'of a client in the form, and an `Authorization` header, are taken out. It belongs in front of the handler that ' +
    'sends requests to the authorization server. The key is asked for each time, so that a new one is used at once; ' +
    'without one that can sign, and for anything but a POST of a form of at most 1 MiB, the request is refused.',
  lendsCredentials: true,
  config: z.strictObject(assertionFields),
  examples: [
    {
      title: 'A key in a PEM file',
      config: {
        clientId: 'gateway',
        tokenEndpoint: 'https://as.example.com/oauth2/access_token',
        signingSecretId: 'client.key',
        signingAlgorithm: 'ES256',
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: { directory: '/etc/gatewarden/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
        },
      },
    },
  ],
  create(config, { resolve }) {
    const provider = resolve(config.secretsProvider);
    return async function sendAssertion(exchange, next) {
      const assertion = await clientAssertion(config, provider);
      await tellAssertion(exchange.request, 'PrivateKeyJwtClientAuthenticationFilter', config.clientId, assertion);
      return next(exchange);
    };
  },
});
