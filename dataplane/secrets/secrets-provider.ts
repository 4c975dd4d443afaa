import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { defineService } from '../heap/definition.ts';
import { secretsInOrder } from '../heap/objects/secrets-in-order.ts';

/** Asks several stores for secrets. */
export const secretsProvider = defineService({
  type: 'SecretsProvider',
  kind: 'secretsProvider',
  summary:
    'Provides the secrets of one or more stores. The active secret, such as a password to send or a signing key, ' +
    'comes from the first store that has one. Valid secrets, such as verification keys, come from all stores in ' +
    'order. If a store cannot be read, the lookup fails and later stores are not searched. Instead of a ' +
    'SecretsProvider, a store or an array of stores can be given.',
  config: z.strictObject({
    stores: z.array(ref('secretStore')).min(1).describe('Secret stores, in the order in which they are searched.'),
  }),
  examples: [
    {
      title: 'The environment, then files',
      config: {
        stores: [
          { type: 'SystemAndEnvSecretStore' },
          { type: 'FileSystemSecretStore', config: { directory: '/etc/gatewarden/secrets', format: 'PLAIN' } },
        ],
      },
    },
  ],
  create({ stores }, { resolve }) {
    return secretsInOrder(stores.map(resolve));
  },
});
