import { z } from 'zod';
import { allowedNamespaces } from './allowed-namespaces.ts';
import { freeObject, ruled, textOfForm } from './resource-rule.ts';

const OBJECT_NAME = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
const FILE_NAME = '^[-._a-zA-Z0-9]*[-_a-zA-Z0-9][-._a-zA-Z0-9]*$';

interface Item {
  readonly file?: string | undefined;
  readonly secretId?: string | undefined;
}

const item = z
  .strictObject({
    key: textOfForm('^[-._a-zA-Z0-9]+$', 'must be a key of a Secret', 253).describe('Key of the Secret.'),
    file: textOfForm(FILE_NAME, 'must be the name of a file', 253)
      .optional()
      .describe("Name of the file that contains the value; by default the key. Not together with 'secretId'."),
    secretId: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe(
        'Secret id of the value, for a store that contains values itself (Base64EncodedSecretStore). The value is ' +
          'added to `config.secrets`.',
      ),
  })
  .check(
    ruled<Item>(
      {
        rule: '!has(self.file) || !has(self.secretId)',
        message: "'file' and 'secretId' cannot be given together",
        at: 'secretId',
      },
      ({ file, secretId }) => file === undefined || secretId === undefined,
    ),
  );

const secretSource = z.strictObject({
  name: textOfForm(OBJECT_NAME, 'must be the name of a Secret', 253).describe(
    'Name of a Secret of the same namespace that has the label gatewarden.io/secret-store: allowed.',
  ),
  items: z
    .array(item)
    .min(1)
    .max(128)
    .optional()
    .meta({ listType: 'atomic' })
    .describe(
      'Keys of the Secret to use, with their file names or secret ids; by default every key is a file with the ' +
        'name of the key.',
    ),
});

/** Every field of `SecretStore.spec`. */
export const secretStoreSpec = z.strictObject({
  type: z
    .string()
    .min(1)
    .max(253)
    .describe('Type of the store, such as FileSystemSecretStore; see `gatewarden types`.'),
  config: freeObject('object')
    .optional()
    .describe(
      'Configuration of the store; `gatewarden explain TYPE` lists its fields. Its paths refer to the files that ' +
        '`secrets` provides: `file` is the name of one of them, and `directory` may be left out.',
    ),
  secrets: z
    .array(secretSource)
    .max(16)
    .optional()
    .meta({ listType: 'map', listMapKeys: ['name'] })
    .describe('Kubernetes Secrets that provide the files or values of the store.'),
  allowedNamespaces,
});

export type SecretStoreSpec = z.infer<typeof secretStoreSpec>;
