import { z } from 'zod';
import { secretId } from '../../contract/vocabulary/configured.ts';
import { needs } from '../../contract/vocabulary/groups.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { defineService } from '../heap/definition.ts';
import { pemSecrets } from './pem-secrets.ts';

/** Keys and certificates in PEM. */
export const pemPropertyFormat = defineService({
  type: 'PemPropertyFormat',
  kind: 'propertyFormat',
  summary:
    'Reads values of a store as PEM: a private key (PKCS#8, PKCS#1 or SEC1, encrypted or not) with its ' +
    'certificates in any order; or trusted certificates, or public keys. Either may come with certificate ' +
    'revocation lists (`X509 CRL`).',
  config: z
    .strictObject({
      decryptionSecretId: secretId().optional().describe('Id of the passphrase of encrypted keys, a GenericSecret.'),
      secretsProvider: ref('secretsProvider').optional().describe('Provider of the passphrase.'),
    })
    .check(needs('decryptionSecretId', 'secretsProvider')),
  examples: [
    { title: 'Keys that are not encrypted', config: {} },
    {
      title: 'A passphrase from the environment',
      config: {
        decryptionSecretId: 'pem.passphrase',
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
      },
    },
  ],
  remarks: ({ decryptionSecretId, secretsProvider }) =>
    decryptionSecretId !== undefined || secretsProvider === undefined
      ? []
      : [{ at: ['secretsProvider'], code: 'no-effect', message: "has no effect: there is no 'decryptionSecretId'" }],
  create({ decryptionSecretId, secretsProvider }, { resolve }) {
    const provider = secretsProvider === undefined ? null : resolve(secretsProvider);
    const passphrase =
      provider === null || decryptionSecretId === undefined ? null : () => provider.active(decryptionSecretId);
    return { decode: (id, value) => pemSecrets(id, Buffer.from(value).toString(), passphrase) };
  },
});
