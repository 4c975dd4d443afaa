import { z } from 'zod';
import { choice, flag, secretId } from '../../contract/vocabulary/configured.ts';
import { theReading } from '../../contract/vocabulary/reading.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { Response } from '../engine/message/response.ts';
import { defineHandler } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import type { CryptoKey, KeyUsage } from '../heap/objects/secrets.ts';
import { privateJwkOf, publicJwkOf } from '../jose/jwk.ts';
import { isAlgorithmOf, jwkAlgorithms } from '../jose/jwk-usages.ts';

const USAGES = {
  AGREE_KEY: 'agreeKey',
  ENCRYPT: 'encrypt',
  DECRYPT: 'decrypt',
  SIGN: 'sign',
  VERIFY: 'verify',
  WRAP_KEY: 'wrapKey',
  UNWRAP_KEY: 'unwrapKey',
} as const satisfies Record<string, KeyUsage>;
type UsageName = keyof typeof USAGES;

const MAX_AGE_SECONDS = 60;

/** Tenants can refer to providers of the operator, whose keys they must not copy. */
function isAllowed(exposes: boolean): boolean {
  return !exposes || theReading().reach.origin !== 'tenant';
}

/** Publishes keys. */
export const jwkSetHandler = defineHandler({
  type: 'JwkSetHandler',
  summary:
    'Answers GET and HEAD with a JWK set (RFC 7517) of the keys of a secrets provider, for instance the keys ' +
    'with which other services verify signatures of the gateway. The set contains the public half of private ' +
    'keys and no symmetric keys, unless `exposePrivateSecrets` is true (the default in OpenIG). All valid keys ' +
    'are in the set, the active one first, so that keys can be rotated. If the keys cannot be read, the response ' +
    'is 500.',
  config: z.strictObject({
    secretsProvider: ref('secretsProvider').describe('Provider of the keys.'),
    purposes: z
      .array(
        z.strictObject({
          secretId: secretId().describe('Id of the keys, which are CryptoKeys.'),
          keyUsage: choice(Object.keys(USAGES) as UsageName[]).describe('Purpose of the keys.'),
          jwkAlgorithm: choice(jwkAlgorithms)
            .optional()
            .describe('The `alg` of the keys in the set; by default the `alg` of the key itself, if it has one.'),
        }),
      )
      .min(1)
      .describe('Keys in the set.'),
    exposePrivateSecrets: flag()
      .refine(isAllowed, {
        error: 'is for operators only: anyone who reads the set has the private keys',
        params: { code: 'not-allowed' },
      })
      .default(false)
      .describe(
        'Whether private and symmetric keys are published. Anyone who can send requests to this handler can read ' +
          'them.',
      ),
  }),
  examples: [
    {
      title: 'The key that verifies signatures of the gateway',
      config: {
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: { directory: '/etc/gatewarden/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
        },
        purposes: [{ secretId: 'jwt.signing', keyUsage: 'SIGN', jwkAlgorithm: 'RS256' }],
      },
    },
  ],
  remarks: ({ exposePrivateSecrets }) =>
    exposePrivateSecrets
      ? [{ at: ['exposePrivateSecrets'], code: 'insecure', message: 'anyone who gets a response has the private keys' }]
      : [],
  create({ secretsProvider, purposes, exposePrivateSecrets }, parts) {
    const { resolve, log } = parts;
    const denied = denials(parts, ['method-not-served', 'keys-unreadable']);
    const provider = resolve(secretsProvider);
    const shown = purposes.map(({ secretId: id, keyUsage, jwkAlgorithm }) => ({
      id,
      usage: USAGES[keyUsage],
      algorithm: jwkAlgorithm ?? null,
    }));
    let last: { readonly keys: readonly CryptoKey[]; readonly body: Buffer } | null = null;

    async function body(): Promise<Buffer> {
      const found = await Promise.all(shown.map(({ usage, id }) => provider.keys(usage, id)));
      const keys = found.flat();
      if (last?.keys.length === keys.length && last.keys.every((key, at) => key === keys[at])) return last.body;
      const jwks = found.flatMap((list, at) => list.flatMap((key) => jwkOf(key, shown[at]!) ?? []));
      const members = [...new Set(jwks.map((jwk) => JSON.stringify(jwk)))];
      last = { keys, body: Buffer.from(`{"keys":[${members.join(',')}]}`) };
      return last.body;
    }

    function jwkOf(
      key: CryptoKey,
      { id, usage, algorithm }: { id: string; usage: KeyUsage; algorithm: string | null },
    ): Record<string, unknown> | null {
      if (key.key.type === 'secret' && !exposePrivateSecrets) return null;
      if (algorithm !== null && !isAlgorithmOf(algorithm, key.key)) {
        throw new Error(`the key '${key.stableId}' of '${id}' cannot be for ${algorithm}`);
      }
      const narrowed = { ...key, usages: new Set([usage]), algorithm: algorithm ?? key.algorithm };
      return exposePrivateSecrets ? privateJwkOf(narrowed) : publicJwkOf(narrowed);
    }

    return async (exchange) => {
      const { method } = exchange.request;
      if (method !== 'GET' && method !== 'HEAD') {
        const refused = denied.answer(exchange, 'method-not-served');
        refused.headers.append('Allow', 'GET, HEAD');
        return refused;
      }
      let content: Buffer;
      try {
        content = await body();
      } catch (error) {
        log.error({ err: error }, 'could not read the keys of a JWK set');
        return denied.answer(exchange, 'keys-unreadable');
      }
      const response = new Response(200);
      response.headers.append('Content-Type', 'application/jwk-set+json');
      response.headers.append(
        'Cache-Control',
        exposePrivateSecrets ? 'no-store' : `public, max-age=${MAX_AGE_SECONDS}`,
      );
      response.entity.set(content);
      return response;
    };
  },
});
