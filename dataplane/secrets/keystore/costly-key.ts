import { Ber, elementCount, TAG } from './ber.ts';
import { damaged, KeystoreProblem } from './keystore-problem.ts';

/** RSA with 16384 bits takes nine thousand bytes, the largest keys of ML-DSA half of it. */
const MOST_BYTES = 16 * 1024;
/** What DSA with 10000 bits takes, which is more than it may have where it is used. */
const MOST_BYTES_OF_OTHERS = 3 * 1024;
/** RSA, and what NIST numbered with ML-DSA: they are taken as they are. */
const QUICK = /^(?:1\.2\.840\.113549\.1\.1|2\.16\.840\.1\.101\.3\.4)\./;
const PBES2 = '1.2.840.113549.1.5.13';
/** OpenSSL does them all in one turn. */
const MOST_ROUNDS = 2_000_000;

/**
 * Refuses a private key in PKCS #8 that would take long to read: of DSA and DH the library computes the public half, for
 * numbers of any length, while nothing else runs. @throws KeystoreProblem
 */
export function refuseCostlyKey(pkcs8: Buffer): void {
  if (pkcs8.length <= MOST_BYTES_OF_OTHERS) return;
  const [, algorithm] = Ber.read(pkcs8, elementCount()).sequence();
  const [oid] = algorithm?.sequence() ?? [];
  if (oid === undefined) throw damaged('a private key');
  if (pkcs8.length > MOST_BYTES || !QUICK.test(oid.oid())) throw new KeystoreProblem('its private key is too large');
}

/** Refuses an encrypted private key (RFC 5958) whose password would have to be hashed for long. @throws KeystoreProblem */
export function refuseCostlyEncryption(encrypted: Buffer): void {
  if (encrypted.length > MOST_BYTES) throw new KeystoreProblem('its private key is too large');
  const [algorithm] = Ber.read(encrypted, elementCount()).sequence();
  const [oid, parameters] = algorithm?.sequence() ?? [];
  const [first, second] = parameters?.sequence() ?? [];
  if (oid === undefined || first === undefined) throw damaged('an algorithm is missing');
  const count = oid.oid() === PBES2 ? first.sequence()[1]?.sequence()[1] : second;
  if (count?.tag !== TAG.integer) throw damaged('parameters of an algorithm are missing');
  if (count.integer() > MOST_ROUNDS) throw new KeystoreProblem(`its iteration count is higher than ${MOST_ROUNDS}`);
}
