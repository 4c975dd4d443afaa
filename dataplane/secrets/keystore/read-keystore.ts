import { MAGIC, readJavaKeystore } from './java-keystore.ts';
import type { KeyEntry, Keystore, RecoveredKey } from './keystore-entry.ts';
import { KeystoreProblem, WrongPassword } from './keystore-problem.ts';
import { readPkcs12 } from './pkcs12.ts';

/** The types of keystores that can be read. */
export const keystoreTypes = ['PKCS12', 'JKS', 'JCEKS'] as const;

export type KeystoreType = (typeof keystoreTypes)[number];

/** The largest keystore, in bytes. The certificates that a system trusts are a quarter of a megabyte. */
export const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Reads a keystore as Java does; keys stay encrypted until somebody wants one. The password is that of the store, null
 * for none. What a file asks for is bounded: its size, depth and number of elements, and the rounds of hashing.
 * @throws WrongPassword, or KeystoreProblem, and nothing else whatever the file holds
 */
export async function readKeystore(type: KeystoreType, bytes: Uint8Array, password: string | null): Promise<Keystore> {
  if (bytes.length > MOST_BYTES) throw new KeystoreProblem(`it is larger than ${MOST_BYTES >> 20} MiB`);
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const found = typeOf(file);
  if (found === null) throw new KeystoreProblem('it is neither a PKCS12 nor a JKS nor a JCEKS file');
  if (found !== type && !(isDual(found) && isDual(type))) {
    throw new KeystoreProblem(`it is a ${found} file, and 'storeType' is ${type}`);
  }
  return own(found === 'PKCS12' ? readPkcs12(file, password) : readJavaKeystore(found, file, password));
}

/** Decrypts a key of a keystore. @throws WrongPassword, or KeystoreProblem */
export function recoverKey(entry: KeyEntry, password: string | null): Promise<RecoveredKey> {
  return own(entry.recover(password));
}

/** Java reads a file of either of these types under the name of the other one. */
function isDual(type: KeystoreType): boolean {
  return type === 'PKCS12' || type === 'JKS';
}

/** What its first bytes say that a file is. */
function typeOf(file: Buffer): KeystoreType | null {
  if (file[0] === 0x30) return 'PKCS12';
  const magic = file.length < 4 ? null : file.readUInt32BE();
  if (magic === MAGIC.JKS) return 'JKS';
  return magic === MAGIC.JCEKS ? 'JCEKS' : null;
}

/** Messages of others may quote what they read. */
async function own<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KeystoreProblem || error instanceof WrongPassword) throw error;
    throw new KeystoreProblem('it is damaged');
  }
}
