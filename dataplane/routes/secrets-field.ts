import { z } from 'zod';
import { deprecated } from '../../contract/vocabulary/field-notes.ts';
import { ref } from '../../contract/vocabulary/reference.ts';

/** The field `secrets` of routes and of `config.json`. */
export const secretsField = deprecated(
  z.strictObject({
    stores: z.array(ref('secretStore')).default([]).describe('Stores in the order in which they are asked.'),
  }),
  "a SecretsProvider, to which 'secretsProvider' of each object refers",
).describe(
  "Stores for objects of this document and of what is in it that leave out their 'secretsProvider': they ask these " +
    'stores, then those of the documents around.',
);
