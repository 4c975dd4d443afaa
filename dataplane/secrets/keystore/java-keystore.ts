import { createHash, timingSafeEqual, type X509Certificate } from 'node:crypto';
import { elementCount } from './ber.ts';
import { BoundedWork } from './bounded-work.ts';
import { ByteReader } from './byte-reader.ts';
import { recoverPrivateKey, utf16 } from './java-key-protection.ts';
import type { Keystore, KeystoreEntry } from './keystore-entry.ts';
import { damaged, KeystoreProblem, WrongPassword } from './keystore-problem.ts';
import type { Limits } from './password-encryption.ts';
import { certificateOf } from './pkcs12-bags.ts';
import { readSealedKey } from './sealed-secret-key.ts';

/** How files of both types begin. */
export const MAGIC = { JKS: 0xfeedfeed, JCEKS: 0xcececece } as const;

const DIGEST_SIZE = 20;
const WHITENER = 'Mighty Aphrodite';

const PRIVATE_KEY = 1;
const CERTIFICATE = 2;
const SECRET_KEY = 3;

/**
 * Reads a JKS or a JCEKS file. The password, null for none, is checked against the digest at the end; without one
 * nothing is checked, and certificates are readable all the same. @throws WrongPassword, or KeystoreProblem
 */
export async function readJavaKeystore(
  type: keyof typeof MAGIC,
  bytes: Buffer,
  password: string | null,
): Promise<Keystore> {
  if (bytes.length < DIGEST_SIZE) throw damaged('it ends too early');
  const content = bytes.subarray(0, -DIGEST_SIZE);
  if (password !== null) checkDigest(content, bytes.subarray(-DIGEST_SIZE), password);
  const reader = new ByteReader(content);
  if (reader.int() !== MAGIC[type]) throw new KeystoreProblem(`it is not a ${type} file`);
  const version = reader.int();
  if (version !== 1 && version !== 2) throw new KeystoreProblem('its version is not known');
  const limits: Limits = { work: new BoundedWork(), elements: elementCount() };
  const entries = new Map<string, KeystoreEntry>();
  for (let count = reader.int(); count > 0; count--) {
    await limits.work.takeItem();
    const entry = await readEntry(reader, type === 'JCEKS', version, limits);
    entries.set(entry.alias, entry);
  }
  if (reader.left > 0) throw damaged('something follows after its end');
  return { entries, notes: [] };
}

/** A hash over the password, some words that are always the same, and everything before it. */
function checkDigest(content: Buffer, digest: Buffer, password: string): void {
  const made = createHash('sha1').update(utf16(password)).update(WHITENER).update(content).digest();
  if (!timingSafeEqual(made, digest)) throw new WrongPassword();
}

async function readEntry(
  reader: ByteReader,
  isJceks: boolean,
  version: number,
  limits: Limits,
): Promise<KeystoreEntry> {
  const tag = reader.int();
  const alias = reader.text();
  reader.take(8); // the time at which it was made
  if (tag === CERTIFICATE) return { kind: 'certificate', alias, certificates: [readCertificate(reader, version)] };
  if (tag === SECRET_KEY && isJceks) {
    const sealed = readSealedKey(reader);
    const recover = (password: string | null) => sealed.recover(password ?? '', limits);
    return { kind: 'secret', alias, certificates: [], recover };
  }
  if (tag !== PRIVATE_KEY) throw damaged('an entry of a kind that is not known');
  const encrypted = reader.take(reader.int());
  const certificates: X509Certificate[] = [];
  for (let count = reader.int(); count > 0; count--) {
    await limits.work.takeItem();
    certificates.push(readCertificate(reader, version));
  }
  return {
    kind: 'private',
    alias,
    certificates,
    async recover(password) {
      return { kind: 'private', pkcs8: await recoverPrivateKey(encrypted, password ?? '', isJceks, limits) };
    },
  };
}

function readCertificate(reader: ByteReader, version: number): X509Certificate {
  if (version === 2 && !/^X\.?509$/i.test(reader.text())) {
    throw new KeystoreProblem('one of its certificates is not an X.509 one');
  }
  return certificateOf(reader.take(reader.int()));
}
