import { z } from 'zod';
import { ValueProblem } from '../../contract/problem.ts';
import { Secret } from '../../contract/secret.ts';
import { readConfigured, secretId, wrongType } from '../../contract/vocabulary/configured.ts';
import { leaf } from '../../contract/vocabulary/leaf.ts';
import { defineService } from '../heap/definition.ts';
import { base64Bytes } from './base64-bytes.ts';
import { LeasedStore } from './leased-store.ts';

/** A secret that is written into the document; no message about it says what it is. */
function base64Secret(): z.ZodType<Secret, unknown> {
  return leaf('configuration expression<base64 string>', { type: 'string', minLength: 1 }, (value) =>
    readConfigured(value, (encoded) => {
      if (typeof encoded !== 'string') throw wrongType('a text in base64', encoded);
      const bytes = base64Bytes(encoded);
      if (bytes === null) throw new ValueProblem('value', 'is not base64');
      if (bytes.length === 0) throw new ValueProblem('value', 'must not be empty');
      return new Secret(bytes);
    }),
  );
}

/** Secrets in the document itself. */
export const base64EncodedSecretStore = defineService({
  type: 'Base64EncodedSecretStore',
  kind: 'secretStore',
  summary:
    'Contains secrets in the document itself, in base64. For tests only: anyone who can read the document can ' +
    'read the secrets.',
  config: z.strictObject({
    secrets: z.record(secretId(), base64Secret()).describe('Secrets by their ids.'),
  }),
  examples: [{ title: 'One password', config: { secrets: { 'agent.password': 'cGFzc3dvcmQ=' } } }],
  remarks: () => [
    { at: [], code: 'insecure', message: 'is for tests: anyone who can read the document can read its secrets' },
  ],
  create({ secrets }, { name, log, onClose }) {
    const source = {
      async read(id: string) {
        const bytes = Object.hasOwn(secrets, id) ? secrets[id] : undefined;
        return bytes === undefined ? [] : [{ kind: 'generic' as const, stableId: id, bytes }];
      },
    };
    const store = new LeasedStore({ name, source, lease: Number.POSITIVE_INFINITY, log });
    onClose(() => store.close());
    return store;
  },
});
