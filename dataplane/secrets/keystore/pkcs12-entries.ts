import type { X509Certificate } from 'node:crypto';
import type { Ber } from './ber.ts';
import type { KeyEntry, KeystoreEntry, RecoveredKey } from './keystore-entry.ts';
import { damaged, WrongPassword } from './keystore-problem.ts';
import { decryptSequence, type Limits } from './password-encryption.ts';
import type { Bag } from './pkcs12-bags.ts';
import { secretKeyAlgorithm } from './secret-key-algorithm.ts';

/** What Java gives a key and its certificate that have no id, if there is one key. */
const ONLY_ID = Buffer.from('01');

interface Certified {
  readonly certificate: X509Certificate;
  readonly id: Buffer | null;
  readonly alias: string | null;
}

/**
 * The entries that the bags of a file stand for. This follows Java, bag by bag: aliases are in lower case and counted
 * where there is no name, the later of two with one alias stays, and only certificates that Java marked are entries of
 * their own. The certificates of a key are found by its id or its name, and further by the names of issuers.
 */
export function pkcs12Entries(bags: readonly Bag[], limits: Limits): Map<string, KeystoreEntry> {
  const entries = new Map<string, KeystoreEntry>();
  const keys: { readonly id: Buffer | null; readonly alias: string; readonly chain: X509Certificate[] }[] = [];
  const certified: Certified[] = [];
  const bySubject = new Map<string, X509Certificate>();
  let privateKeys = 0;
  let unnamed = 0;
  const aliasOf = ({ friendlyName }: Bag): string => friendlyName ?? String(++unnamed);

  for (const bag of bags) {
    if (bag.kind === 'private' || bag.kind === 'secret') {
      if (bag.kind === 'private') privateKeys++;
      const isOnly = bag.kind === 'private' && privateKeys === 1;
      const id = bag.localKeyId ?? (isOnly ? ONLY_ID : null);
      const alias = aliasOf(bag);
      const chain: X509Certificate[] = [];
      if (bag.kind === 'private') keys.push({ id, alias, chain });
      put(entries, keyEntry(bag.kind, alias, chain, bag, limits));
    } else if (bag.kind === 'certificate') {
      const { certificate, index, isTrusted } = bag;
      const id = bag.localKeyId ?? (privateKeys === 1 && index === 0 ? ONLY_ID : null);
      if (isTrusted) put(entries, { kind: 'certificate', alias: lower(aliasOf(bag)), certificates: [certificate] });
      else certified.push({ certificate, id, alias: bag.friendlyName });
      if (!bySubject.has(certificate.subject)) bySubject.set(certificate.subject, certificate);
    }
  }
  for (const { id, alias, chain } of keys) {
    if (id !== null) chain.push(...chainFrom(ownCertificate(id, alias, certified), bySubject));
  }
  return entries;
}

function put(entries: Map<string, KeystoreEntry>, entry: KeystoreEntry): void {
  entries.set(entry.alias, entry);
}

function lower(alias: string): string {
  return alias.toLowerCase();
}

function ownCertificate(id: Buffer, alias: string, certified: readonly Certified[]): X509Certificate | undefined {
  let byId: X509Certificate | undefined;
  let byAlias: X509Certificate | undefined;
  for (const one of certified) {
    const hasAlias = one.alias !== null && lower(one.alias) === lower(alias);
    if (one.id?.equals(id) === true) {
      byId = one.certificate;
      if (hasAlias) return one.certificate;
    } else if (hasAlias) byAlias = one.certificate;
  }
  return byId ?? byAlias;
}

function chainFrom(
  own: X509Certificate | undefined,
  bySubject: ReadonlyMap<string, X509Certificate>,
): readonly X509Certificate[] {
  const chain = new Set<X509Certificate>();
  for (let next = own; next !== undefined && !chain.has(next); ) {
    chain.add(next);
    next = next.issuer === next.subject ? undefined : bySubject.get(next.issuer);
  }
  return [...chain];
}

interface Encrypted {
  readonly algorithm: Ber;
  readonly encrypted: Buffer;
}

function keyEntry(
  kind: 'private' | 'secret',
  alias: string,
  certificates: readonly X509Certificate[],
  { algorithm, encrypted }: Encrypted,
  limits: Limits,
): KeyEntry {
  const recover = async (password: string | null): Promise<RecoveredKey> => {
    const info = await decryptSequence(algorithm, encrypted, password ?? '', limits);
    try {
      return kind === 'private' ? { kind, pkcs8: info.whole } : secretKey(info);
    } catch {
      throw new WrongPassword();
    }
  };
  return { kind, alias: lower(alias), certificates, recover };
}

/** A secret key stands in the form of a private one: a version, an algorithm, the bytes. */
function secretKey(info: Ber): RecoveredKey {
  const [, algorithm, bytes] = info.sequence();
  const [oid] = algorithm?.sequence() ?? [];
  if (oid === undefined || bytes === undefined) throw damaged('a secret key');
  return { kind: 'secret', algorithm: secretKeyAlgorithm(oid.oid()), bytes: bytes.octets() };
}
