import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import type { Ber } from './ber.ts';
import type { BoundedWork } from './bounded-work.ts';
import { type Digest, hmacDigestOf, SHA1 } from './digest-names.ts';
import { damaged, KeystoreProblem } from './keystore-problem.ts';
import { repeatedHash } from './repeated-hash.ts';

/** Far above what anybody writes, and little enough to be hashed at once. */
const MOST_SALT = 1024;

/** Purposes of the PKCS #12 key derivation. */
export const PURPOSE = { key: 1, iv: 2, mac: 3 } as const;

export interface Pkcs12Derivation {
  readonly digest: Digest;
  readonly purpose: number;
  /** The password in the form that `bmpForms` gives. */
  readonly password: Buffer;
  readonly salt: Buffer;
  readonly iterations: number;
  /** How many bytes are wanted. */
  readonly size: number;
}

/** The key derivation of PKCS #12 (RFC 7292, appendix B). */
export async function pkcs12Key(derivation: Pkcs12Derivation, work: BoundedWork): Promise<Buffer> {
  const { digest, purpose, password, salt, iterations, size } = derivation;
  const { name, block } = digest;
  checkSalt(salt);
  const blocks = Math.ceil(size / digest.size);
  work.takeRounds(iterations, blocks);
  const diversifier = Buffer.alloc(block, purpose);
  const input = Buffer.concat([filled(salt, block), filled(password, block)]);
  const derived: Buffer[] = [];
  for (let index = 0; index < blocks; index++) {
    const state = await repeatedHash(name, Buffer.concat([diversifier, input]), Buffer.alloc(0), iterations);
    derived.push(state);
    addToEach(input, filled(state, block).subarray(0, block), block);
  }
  return Buffer.concat(derived).subarray(0, size);
}

/** A text repeated until it fills whole blocks; an empty one stays empty. */
function filled(bytes: Buffer, block: number): Buffer {
  const size = Math.ceil(bytes.length / block) * block;
  return size === 0 ? Buffer.alloc(0) : Buffer.alloc(size, bytes);
}

/** Adds `addend` and one to each block, as numbers, and drops what they are too long for. */
function addToEach(blocks: Buffer, addend: Buffer, block: number): void {
  for (let start = 0; start < blocks.length; start += block) {
    let carry = 1;
    for (let at = block - 1; at >= 0; at--) {
      carry += blocks[start + at]! + addend[at]!;
      blocks[start + at] = carry & 0xff;
      carry >>>= 8;
    }
  }
}

/**
 * A password as PKCS #12 hashes it: 16 bits for each character and two zero bytes. Of an empty password some programs
 * write the two bytes and some nothing, so that there are two forms of it.
 */
export function bmpForms(password: string): readonly Buffer[] {
  const terminated = Buffer.from(`${password}\0`, 'utf16le').swap16();
  return password === '' ? [terminated, Buffer.alloc(0)] : [terminated];
}

export interface Pbkdf2Parameters {
  readonly salt: Buffer;
  readonly iterations: number;
  readonly size: number | null;
  readonly digest: Digest;
}

/** Reads the parameters of PBKDF2 (RFC 8018, A.2). */
export function pbkdf2Parameters(parameters: Ber | undefined): Pbkdf2Parameters {
  const [salt, iterations, ...rest] = parameters?.sequence() ?? [];
  if (salt === undefined || iterations === undefined) throw damaged('parameters of PBKDF2 are missing');
  const [first, second] = rest;
  const hasSize = first?.tag === 0x02;
  const prf = hasSize ? second : first;
  return {
    salt: salt.octets(),
    iterations: iterations.integer(),
    size: hasSize ? first.integer() : null,
    digest: prf === undefined ? SHA1 : hmacDigestOf(algorithmOid(prf)),
  };
}

function algorithmOid(identifier: Ber): string {
  const [oid] = identifier.sequence();
  if (oid === undefined) throw damaged('an algorithm is missing');
  return oid.oid();
}

const derive = promisify(pbkdf2);

/** The key derivation of RFC 8018, away from this thread. */
export async function pbkdf2Key(
  password: string,
  { salt, iterations, digest }: Pbkdf2Parameters,
  size: number,
  work: BoundedWork,
): Promise<Buffer> {
  checkSalt(salt);
  work.takeRounds(iterations, Math.ceil(size / digest.size));
  return derive(Buffer.from(password), salt, iterations, size, digest.name);
}

function checkSalt(salt: Buffer): void {
  if (salt.length > MOST_SALT) throw new KeystoreProblem(`a salt is longer than ${MOST_SALT} bytes`);
}
