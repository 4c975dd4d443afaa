import { z } from 'zod';
import { choice, flag, secretId } from '../../../contract/vocabulary/configured.ts';
import { needs } from '../../../contract/vocabulary/groups.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import { defineFilter } from '../../heap/definition.ts';
import type { SecretsProvider } from '../../heap/objects/secrets.ts';
import { contentEncryptionAlgorithms, keyManagementAlgorithms } from '../../jose/encryption-algorithm.ts';
import { encryptWithSecrets } from '../../jose/encryption-key.ts';
import { sign } from '../../jose/signature.ts';
import { signatureAlgorithms } from '../../jose/signature-algorithm.ts';
import { claimsOf, jwtTemplate } from './jwt-template.ts';

const encryptionFields = () =>
  z
    .strictObject({
      secretId: secretId().describe('Id of the key to encrypt with, a CryptoKey.'),
      algorithm: choice(keyManagementAlgorithms).describe('Key management algorithm (`alg`).'),
      method: choice(contentEncryptionAlgorithms).describe('Content encryption algorithm (`enc`).'),
    })
    .optional();

/** Makes a JWT out of what is known of a request. */
export const jwtBuilderFilter = defineFilter({
  type: 'JwtBuilderFilter',
  summary:
    'Builds a JWT from data of the request, for instance to tell the application verifiably who the user is: a ' +
    'HeaderFilter after this filter sends `${contexts.jwtBuilder.value}`. The JWT is signed, encrypted, or ' +
    'signed and then encrypted. It is in the context `jwtBuilder`, with the properties `value`, `claims` and ' +
    '`claimsAsJsonValue`. Claims that evaluate to null are left out. Keys are looked up for each request, so new ' +
    'keys are used at once. The request fails with 500 if the template cannot be evaluated, if `exp`, `nbf` or ' +
    '`iat` is not a number, or if there is no key.',
  lendsCredentials: true,
  config: z
    .strictObject({
      template: jwtTemplate().describe(
        'The claims: a map of expressions, or one expression that evaluates to a map. Times are numbers of seconds, ' +
          'such as ${now.plusMinutes(5).epochSeconds}.',
      ),
      secretsProvider: ref('secretsProvider').optional().describe('Provider of the keys.'),
      signature: z
        .strictObject({
          secretId: secretId().describe('Id of the key to sign with, a CryptoKey that may sign.'),
          algorithm: choice(signatureAlgorithms)
            .default('RS256')
            .describe('JWA algorithm of the signature; the key must support it.'),
          includeKeyId: flag().default(true).describe('Whether the header names the key by its stable id (`kid`).'),
          encryption: encryptionFields().describe('The same as `encryption` beside `signature`.'),
        })
        .optional()
        .describe('Signature of the JWT.'),
      encryption: encryptionFields().describe('Encryption of the JWT; a signed JWT is encrypted after signing.'),
    })
    .check(
      needs('signature', 'secretsProvider'),
      needs('encryption', 'secretsProvider'),
      rulesAbout(['signature', 'encryption'], ({ signature, encryption }, add) => {
        if (signature?.encryption === undefined || encryption === undefined) return;
        add(['encryption'], 'cannot be given twice: the signature has an encryption of its own', 'exclusive');
      }),
    ),
  examples: [
    {
      title: 'Tell the application the address of the client',
      config: {
        template: {
          iss: 'gateway',
          address: '${contexts.client.remoteAddress}',
          iat: '${now.epochSeconds}',
          exp: '${now.plusMinutes(1).epochSeconds}',
        },
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: { directory: '/etc/gatewarden/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
        },
        signature: { secretId: 'jwt.signing', algorithm: 'ES256' },
      },
    },
  ],
  remarks({ secretsProvider, signature, encryption }) {
    if (signature !== undefined) return [];
    if (encryption !== undefined) {
      const message = 'makes JWTs without a signature: anyone who knows the encryption key can forge them';
      return [{ at: [], code: 'insecure', message }];
    }
    const insecure = {
      at: [],
      code: 'insecure',
      message: 'makes JWTs without a signature: anyone can forge them',
    } as const;
    if (secretsProvider === undefined) return [insecure];
    const message = 'has no effect: there is neither a signature nor an encryption';
    return [insecure, { at: ['secretsProvider'], code: 'no-effect', message }];
  },
  create({ template, secretsProvider, signature, encryption }, { resolve }) {
    const provider = secretsProvider === undefined ? null : resolve(secretsProvider);
    const terms = signature?.encryption ?? encryption;

    async function built(payload: string): Promise<string> {
      if (provider === null) return unsecured(payload);
      const signed = signature === undefined ? null : await signedBy(provider, signature, payload);
      if (terms === undefined) return signed ?? unsecured(payload);
      const header = signed === null ? { typ: 'JWT' } : { typ: 'JWT', cty: 'JWT' };
      return await encryptWithSecrets(signed ?? payload, header, provider, terms);
    }

    return async function buildJwt(exchange, next) {
      const claims = claimsOf(template, exchange);
      const value = await built(JSON.stringify(claims));
      exchange.setContext('jwtBuilder', { value, claims, claimsAsJsonValue: claims });
      return next(exchange);
    };
  },
});

interface SignatureTerms {
  readonly secretId: string;
  readonly algorithm: string;
  readonly includeKeyId: boolean;
}

async function signedBy(
  provider: SecretsProvider,
  { secretId: id, algorithm, includeKeyId }: SignatureTerms,
  payload: string,
): Promise<string> {
  const key = await provider.key('sign', id);
  return sign({ typ: 'JWT', ...(includeKeyId && { kid: key.stableId }) }, payload, key, algorithm);
}

/** A JWT that nobody vouches for (RFC 7519 §6). */
function unsecured(payload: string): string {
  const parts = [JSON.stringify({ typ: 'JWT', alg: 'none' }), payload];
  return `${parts.map((part) => Buffer.from(part).toString('base64url')).join('.')}.`;
}
