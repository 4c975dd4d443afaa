import { KeystoreProblem } from './keystore-problem.ts';

/** A hash as Node.js calls it, and the sizes that key derivations need, in bytes. */
export interface Digest {
  readonly name: string;
  readonly size: number;
  readonly block: number;
}

export const SHA1: Digest = { name: 'sha1', size: 20, block: 64 };
const SHA224: Digest = { name: 'sha224', size: 28, block: 64 };
const SHA256: Digest = { name: 'sha256', size: 32, block: 64 };
const SHA384: Digest = { name: 'sha384', size: 48, block: 128 };
const SHA512: Digest = { name: 'sha512', size: 64, block: 128 };
const SHA512_224: Digest = { name: 'sha512-224', size: 28, block: 128 };
const SHA512_256: Digest = { name: 'sha512-256', size: 32, block: 128 };

const digests: ReadonlyMap<string, Digest> = new Map([
  ['1.3.14.3.2.26', SHA1],
  ['2.16.840.1.101.3.4.2.4', SHA224],
  ['2.16.840.1.101.3.4.2.1', SHA256],
  ['2.16.840.1.101.3.4.2.2', SHA384],
  ['2.16.840.1.101.3.4.2.3', SHA512],
  ['2.16.840.1.101.3.4.2.5', SHA512_224],
  ['2.16.840.1.101.3.4.2.6', SHA512_256],
]);

const hmacs: ReadonlyMap<string, Digest> = new Map([
  ['1.2.840.113549.2.7', SHA1],
  ['1.2.840.113549.2.8', SHA224],
  ['1.2.840.113549.2.9', SHA256],
  ['1.2.840.113549.2.10', SHA384],
  ['1.2.840.113549.2.11', SHA512],
  ['1.2.840.113549.2.12', SHA512_224],
  ['1.2.840.113549.2.13', SHA512_256],
]);

/** The hash of an object identifier. @throws KeystoreProblem for one that is not known */
export function digestOf(oid: string): Digest {
  return known(digests.get(oid), oid);
}

/** The hash of the object identifier of an HMAC. @throws KeystoreProblem for one that is not known */
export function hmacDigestOf(oid: string): Digest {
  return known(hmacs.get(oid), oid);
}

function known(digest: Digest | undefined, oid: string): Digest {
  if (digest === undefined) throw new KeystoreProblem(`the hash algorithm ${oid} is not supported`);
  return digest;
}
