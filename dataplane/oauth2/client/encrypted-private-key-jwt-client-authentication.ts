import { z } from 'zod';
import { choice, secretId } from '../../../contract/vocabulary/configured.ts';
import { defineFilter } from '../../heap/definition.ts';
import { contentEncryptionAlgorithms, keyManagementAlgorithms } from '../../jose/encryption-algorithm.ts';
import { encryptWithSecrets } from '../../jose/encryption-key.ts';
import { assertionFields, clientAssertion, tellAssertion } from './client-assertion.ts';

/** Proves the gateway to an authorization server with a JWT that it signs and encrypts. */
export const encryptedPrivateKeyJwtClientAuthenticationFilter = defineFilter({
  type: 'EncryptedPrivateKeyJwtClientAuthenticationFilter',
  summary:
    'Authenticates the gateway to an authorization server like a PrivateKeyJwtClientAuthenticationFilter, but ' +
    'encrypts the signed JWT, so that only the authorization server can read it.',
  lendsCredentials: true,
  config: z.strictObject({
    ...assertionFields,
    encryptionSecretId: secretId().describe('Id of the key to encrypt with, a CryptoKey of the authorization server.'),
    encryptionAlgorithm: choice(keyManagementAlgorithms).describe(
      'JWA algorithm of the key management (`alg`); the key must support it.',
    ),
    encryptionMethod: choice(contentEncryptionAlgorithms)
      .default('A128CBC-HS256')
      .describe('JWA algorithm of the content encryption (`enc`).'),
  }),
  examples: [
    {
      title: 'A key of the gateway and one of the authorization server, in PEM files',
      config: {
        clientId: 'gateway',
        tokenEndpoint: 'https://as.example.com/oauth2/access_token',
        signingSecretId: 'client.key',
        encryptionSecretId: 'as.key',
        encryptionAlgorithm: 'RSA-OAEP-256',
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: { directory: '/etc/gatewarden/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
        },
      },
    },
  ],
  create(config, { resolve }) {
    const provider = resolve(config.secretsProvider);
    const terms = {
      secretId: config.encryptionSecretId,
      algorithm: config.encryptionAlgorithm,
      method: config.encryptionMethod,
    };
    return async function sendEncryptedAssertion(exchange, next) {
      const signed = await clientAssertion(config, provider);
      const assertion = await encryptWithSecrets(signed, { cty: 'JWT' }, provider, terms);
      const type = 'EncryptedPrivateKeyJwtClientAuthenticationFilter';
      await tellAssertion(exchange.request, type, config.clientId, assertion);
      return next(exchange);
    };
  },
});
