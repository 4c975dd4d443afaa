import { createDecipheriv } from 'node:crypto';
import { Ber, type ElementCount, TAG } from './ber.ts';
import type { BoundedWork } from './bounded-work.ts';
import { SHA1 } from './digest-names.ts';
import { bmpForms, PURPOSE, pbkdf2Key, pbkdf2Parameters, pkcs12Key } from './key-derivation.ts';
import { damaged, KeystoreProblem, WrongPassword } from './keystore-problem.ts';
import { decryptRc2 } from './rc2.ts';
import { decryptRc4 } from './rc4.ts';

/** Limits of reading one keystore. */
export interface Limits {
  readonly work: BoundedWork;
  readonly elements: ElementCount;
}

/** What decrypts, once there are a key and an initialisation vector. */
interface OldCipher {
  readonly keySize: number;
  readonly ivSize: number;
  decrypt(data: Buffer, key: Buffer, iv: Buffer): Promise<Buffer>;
}

const rc4 = (keySize: number): OldCipher => ({ keySize, ivSize: 0, decrypt: decryptRc4 });
const rc2 = (keySize: number): OldCipher => ({ keySize, ivSize: 8, decrypt: decryptRc2 });
const tripleDes = (keySize: number): OldCipher => ({ keySize, ivSize: 8, decrypt: decryptTripleDes });

/** The algorithms of PKCS #12 itself (RFC 7292, appendix C). */
const oldCiphers: ReadonlyMap<string, OldCipher> = new Map([
  ['1.2.840.113549.1.12.1.1', rc4(16)],
  ['1.2.840.113549.1.12.1.2', rc4(5)],
  ['1.2.840.113549.1.12.1.3', tripleDes(24)],
  ['1.2.840.113549.1.12.1.4', tripleDes(16)],
  ['1.2.840.113549.1.12.1.5', rc2(16)],
  ['1.2.840.113549.1.12.1.6', rc2(5)],
]);

const PBES2 = '1.2.840.113549.1.5.13';
export const PBKDF2 = '1.2.840.113549.1.5.12';

/** The ciphers of PBES2 as Node.js calls them, and the sizes of their keys. */
const newCiphers: ReadonlyMap<string, { readonly name: string; readonly keySize: number }> = new Map([
  ['2.16.840.1.101.3.4.1.2', { name: 'aes-128-cbc', keySize: 16 }],
  ['2.16.840.1.101.3.4.1.22', { name: 'aes-192-cbc', keySize: 24 }],
  ['2.16.840.1.101.3.4.1.42', { name: 'aes-256-cbc', keySize: 32 }],
  ['1.2.840.113549.3.7', { name: 'des-ede3-cbc', keySize: 24 }],
]);

/**
 * Decrypts what an algorithm identifier says how it is encrypted. What comes out is one sequence of DER: anything else
 * means that the password is wrong. @throws WrongPassword, or KeystoreProblem
 */
export async function decryptSequence(algorithm: Ber, data: Buffer, password: string, limits: Limits): Promise<Ber> {
  const [oid, parameters] = algorithm.sequence();
  if (oid === undefined || parameters === undefined) throw damaged('an algorithm is missing');
  const name = oid.oid();
  if (name === PBES2) return sequenceIn(await pbes2(parameters, data, password, limits), limits);
  const cipher = oldCiphers.get(name);
  if (cipher === undefined) throw new KeystoreProblem(`the encryption algorithm ${name} is not supported`);
  let lastError: unknown = new WrongPassword();
  for (const form of bmpForms(password)) {
    try {
      return sequenceIn(await oldEncryption(cipher, parameters, data, form, limits), limits);
    } catch (error) {
      if (!(error instanceof WrongPassword)) throw error;
      lastError = error;
    }
  }
  throw lastError;
}

function sequenceIn(plain: Buffer, { elements }: Limits): Ber {
  try {
    const sequence = Ber.read(plain, elements);
    if (sequence.tag === TAG.sequence) return sequence;
  } catch (error) {
    if (!(error instanceof KeystoreProblem)) throw error;
  }
  throw new WrongPassword();
}

async function oldEncryption(
  cipher: OldCipher,
  parameters: Ber,
  data: Buffer,
  password: Buffer,
  { work }: Limits,
): Promise<Buffer> {
  const [salt, iterations] = parameters.sequence();
  if (salt === undefined || iterations === undefined) throw damaged('parameters of an algorithm are missing');
  const common = { digest: SHA1, password, salt: salt.octets(), iterations: iterations.integer() };
  const key = await pkcs12Key({ ...common, purpose: PURPOSE.key, size: cipher.keySize }, work);
  const { ivSize } = cipher;
  const iv = ivSize === 0 ? Buffer.alloc(0) : await pkcs12Key({ ...common, purpose: PURPOSE.iv, size: ivSize }, work);
  return cipher.decrypt(data, key, iv);
}

async function pbes2(parameters: Ber, data: Buffer, password: string, { work }: Limits): Promise<Buffer> {
  const [derivation, encryption] = parameters.sequence();
  const [derivationOid, derivationParameters] = derivation?.sequence() ?? [];
  const [cipherOid, iv] = encryption?.sequence() ?? [];
  if (derivationOid === undefined || cipherOid === undefined || iv === undefined) {
    throw damaged('parameters of PBES2 are missing');
  }
  if (derivationOid.oid() !== PBKDF2) {
    throw new KeystoreProblem(`the key derivation ${derivationOid.oid()} is not supported`);
  }
  const cipher = newCiphers.get(cipherOid.oid());
  if (cipher === undefined) throw new KeystoreProblem(`the cipher ${cipherOid.oid()} is not supported`);
  const read = pbkdf2Parameters(derivationParameters);
  if (read.size !== null && read.size !== cipher.keySize) throw damaged('a key does not have the size of its cipher');
  const key = await pbkdf2Key(password, read, cipher.keySize, work);
  return decryptCbc(cipher.name, data, key, iv.octets());
}

/** Two keys are three of which the last is the first. */
async function decryptTripleDes(data: Buffer, key: Buffer, iv: Buffer): Promise<Buffer> {
  return decryptCbc('des-ede3-cbc', data, key.length === 16 ? Buffer.concat([key, key.subarray(0, 8)]) : key, iv);
}

/** @throws WrongPassword when there is no sense in what comes out */
export function decryptCbc(cipher: string, data: Buffer, key: Buffer, iv: Buffer): Buffer {
  try {
    const decipher = createDecipheriv(cipher, key, iv);
    return Buffer.concat([decipher.update(data), decipher.final()]);
  } catch {
    throw new WrongPassword();
  }
}
