import { Ber, elementCount } from './ber.ts';
import { BoundedWork } from './bounded-work.ts';
import type { Keystore } from './keystore-entry.ts';
import { damaged, KeystoreProblem, WrongPassword } from './keystore-problem.ts';
import { decryptSequence, type Limits } from './password-encryption.ts';
import { type Bag, readBags } from './pkcs12-bags.ts';
import { pkcs12Entries } from './pkcs12-entries.ts';
import { checkMac } from './pkcs12-mac.ts';

const DATA = '1.2.840.113549.1.7.1';
const ENCRYPTED_DATA = '1.2.840.113549.1.7.6';

/**
 * Reads PKCS #12 (RFC 7292) as Java does. The password, null for none, opens what is encrypted besides the keys and is
 * checked against the MAC, if there is one; without a password nothing is checked. @throws WrongPassword, or
 * KeystoreProblem
 */
export async function readPkcs12(bytes: Buffer, password: string | null): Promise<Keystore> {
  const limits: Limits = { work: new BoundedWork(), elements: elementCount() };
  const [version, authSafe, mac] = Ber.read(bytes, limits.elements).sequence();
  if (version === undefined || authSafe === undefined) throw damaged('its beginning');
  if (version.integer() !== 3) throw new KeystoreProblem('its version is not 3');
  const content = dataOf(authSafe);
  if (password !== null && mac !== undefined) await checkMac(mac, content, password, limits.work);
  const bags: Bag[] = [];
  for (const info of Ber.read(content, limits.elements).sequence()) {
    bags.push(...(await readBags(await safeContents(info, password, limits), limits)));
  }
  const entries = pkcs12Entries(bags, limits);
  return { entries, notes: [...new Set(notesOn(bags, entries))] };
}

function notesOn(bags: readonly Bag[], entries: Keystore['entries']): readonly string[] {
  const all = [...entries.values()].flatMap(({ certificates }) => certificates);
  const used = new Set(all.map(({ fingerprint256 }) => fingerprint256)); // one that two keys share can be there twice
  return bags.flatMap((bag) => {
    if (bag.kind === 'unread') return [bag.note];
    const isIdle = bag.kind === 'certificate' && !used.has(bag.certificate.fingerprint256);
    return isIdle ? ['a certificate that belongs to no key and that Java did not mark as trusted'] : [];
  });
}

/** The content of a ContentInfo that is not encrypted. */
function dataOf(info: Ber): Buffer {
  const [type, tagged] = info.sequence();
  if (type === undefined || tagged === undefined) throw damaged('a part of it is missing');
  if (type.oid() !== DATA) {
    throw new KeystoreProblem('it is protected by a public key or a signature, which is not supported');
  }
  return tagged.explicit(0).octets();
}

async function safeContents(info: Ber, password: string | null, limits: Limits): Promise<Ber> {
  const [type, tagged] = info.sequence();
  if (type === undefined || tagged === undefined) throw damaged('a part of it is missing');
  if (type.oid() !== ENCRYPTED_DATA) return Ber.read(dataOf(info), limits.elements);
  const [, encryptedInfo] = tagged.explicit(0).sequence();
  const [, algorithm, encrypted] = encryptedInfo?.sequence() ?? [];
  if (algorithm === undefined || encrypted === undefined) throw damaged('a part of it is missing');
  try {
    return await decryptSequence(algorithm, encrypted.octets(0), password ?? '', limits);
  } catch (error) {
    if (password !== null || !(error instanceof WrongPassword)) throw error;
    throw new KeystoreProblem('it is protected by a password, and none is given');
  }
}
