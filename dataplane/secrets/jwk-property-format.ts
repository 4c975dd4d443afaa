import { z } from 'zod';
import { defineService } from '../heap/definition.ts';
import { JwkSetReader } from '../jose/jwk-set.ts';

/** Keys as JWKs. */
export const jwkPropertyFormat = defineService({
  type: 'JwkPropertyFormat',
  kind: 'propertyFormat',
  summary:
    'Reads values of a store as a JSON Web Key (RFC 7517) or as a set of them: RSA keys of at least 2048 bits, ' +
    'keys on the curves P-256, P-384, P-521, secp256k1, Ed25519, Ed448, X25519 and X448, ML-DSA keys and ' +
    'symmetric ones. `use`, `key_ops` and `alg` limit what a key may be used for, and its `kid` is its stable ' +
    'id; without one it is the secret id, and for further keys of a set their thumbprint (RFC 7638). Invalid ' +
    'keys of a set are left out, with a warning. Nothing that a key refers to (`x5u`) is fetched.',
  config: z.strictObject({}),
  examples: [{ title: 'With all defaults', config: {} }],
  create(_, { log }) {
    return {
      async decode(id, value) {
        const reader = new JwkSetReader({
          firstId: id,
          skipped: (index, reason) => log.warn({ secretId: id, index, reason }, 'skipped an unusable key of a JWK set'),
        });
        const keys = await reader.setOrKey(value);
        if (keys.length === 0) throw new Error('it has no key that can be used');
        return keys;
      },
    };
  },
});
