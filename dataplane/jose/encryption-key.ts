import { createPublicKey } from 'node:crypto';
import { type CryptoKey, NoSuchSecret, type SecretsProvider } from '../heap/objects/secrets.ts';
import { encrypt } from './compact-jwe.ts';
import { keyManagement } from './encryption-algorithm.ts';

/** How a token is encrypted: the id of the key, `alg` and `enc`. */
export interface EncryptionTerms {
  readonly secretId: string;
  readonly algorithm: string;
  readonly method: string;
}

/** The halves that others have of keys of ours. */
const publicHalves = new WeakMap<CryptoKey, CryptoKey>();

/** A token encrypted with the key to use under a secret id. Rejects when there is none that can do it. */
export async function encryptWithSecrets(
  plaintext: string | Uint8Array,
  header: Readonly<Record<string, unknown>>,
  provider: SecretsProvider,
  { secretId, algorithm, method }: EncryptionTerms,
): Promise<string> {
  const key = await keyToWrite(provider, secretId, algorithm);
  return await encrypt(plaintext, header, key, algorithm, method);
}

async function keyToWrite(provider: SecretsProvider, secretId: string, algorithm: string): Promise<CryptoKey> {
  const usages = keyManagement(algorithm)?.writeUsages ?? [];
  let missing: unknown = new Error(`${algorithm} is not an encryption algorithm for tokens`);
  for (const usage of usages) {
    try {
      return publicHalf(await provider.key(usage, secretId));
    } catch (error) {
      if (!(error instanceof NoSuchSecret)) throw error;
      missing = error;
    }
  }
  throw missing;
}

/** Whoever agrees on a key may have it as a private one; a token is written with the other half. */
function publicHalf(key: CryptoKey): CryptoKey {
  if (key.key.type !== 'private') return key;
  const known = publicHalves.get(key);
  if (known !== undefined) return known;
  const half = { ...key, key: createPublicKey(key.key) };
  publicHalves.set(key, half);
  return half;
}
