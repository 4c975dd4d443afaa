import { hash, timingSafeEqual } from 'node:crypto';
import { Ber } from './ber.ts';
import { type BoundedWork, inTurns } from './bounded-work.ts';
import { damaged, KeystoreProblem, WrongPassword } from './keystore-problem.ts';
import { decryptCbc, type Limits } from './password-encryption.ts';
import { repeatedHash } from './repeated-hash.ts';

const JKS_PROTECTION = '1.3.6.1.4.1.42.2.17.1.1';
const MD5_AND_TRIPLE_DES = '1.3.6.1.4.1.42.2.19.1';

const SHA1_SIZE = 20;
/** A private key is some kilobytes long, and each twenty bytes cost a hash. */
const MOST_KEY_BYTES = 1 << 18;

/** Decrypts a private key of a JKS or, if `isJceks`, of a JCEKS file. @throws WrongPassword, or KeystoreProblem */
export async function recoverPrivateKey(
  encrypted: Buffer,
  password: string,
  isJceks: boolean,
  limits: Limits,
): Promise<Buffer> {
  const [algorithm, data] = Ber.read(encrypted, limits.elements).sequence();
  const [oid, parameters] = algorithm?.sequence() ?? [];
  if (oid === undefined || data === undefined) throw damaged('a private key');
  if (oid.oid() === JKS_PROTECTION) return jksKey(data.octets(), password);
  if (isJceks && oid.oid() === MD5_AND_TRIPLE_DES && parameters !== undefined) {
    return md5AndTripleDes(parameters, data.octets(), password, limits.work);
  }
  throw new KeystoreProblem(`the encryption algorithm ${oid.oid()} is not supported`);
}

/** A password as Java hashes it in JKS: 16 bits for each character. */
export function utf16(password: string): Buffer {
  return Buffer.from(password, 'utf16le').swap16();
}

/** A chain of hashes over the key, and a hash of the password and the key at the end. */
async function jksKey(data: Buffer, password: string): Promise<Buffer> {
  const size = data.length - 2 * SHA1_SIZE;
  if (size < 1) throw damaged('a private key');
  if (size > MOST_KEY_BYTES) throw new KeystoreProblem('a private key is too long');
  const secret = utf16(password);
  const plain = Buffer.alloc(size);
  let digest = data.subarray(0, SHA1_SIZE);
  await inTurns(Math.ceil(size / SHA1_SIZE), (index) => {
    digest = hash('sha1', Buffer.concat([secret, digest]), 'buffer');
    const start = index * SHA1_SIZE;
    for (let at = start; at < Math.min(start + SHA1_SIZE, size); at++) {
      plain[at] = data[SHA1_SIZE + at]! ^ digest[at - start]!;
    }
  });
  const check = hash('sha1', Buffer.concat([secret, plain]), 'buffer');
  if (!timingSafeEqual(check, data.subarray(-SHA1_SIZE))) throw new WrongPassword();
  return plain;
}

/** Decrypts what JCEKS encrypts with `PBEWithMD5AndTripleDES`, an algorithm of Java alone. */
export async function md5AndTripleDes(
  parameters: Ber,
  data: Buffer,
  password: string,
  work: BoundedWork,
): Promise<Buffer> {
  const [salt, iterations] = parameters.sequence();
  if (salt === undefined || iterations === undefined) throw damaged('parameters of an algorithm are missing');
  if (!/^[\x20-\x7e]*$/.test(password)) {
    throw new KeystoreProblem('keys of JCEKS have passwords of ASCII, and this one is not');
  }
  const halves = saltHalves(salt.octets());
  const count = iterations.integer();
  work.takeRounds(count, halves.length);
  const secret = Buffer.from(password, 'latin1');
  const digests: Buffer[] = [];
  for (const half of halves) {
    digests.push(await repeatedHash('md5', Buffer.concat([half, secret]), secret, count));
  }
  const derived = Buffer.concat(digests);
  return decryptCbc('des-ede3-cbc', data, derived.subarray(0, 24), derived.subarray(24));
}

/** Where both are the same Java changes the first; it means to turn it round and does something else. */
function saltHalves(salt: Buffer): readonly [Buffer, Buffer] {
  if (salt.length !== 8) throw damaged('a salt');
  const first = salt.subarray(0, 4);
  const second = salt.subarray(4);
  return [first.equals(second) ? Buffer.from([first[3]!, first[0]!, first[1]!, first[3]!]) : first, second];
}
