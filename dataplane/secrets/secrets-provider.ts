import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { defineService } from '../heap/definition.ts';
import { secretsInOrder } from '../heap/objects/secrets-in-order.ts';

/** Asks several stores for secrets. */
export const secretsProvider = defineService({
  type: 'SecretsProvider',
  kind: 'secretsProvider',
  summary:
    'Gives other objects the secrets of one or more stores. What is to be used, such as a password to send or a key to ' +
    'sign with, is that of the first store that has it; what is to be tried, such as keys to verify with, is that of ' +
    'all. When a store cannot be read, the question fails and no later store is asked. Where a SecretsProvider is ' +
    'expected, a store or an array of stores can stand as well.',
  config: z.strictObject({
    stores: z.array(ref('secretStore')).min(1).describe('Stores in the order in which they are asked.'),
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
