import { dirname } from 'node:path';
import { z } from 'zod';
import type { Pattern } from '../../contract/pattern/pattern.ts';
import { Secret } from '../../contract/secret.ts';
import { choice, pattern, secretId, text } from '../../contract/vocabulary/configured.ts';
import { deprecated, noEffect } from '../../contract/vocabulary/field-notes.ts';
import { exclusive, oneRequired } from '../../contract/vocabulary/groups.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { errorText } from '../../platform/error-text.ts';
import { defineService, type Parts } from '../heap/definition.ts';
import { type SecretsProvider, type StoredSecret, UnreadableSecret } from '../heap/objects/secrets.ts';
import { autoRefresh, refreshing } from './auto-refresh.ts';
import {
  KeystoreFile,
  type KeystorePassword,
  type OpenKeystore,
  unreadableKeystore,
} from './keystore/keystore-file.ts';
import { keystoreTypes } from './keystore/read-keystore.ts';
import { leaseExpiry, leaseMilliseconds, leaseRemarks } from './lease.ts';
import { LeasedStore, type SecretSource } from './leased-store.ts';
import { storeFile } from './store-path.ts';

const MOST_ALIASES_TOLD = 20;

const mapping = z
  .strictObject({
    secretId: secretId().describe('Id of the secret.'),
    aliases: z
      .array(text())
      .min(1)
      .optional()
      .describe(
        'Aliases; the first one is active. Aliases that the keystore does not have are left out, with a warning.',
      ),
    aliasesMatching: z
      .array(pattern())
      .min(1)
      .optional()
      .describe(
        'Regular expressions that match whole aliases. The matches of each expression are in alphabetical order, ' +
          'after those of the expressions before it. Java stores aliases in lower case.',
      ),
  })
  .check(exclusive('aliases', 'aliasesMatching'), oneRequired('aliases', 'aliasesMatching'));

/** Providers of Java whose keys are in a device, where no file has them. */
const isDevice = (provider: string): boolean => /pkcs11|luna|ncipher|nfast|cloudhsm|cavium/i.test(provider);

type Mapping = z.output<typeof mapping>;

/** Secrets in a keystore of Java or in a PKCS #12 file. */
export const keyStoreSecretStore = defineService({
  type: 'KeyStoreSecretStore',
  kind: 'secretStore',
  summary:
    'Reads secrets from a keystore: private keys with their certificates, trusted certificates, secret keys, and ' +
    'passwords of `keytool -importpass`. Secret ids are mapped to aliases. The first alias is active, all of ' +
    'them are valid in order, and the alias is the stable id. A private key may sign and decrypt and its ' +
    'certificate verify and encrypt, as far as the algorithm allows; secret keys of HMACs sign and verify, those ' +
    'of ciphers encrypt and decrypt, and all others are GenericSecrets. Java is not needed; the file is ' +
    'interpreted as Java does, and unencrypted private keys in PKCS12 are left out, as in Java. If a changed or ' +
    'deleted file cannot be read, the previous content is used until the lease expires.',
  config: z
    .strictObject({
      file: storeFile().describe('Path of the keystore.'),
      storeType: choice(keystoreTypes)
        .default('PKCS12')
        .describe('Type of the keystore. JKS and JCEKS are weakly protected.'),
      storePasswordSecretId: secretId()
        .optional()
        .describe(
          'Id of the password of the keystore, a GenericSecret with only the password. Without it, the integrity of ' +
            'the keystore is not checked.',
        ),
      entryPasswordSecretId: secretId()
        .optional()
        .describe('Id of the password of all entries, by default that of the keystore.'),
      secretsProvider: ref('secretsProvider').describe('Provider of the passwords.'),
      mappings: z
        .array(mapping)
        .min(1)
        .refine((list) => new Set(list.map((one) => one.secretId)).size === list.length, {
          error: 'there are two mappings of one secret id',
        })
        .describe('Aliases by secret id.'),
      leaseExpiry: leaseExpiry(),
      securityProvider: noEffect(
        text().refine((provider) => !isDevice(provider), 'names a device, and keys in devices are not available'),
        'the keystore is read without Java, which has security providers',
      ).describe('Security provider of Java.'),
      autoRefresh: autoRefresh('Detects changes of the keystore or a password.'),
      storePassword: deprecated(secretId(), "'storePasswordSecretId'").describe(
        'The former name of `storePasswordSecretId`.',
      ),
      keyEntryPassword: deprecated(secretId(), "'entryPasswordSecretId'").describe(
        'The former name of `entryPasswordSecretId`.',
      ),
    })
    .check(exclusive('storePasswordSecretId', 'storePassword'), exclusive('entryPasswordSecretId', 'keyEntryPassword')),
  examples: [
    {
      title: 'The active signing key and the previous one',
      config: {
        file: '/etc/gatewarden/keystore.p12',
        storePasswordSecretId: 'keystore.pass',
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: { directory: '/etc/gatewarden/secrets', format: 'PLAIN' },
        },
        mappings: [{ secretId: 'jwt.signing', aliases: ['signing-2', 'signing-1'] }],
      },
    },
    {
      title: 'All CA certificates of a truststore',
      config: {
        file: '/etc/gatewarden/truststore.p12',
        storePasswordSecretId: 'truststore.pass',
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
        mappings: [{ secretId: 'backend.authorities', aliasesMatching: ['.*'] }],
      },
    },
  ],
  remarks: ({ leaseExpiry: lease, storeType }) => [
    ...leaseRemarks(lease),
    ...(storeType === 'PKCS12'
      ? []
      : [{ at: ['storeType'], code: 'insecure' as const, message: `${storeType} is weakly protected: prefer PKCS12` }]),
  ],
  create(config, parts) {
    const { name, log, onClose, plane, resolve } = parts;
    const { file: path, mappings } = config;
    if (plane.reach.readFile(path) === null) throw new Error(unreadableKeystore(path));
    const provider = resolve(config.secretsProvider);
    const storeId = config.storePasswordSecretId ?? config.storePassword;
    const entryId = config.entryPasswordSecretId ?? config.keyEntryPassword ?? storeId;
    const file = new KeystoreFile({
      type: config.storeType,
      path,
      readFile: () => plane.reach.readFile(path),
      passwords: async () => ({ store: await password(provider, storeId), entry: await password(provider, entryId) }),
      opened: (keystore) => noteGaps(keystore, mappings, parts),
      failed: (error) => log.error({ err: error }, 'could not open a keystore'),
    });
    const source = mappedSource(file, mappings, name, path);
    const store = new LeasedStore({ name, source, lease: leaseMilliseconds(config.leaseExpiry), log });
    onClose(() => store.close());
    file.open().catch(() => {}); // what is wrong with it is in the log before the first request
    if (!config.autoRefresh.enabled) return store;
    const refresh = async (): Promise<void> => {
      if (!(await file.isAsBefore())) store.changed();
    };
    const heard = refreshing(config.autoRefresh.executor, dirname(path), refresh, parts);
    onClose(provider.watch(heard));
    return store;
  },
});

