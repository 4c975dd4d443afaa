import { z } from 'zod';
import { defineFilter } from '../../heap/definition.ts';
import { assertionFields, clientAssertion, tellAssertion } from './client-assertion.ts';

/** Proves the gateway to an authorization server with a JWT that it signs. */
export const privateKeyJwtClientAuthenticationFilter = defineFilter({
  type: 'PrivateKeyJwtClientAuthenticationFilter',
  summary:
    'Authenticates the gateway to an authorization server by `private_key_jwt`: it signs a new JWT for each ' +
    'request (RFC 7523) and sends it in the form, as `client_id`, `client_assertion_type` and ' +
    '`client_assertion`. The JWT contains the client (`iss`, `sub`), the token endpoint (`aud`), its time of ' +
    'issue and expiry (`iat`, `exp`) and a unique id (`jti`); the header names the key by its stable id (`kid`). ' +
    'Other client credentials in the form, and an `Authorization` header, are removed. Put the filter before the ' +
    'handler that sends requests to the authorization server. The key is looked up for each request, so a new ' +
    'key is used at once. A request is rejected if there is no signing key, or if it is not a POST of a form of ' +
    'at most 1 MiB.',
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
