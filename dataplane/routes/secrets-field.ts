import { z } from 'zod';
import { deprecated } from '../../contract/vocabulary/field-notes.ts';
import { ref } from '../../contract/vocabulary/reference.ts';

/** The field `secrets` of routes and of `config.json`. */
export const secretsField = deprecated(
  z.strictObject({
    stores: z.array(ref('secretStore')).default([]).describe('Secret stores, in the order in which they are searched.'),
  }),
  "a SecretsProvider, to which 'secretsProvider' of each object refers",
).describe(
  "Secret stores for objects without a 'secretsProvider', in this document and the documents in it. These " +
    'stores are searched first, then those of the enclosing documents.',
);
