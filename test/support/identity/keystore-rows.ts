import { createHash, createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { KeystoreEntry } from '../../../dataplane/secrets/keystore/keystore-entry.ts';
import { KeystoreProblem, WrongPassword } from '../../../dataplane/secrets/keystore/keystore-problem.ts';
import { type KeystoreType, readKeystore, recoverKey } from '../../../dataplane/secrets/keystore/read-keystore.ts';

/** What is under one alias: what Java says of it, in the same words. */
export interface KeystoreRow {
  readonly alias: string;
  readonly entry: 'private' | 'secret' | 'cert' | 'key-unreadable';
  /** The algorithm and a hash of the encoded key. */
  readonly key: string;
  readonly chain: number;
  /** A hash of the certificate, or nothing. */
  readonly certificate?: string;
}

/** A keystore, how it is opened, and what Java reads in it; null when Java refuses it. */
export interface KnownKeystore {
  readonly file: string;
  readonly type: KeystoreType;
  readonly storePassword: string | null;
  /** By default that of the store. */
  readonly entryPassword?: string | null;
  readonly java17: readonly KeystoreRow[] | null;
  /** What we read where Java refuses what others write. */
  readonly here?: readonly KeystoreRow[];
}

/** The keystores of test/dataplane/secrets/keystores, of others (`manifest.json`) or made for us (`made.json`). */
export function knownKeystores(manifest: 'manifest.json' | 'made.json'): readonly KnownKeystore[] {
  return JSON.parse(keystoreFile(manifest).toString()) as readonly KnownKeystore[];
}

export function keystoreFile(name: string): Buffer {
  return readFileSync(new URL(`../../dataplane/secrets/keystores/${name}`, import.meta.url));
}

/** What we read in a keystore, sorted by alias, or null when we refuse it. */
export async function keystoreRows(
  type: KeystoreType,
  bytes: Uint8Array,
  storePassword: string | null,
  entryPassword: string | null = storePassword,
): Promise<readonly KeystoreRow[] | null> {
  try {
    const { entries } = await readKeystore(type, bytes, storePassword);
    const rows: KeystoreRow[] = [];
    for (const entry of entries.values()) rows.push(await rowOf(entry, entryPassword));
    return sorted(rows);
  } catch (error) {
    if (error instanceof KeystoreProblem || error instanceof WrongPassword) return null;
    throw error;
  }
}

export function sorted(rows: readonly KeystoreRow[]): readonly KeystoreRow[] {
  return rows.toSorted((one, other) => (one.alias < other.alias ? -1 : 1));
}

async function rowOf(entry: KeystoreEntry, password: string | null): Promise<KeystoreRow> {
  const { alias, certificates } = entry;
  const [own] = certificates;
  const certificate = own === undefined ? '' : print(own.raw);
  if (entry.kind === 'certificate') return { alias, entry: 'cert', key: '', chain: 0, certificate };
  const chain = certificates.length;
  try {
    const key = await recoverKey(entry, password);
    const encoded = key.kind === 'private' ? key.pkcs8 : key.bytes;
    const algorithm = key.kind === 'private' ? privateAlgorithm(key.pkcs8) : key.algorithm;
    return { alias, entry: key.kind, key: `${algorithm}:${print(encoded)}`, chain, certificate };
  } catch (error) {
    if (!(error instanceof KeystoreProblem || error instanceof WrongPassword)) throw error;
    return { alias, entry: 'key-unreadable', key: 'UnrecoverableKeyException', chain, certificate };
  }
}

/** How Java calls what Node.js calls otherwise. */
const NAMES: Readonly<Record<string, string>> = { rsa: 'RSA', ec: 'EC', dsa: 'DSA', ed25519: 'EdDSA' };

function privateAlgorithm(pkcs8: Buffer): string {
  const { asymmetricKeyType = '' } = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return NAMES[asymmetricKeyType] ?? asymmetricKeyType;
}

function print(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