async function password(provider: SecretsProvider, id: string | undefined): Promise<KeystorePassword> {
  if (id === undefined) return null;
  try {
    return { id, secret: await provider.active(id) };
  } catch (error) {
    // keystores with the empty password are common, and an empty file is how it is written down
    if (error instanceof UnreadableSecret && error.isEmpty) return { id, secret: new Secret(new Uint8Array()) };
    throw error;
  }
}

function mappedSource(
  file: KeystoreFile,
  mappings: readonly Mapping[],
  store: string,
  path: string,
): Required<SecretSource> {
  const byId = new Map(mappings.map((one) => [one.secretId, one]));
  return {
    async read(id) {
      const found = byId.get(id);
      if (found === undefined) return [];
      try {
        const keystore = await file.open();
        const secrets: (readonly StoredSecret[])[] = [];
        for (const alias of aliasesOf(found, keystore)) secrets.push(await keystore.secrets(alias));
        return secrets.flat();
      } catch (error) {
        throw new UnreadableSecret(id, store, errorText(error));
      }
    },
    absence: (id) =>
      byId.has(id) ? `the keystore '${path}' has none of the aliases of its mapping` : 'no mapping names it',
  };
}

/** The aliases of a mapping, as written there or as the keystore has those that match, each once. */
function aliasesOf({ aliases, aliasesMatching = [] }: Mapping, keystore: OpenKeystore): readonly string[] {
  if (aliases !== undefined) return [...new Set(aliases)];
  return [...new Set(aliasesMatching.flatMap((one) => matching(one, keystore)))];
}

function matching(one: Pattern, { aliases }: OpenKeystore): readonly string[] {
  return aliases.filter((alias) => one.matches(alias));
}

/** Says once for each version of a keystore what it lacks. */
function noteGaps(keystore: OpenKeystore, mappings: readonly Mapping[], { log }: Parts): void {
  for (const note of keystore.notes) log.warn(`unused entry in the keystore: ${note}`);
  for (const { secretId: id, aliases = [], aliasesMatching = [] } of mappings) {
    for (const alias of aliases) {
      if (keystore.has(alias)) continue;
      log.warn({ secretId: id, alias, aliases: someOf(keystore) }, 'keystore has no entry with this alias');
    }
    for (const one of aliasesMatching) {
      if (matching(one, keystore).length > 0) continue;
      const pattern = one.source;
      const message = 'keystore has no entry whose alias (in lower case) matches';
      log.warn({ secretId: id, pattern, aliases: someOf(keystore) }, message);
    }
  }
}

/** Aliases that a keystore has, for whoever looks for the right one. */
function someOf({ aliases }: OpenKeystore): readonly string[] {
  return aliases.slice(0, MOST_ALIASES_TOLD);
}
