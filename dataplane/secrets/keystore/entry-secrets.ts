import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { Secret } from '../../../contract/secret.ts';
import type { CryptoKey, KeyUsage, StoredSecret } from '../../heap/objects/secrets.ts';
import { usagesOf } from '../key-usages.ts';
import { refuseCostlyKey } from './costly-key.ts';
import type { KeystoreEntry, RecoveredKey } from './keystore-entry.ts';
import { KeystoreProblem } from './keystore-problem.ts';
import { recoverKey } from './read-keystore.ts';

const MAC: readonly KeyUsage[] = ['sign', 'verify'];
const CIPHER: readonly KeyUsage[] = ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];
/** What Java calls keys of ciphers. */
const CIPHERS = new Set(['AES', 'DES', 'DESede', 'Blowfish', 'RC2', 'ARCFOUR', 'RC4', 'ChaCha20']);

/** What JWA calls them: a key is for the hash that it was made for. */
const MACS = new Map([
  ['HmacSHA256', 'HS256'],
  ['HmacSHA384', 'HS384'],
  ['HmacSHA512', 'HS512'],
]);

/**
 * The secrets that an entry stands for. A private key comes with its public half, and a certificate is a public key.
 * A secret key of a cipher or of a MAC is a key; one of anything else, such as a password that was put into the
 * keystore, is bytes. @throws KeystoreProblem, or WrongPassword
 */
export async function entrySecrets(
  entry: KeystoreEntry,
  stableId: string,
  password: string | null,
): Promise<readonly StoredSecret[]> {
  const { certificates } = entry;
  if (entry.kind === 'certificate') return [cryptoKey(stableId, publicKeyOf(entry.certificates[0]), certificates)];
  const recovered = await recoverKey(entry, password);
  if (recovered.kind === 'secret') return [secretOf(recovered, stableId)];
  const [privateKey, publicKey] = pairOf(recovered.pkcs8);
  if (certificates[0]?.checkPrivateKey(privateKey) === false) {
    throw new KeystoreProblem('its certificate does not belong to its private key');
  }
  return [cryptoKey(stableId, privateKey, certificates), cryptoKey(stableId, publicKey, certificates)];
}

function cryptoKey(
  stableId: string,
  key: KeyObject,
  certificates: readonly X509Certificate[],
  usages: ReadonlySet<KeyUsage> = usagesOf(key),
  algorithm: string | null = null,
): CryptoKey {
  return { kind: 'key', stableId, key, certificates, usages, algorithm, revocations: [] };
}

function secretOf({ algorithm, bytes }: RecoveredKey & { kind: 'secret' }, stableId: string): StoredSecret {
  if (bytes.length === 0) throw new KeystoreProblem('it is empty');
  const usages = algorithm.startsWith('Hmac') ? MAC : CIPHERS.has(algorithm) ? CIPHER : null;
  if (usages === null) return { kind: 'generic', stableId, bytes: new Secret(bytes) };
  return cryptoKey(stableId, createSecretKey(bytes), [], new Set(usages), MACS.get(algorithm) ?? null);
}

function pairOf(pkcs8: Buffer): readonly [KeyObject, KeyObject] {
  refuseCostlyKey(pkcs8);
  try {
    const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    return [privateKey, createPublicKey(privateKey)];
  } catch {
    throw new KeystoreProblem('its private key is damaged or of an unknown algorithm');
  }
}

function publicKeyOf(certificate: X509Certificate): KeyObject {
  try {
    return certificate.publicKey;
  } catch {
    throw new KeystoreProblem('its certificate has a key of an unknown algorithm');
  }
}
