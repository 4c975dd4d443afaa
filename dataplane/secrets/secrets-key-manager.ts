import type { Logger } from 'pino';
import { z } from 'zod';
import { secretId } from '../../contract/vocabulary/configured.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { defineService } from '../heap/definition.ts';
import type { CryptoKey, TlsKey } from '../heap/objects/secrets.ts';
import { remembered } from './remembered.ts';

/** Keys for TLS out of secrets. */
export const secretsKeyManager = defineService({
  type: 'SecretsKeyManager',
  kind: 'keyManager',
  summary:
    'Provides the private key and the certificates of a secret id for TLS connections. Renewed keys and ' +
    'certificates are used for new connections without a restart.',
  config: z.strictObject({
    signingSecretId: secretId().describe('Id of the private key with its certificates, a CryptoKey that may sign.'),
    secretsProvider: ref('secretsProvider').describe('Provider of the key.'),
  }),
  examples: [
    {
      title: 'A key and its certificates in one PEM file',
      config: {
        signingSecretId: 'server.tls',
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: { directory: '/etc/gatewarden/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
        },
      },
    },
  ],
  create({ signingSecretId, secretsProvider }, { resolve, log }) {
    const provider = resolve(secretsProvider);
    const tlsKeys = remembered((keys: readonly CryptoKey[]): readonly TlsKey[] => {
      const certified = keys.filter(({ certificates }) => certificates.length > 0);
      if (certified.length === 0) throw new Error(`the key '${signingSecretId}' has no certificate`);
      for (const key of certified) noteValidity(key, signingSecretId, log);
      return certified.map(({ key: privateKey, certificates }) => ({ privateKey, certificates }));
    });
    return {
      keys: async () => tlsKeys(await provider.keys('sign', signingSecretId)),
      watch: (listener) => provider.watch(listener),
    };
  },
});

/** Peers will refuse it; whoever looks for the reason finds it here. */
function noteValidity({ certificates: [own] }: CryptoKey, id: string, log: Logger): void {
  const now = new Date();
  if (own === undefined || (own.validFromDate <= now && now <= own.validToDate)) return;
  const when = { validFrom: own.validFrom, validTo: own.validTo };
  log.warn({ secretId: id, ...when }, 'TLS certificate expired or not valid yet');
}
