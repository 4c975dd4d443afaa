import { CompactEncrypt, compactDecrypt } from 'jose';
import { type CryptoKey, NoSuchSecret, type SecretsProvider } from '../heap/objects/secrets.ts';
import { decodeBase64url } from './base64url.ts';
import { type JoseHeader, LONGEST_TOKEN, readHeader } from './compact-jws.ts';
import { contentEncryption, type KeyManagement, keyManagement } from './encryption-algorithm.ts';
import { namedKey, VerificationBusy } from './verification.ts';

/** An encrypted token whose form is sound. */
export interface CompactJwe {
  readonly text: string;
  readonly header: JoseHeader;
  readonly alg: string;
  readonly enc: string;
  readonly kid: string | null;
  /** Whether only who has the secret key can have made it; anybody can encrypt with a public key. */
  readonly provesOrigin: boolean;
}

/**
 * Decryptions of a unit at a time: they happen on the threads that look up names and read files for everybody, and more
 * of them would take the processor from the units too.
 */
const MOST_AT_A_TIME = 2;
const MOST_WAITING = 256;
let decryptions = 0;
const waiting: (() => void)[] = [];

/** One more than there are, so that others are noticed. */
const MOST_PARTS = 6;

/**
 * Reads a JWE in compact serialisation (RFC 7516, section 7.1), or gives null: for anything but five parts in canonical
 * base64url of the lengths that `alg` and `enc` have, for algorithms that are not known here, and for compression and
 * extensions (`zip`, `crit`).
 */
export function readJwe(text: string): CompactJwe | null {
  if (text.length > LONGEST_TOKEN) return null;
  const [encodedHeader = '', ...parts] = text.split('.', MOST_PARTS);
  if (parts.length !== 4) return null;
  const header = readHeader(encodedHeader);
  if (header === null || Object.hasOwn(header, 'zip')) return null;
  const alg = header['alg'];
  const enc = header['enc'];
  if (typeof alg !== 'string' || typeof enc !== 'string') return null;
  const management = keyManagement(alg);
  const content = contentEncryption(enc);
  if (management === undefined || content === undefined) return null;
  const [encryptedKey, iv, ciphertext, tag] = parts.map((part) => decodeBase64url(part)?.length);
  if (encryptedKey === undefined || ciphertext === undefined) return null;
  if (encryptedKey > 0 !== management.hasEncryptedKey || iv !== content.ivLength || tag !== content.tagLength)
    return null;
  return { text, header, alg, enc, kid: header.kid ?? null, provesOrigin: management.isShared };
}

/**
 * What a token holds when one of the keys under a secret id opens it, or null. Which keys are tried goes by `kid` as in
 * `verifyWithSecrets`. Rejects with `VerificationBusy` when too many are being opened, and with the error of the provider
 * when the keys cannot be had.
 */
export async function decryptWithSecrets(
  jwe: CompactJwe,
  provider: SecretsProvider,
  secretId: string,
): Promise<Buffer | null> {
  const management = keyManagement(jwe.alg);
  if (management === undefined) return null;
  const named = jwe.kid === null ? null : await namedFor(management, provider, secretId, jwe.kid);
  if (named !== null) return await decrypted(jwe, named);
  for (const key of await keysFor(management, provider, secretId)) {
    const plaintext = await decrypted(jwe, key);
    if (plaintext !== null) return plaintext;
  }
  return null;
}

/**
 * A token in compact serialisation, encrypted. `alg` and `enc` are put into the header.
 * @throws an error when the key may not encrypt with the algorithms.
 */
export async function encrypt(
  plaintext: string | Uint8Array,
  header: Readonly<Record<string, unknown>>,
  key: CryptoKey,
  alg: string,
  enc: string,
): Promise<string> {
  const isAllowed = keyManagement(alg)?.writeUsages.some((usage) => key.usages.has(usage)) === true;
  if (!isAllowed || !isFor(alg, enc, key))
    throw new Error(`the key '${key.stableId}' cannot encrypt with ${alg} and ${enc}`);
  return await new CompactEncrypt(Buffer.from(plaintext)).setProtectedHeader({ ...header, alg, enc }).encrypt(key.key);
}

async function decrypted({ text, alg, enc }: CompactJwe, key: CryptoKey): Promise<Buffer | null> {
  if (!isFor(alg, enc, key) || key.key.type === 'public') return null;
  await turn();
  try {
    const options = { keyManagementAlgorithms: [alg], contentEncryptionAlgorithms: [enc] };
    const { plaintext } = await compactDecrypt(text, key.key, options);
    return Buffer.from(plaintext.buffer, plaintext.byteOffset, plaintext.byteLength);
  } catch {
    return null; // why a token does not open is told to nobody: it would help whoever tries keys
  } finally {
    endTurn();
  }
}

/** Waits for a place among those that are decrypted. @throws VerificationBusy when too many wait. */
async function turn(): Promise<void> {
  if (decryptions < MOST_AT_A_TIME) {
    decryptions++;
    return;
  }
  if (waiting.length >= MOST_WAITING) throw new VerificationBusy();
  await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Gives the place to the one that waits longest. */
function endTurn(): void {
  const next = waiting.shift();
  if (next === undefined) decryptions--;
  else next();
}

/** Whether the type and size of a key fit, and what it says it is for: `alg`, or with `dir` also `enc`. */
function isFor(alg: string, enc: string, { key, algorithm }: CryptoKey): boolean {
  const content = contentEncryption(enc);
  if (content === undefined || keyManagement(alg)?.fits(key, content) !== true) return false;
  return algorithm === null || algorithm === alg || (alg === 'dir' && algorithm === enc);
}

async function namedFor(
  { readUsages }: KeyManagement,
  provider: SecretsProvider,
  secretId: string,
  kid: string,
): Promise<CryptoKey | null> {
  for (const usage of readUsages) {
    const named = await namedKey(provider, usage, secretId, kid);
    if (named !== null) return named;
  }
  return null;
}

/** The keys that may do any of what the algorithm asks for, each once. */
async function keysFor(
  { readUsages }: KeyManagement,
  provider: SecretsProvider,
  secretId: string,
): Promise<Iterable<CryptoKey>> {
  const found = new Set<CryptoKey>();
  let missing: NoSuchSecret | null = null;
  for (const usage of readUsages) {
    try {
      for (const key of await provider.keys(usage, secretId)) found.add(key);
    } catch (error) {
      if (!(error instanceof NoSuchSecret)) throw error;
      missing ??= error;
    }
  }
  if (found.size === 0 && missing !== null) throw missing;
  return found;
}
