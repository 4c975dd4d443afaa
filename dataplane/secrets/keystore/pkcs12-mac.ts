import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ber } from './ber.ts';
import type { BoundedWork } from './bounded-work.ts';
import { type Digest, digestOf, hmacDigestOf } from './digest-names.ts';
import { bmpForms, PURPOSE, pbkdf2Key, pbkdf2Parameters, pkcs12Key } from './key-derivation.ts';
import { damaged, KeystoreProblem, WrongPassword } from './keystore-problem.ts';
import { PBKDF2 } from './password-encryption.ts';

const PBMAC1 = '1.2.840.113549.1.5.14';
/** More than any hash that is known here has. */
const MOST_KEY_BYTES = 128;

/** Checks that a password made the code over the content. @throws WrongPassword, or KeystoreProblem */
export async function checkMac(mac: Ber, content: Buffer, password: string, work: BoundedWork): Promise<void> {
  const [info, salt, iterations] = mac.sequence();
  const [algorithm, expected] = info?.sequence() ?? [];
  const [oid, parameters] = algorithm?.sequence() ?? [];
  if (oid === undefined || expected === undefined || salt === undefined) throw damaged('its MAC is incomplete');
  const code = expected.octets();
  if (oid.oid() === PBMAC1) {
    const made = await pbmac1(parameters, content, password, work);
    if (!isSame(made, code)) throw new WrongPassword();
    return;
  }
  const digest = digestOf(oid.oid());
  const common = { digest, purpose: PURPOSE.mac, salt: salt.octets(), size: digest.size };
  const count = iterations?.integer() ?? 1;
  for (const form of bmpForms(password)) {
    const key = await pkcs12Key({ ...common, iterations: count, password: form }, work);
    if (isSame(hmac(digest, key, content), code)) return;
  }
  throw new WrongPassword();
}

/** A MAC with a key out of PBKDF2 (RFC 9579). */
async function pbmac1(
  parameters: Ber | undefined,
  content: Buffer,
  password: string,
  work: BoundedWork,
): Promise<Buffer> {
  const [derivation, scheme] = parameters?.sequence() ?? [];
  const [derivationOid, derivationParameters] = derivation?.sequence() ?? [];
  const [schemeOid] = scheme?.sequence() ?? [];
  if (derivationOid === undefined || schemeOid === undefined) throw damaged('its MAC is incomplete');
  if (derivationOid.oid() !== PBKDF2) {
    throw new KeystoreProblem(`the key derivation ${derivationOid.oid()} is not supported`);
  }
  const digest = hmacDigestOf(schemeOid.oid());
  const read = pbkdf2Parameters(derivationParameters);
  const { size } = read;
  if (size === null || size < 20 || size > MOST_KEY_BYTES) throw damaged('the size of the key of its MAC');
  return hmac(digest, await pbkdf2Key(password, read, size, work), content);
}

function hmac({ name }: Digest, key: Buffer, content: Buffer): Buffer {
  return createHmac(name, key).update(content).digest();
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
