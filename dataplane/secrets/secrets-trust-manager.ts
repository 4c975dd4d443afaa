import { z } from 'zod';
import { flag, secretId } from '../../contract/vocabulary/configured.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { defineService } from '../heap/definition.ts';
import type { CryptoKey, Trust } from '../heap/objects/secrets.ts';
import { remembered } from './remembered.ts';

/** Trust in what secrets hold. */
export const secretsTrustManager = defineService({
  type: 'SecretsTrustManager',
  kind: 'trustManager',
  summary:
    'Trusts the certificates of a secret id, and certificates that they issued. Changes take effect for new ' +
    'connections without a restart. Revocation is checked with the revocation lists (`X509 CRL`) that are stored ' +
    'with the certificates; nothing is fetched over the network.',
  config: z.strictObject({
    verificationSecretId: secretId().describe('Id of the trusted certificates, CryptoKeys that may verify.'),
    secretsProvider: ref('secretsProvider').describe('Provider of the certificates.'),
    checkRevocation: flag()
      .optional()
      .describe(
        'Whether revoked certificates are rejected. If it is true and there is no revocation list, no certificate is ' +
          'trusted; by default revocation lists are used if there are any.',
      ),
  }),
  examples: [
    {
      title: 'The certificates of a PEM file',
      config: {
        verificationSecretId: 'backend.authorities',
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: { directory: '/etc/gatewarden/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
        },
        checkRevocation: false,
      },
    },
  ],
  create({ verificationSecretId: id, secretsProvider, checkRevocation }, { resolve, log }) {
    const provider = resolve(secretsProvider);
    let hasWarned = false;
    const trustOf = remembered((keys: readonly CryptoKey[]): Trust => {
      const certificates = keys.flatMap(({ certificates: [own] }) => own ?? []);
      if (certificates.length === 0) throw new Error(`there is no certificate to trust under '${id}'`);
      const revocations = [...new Set(keys.flatMap((key) => key.revocations))];
      if (checkRevocation === true && revocations.length === 0) {
        throw new Error(
          `'checkRevocation' is true, and there is no list of revoked certificates (X509 CRL) at '${id}'`,
        );
      }
      if (checkRevocation === undefined && revocations.length === 0 && !hasWarned) {
        hasWarned = true;
        log.warn({ secretId: id }, 'revocation is not checked: no CRL stored with the trusted certificates');
      }
      const check = checkRevocation ?? revocations.length > 0;
      return { certificates, revocations: check ? revocations : [], checkRevocation: check, everything: false };
    });
    return {
      trust: async () => trustOf(await provider.keys('verify', id)),
      watch: (listener) => provider.watch(listener),
    };
  },
});
