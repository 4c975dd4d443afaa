import type { KeyObject } from 'node:crypto';
import type { KeyUsage } from '../heap/objects/secrets.ts';

/** Terms of a JWK: its usages and its algorithm (RFC 7517, section 4). */
export interface JwkTerms {
  /** The algorithm of JWA that it is for, or null when it does not say. */
  readonly algorithm: string | null;
  /** Whether it lets one half of its pair, or a key that has no halves, be used so. */
  allows(usage: KeyUsage, half: 'own' | 'other'): boolean;
}

type Purpose = 'sig' | 'enc';

interface Algorithm {
  readonly purpose: Purpose;
  fits(key: KeyObject): boolean;
}

const SIGNATURES: ReadonlySet<KeyUsage> = new Set<KeyUsage>(['sign', 'verify']);

/** What the other half of a pair does when one half does this. */
const COUNTERPARTS: Readonly<Record<KeyUsage, KeyUsage>> = {
  sign: 'verify',
  verify: 'sign',
  encrypt: 'decrypt',
  decrypt: 'encrypt',
  wrapKey: 'unwrapKey',
  unwrapKey: 'wrapKey',
  agreeKey: 'agreeKey',
};

const OPERATIONS: ReadonlyMap<string, KeyUsage> = new Map<string, KeyUsage>([
  ['sign', 'sign'],
  ['verify', 'verify'],
  ['encrypt', 'encrypt'],
  ['decrypt', 'decrypt'],
  ['wrapKey', 'wrapKey'],
  ['unwrapKey', 'unwrapKey'],
  ['deriveKey', 'agreeKey'],
  ['deriveBits', 'agreeKey'],
]);

const algorithms: ReadonlyMap<string, Algorithm> = new Map<string, Algorithm>([
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((name) => entry(name, 'sig', ofType('rsa'))),
  entry('ES256', 'sig', onCurve('prime256v1')),
  entry('ES384', 'sig', onCurve('secp384r1')),
  entry('ES512', 'sig', onCurve('secp521r1')),
  entry('ES521', 'sig', onCurve('secp521r1')), // what some call ES512, after its curve
  entry('ES256K', 'sig', onCurve('secp256k1')),
  entry('EdDSA', 'sig', ofType('ed25519', 'ed448')),
  entry('Ed25519', 'sig', ofType('ed25519')),
  entry('Ed448', 'sig', ofType('ed448')),
  entry('ML-DSA-44', 'sig', ofType('ml-dsa-44')),
  entry('ML-DSA-65', 'sig', ofType('ml-dsa-65')),
  entry('ML-DSA-87', 'sig', ofType('ml-dsa-87')),
  entry('HS256', 'sig', ofAtLeast(32)),
  entry('HS384', 'sig', ofAtLeast(48)),
  entry('HS512', 'sig', ofAtLeast(64)),
  ...['RSA-OAEP', 'RSA-OAEP-256', 'RSA-OAEP-384', 'RSA-OAEP-512'].map((name) => entry(name, 'enc', ofType('rsa'))),
  ...['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A192KW', 'ECDH-ES+A256KW'].map((name) => entry(name, 'enc', isAgreeing)),
  ...['A128KW', 'A128GCMKW', 'A128GCM'].map((name) => entry(name, 'enc', ofExactly(16))),
  ...['A192KW', 'A192GCMKW', 'A192GCM'].map((name) => entry(name, 'enc', ofExactly(24))),
  ...['A256KW', 'A256GCMKW', 'A256GCM'].map((name) => entry(name, 'enc', ofExactly(32))),
  entry('A128CBC-HS256', 'enc', ofExactly(32)),
  entry('A192CBC-HS384', 'enc', ofExactly(48)),
  entry('A256CBC-HS512', 'enc', ofExactly(64)),
  entry('dir', 'enc', ofAtLeast(1)),
]);

/** The algorithms that a key can say it is for. */
export const jwkAlgorithms: readonly string[] = [...algorithms.keys()];

/** Whether this is an algorithm of JWA that such a key can be for. */
export function isAlgorithmOf(name: string, key: KeyObject): boolean {
  return algorithms.get(name)?.fits(key) === true;
}

/** Reads `use`, `key_ops` and `alg` of a JWK. @throws when they contradict each other or the key. */
export function jwkTerms(jwk: Readonly<Record<string, unknown>>, key: KeyObject): JwkTerms {
  const use = purposeOf(jwk['use']);
  const operations = operationsOf(jwk['key_ops']);
  const algorithm = jwk['alg'] ?? null;
  if (algorithm !== null && typeof algorithm !== 'string') throw new Error("its 'alg' is not a text");
  const known = algorithm === null ? null : algorithms.get(algorithm);
  if (known === undefined) throw new Error("its 'alg' is not supported");
  if (known?.fits(key) === false) throw new Error("its 'alg' does not fit its type, curve or size");
  if (use !== null && known !== null && known.purpose !== use) throw new Error("its 'use' contradicts its 'alg'");
  const purpose = use ?? known?.purpose ?? null;
  if (operations !== null && ![...operations].every((usage) => isFor(usage, purpose))) {
    throw new Error("its 'key_ops' contradict its 'use' or its 'alg'");
  }
  return {
    algorithm,
    allows(usage, half) {
      const written = half === 'own' ? usage : COUNTERPARTS[usage];
      return isFor(usage, purpose) && operations?.has(written) !== false;
    },
  };
}

function purposeOf(use: unknown): Purpose | null {
  if (use === undefined) return null;
  if (use === 'sig' || use === 'enc') return use;
  throw new Error("its 'use' is neither 'sig' nor 'enc'");
}

/** Operations that nobody here asks for are left out. */
function operationsOf(raw: unknown): ReadonlySet<KeyUsage> | null {
  if (raw === undefined) return null;
  if (!Array.isArray(raw) || !raw.every((one) => typeof one === 'string')) {
    throw new Error("its 'key_ops' is not an array of texts");
  }
  if (new Set(raw).size !== raw.length) throw new Error("its 'key_ops' contain a duplicate");
  return new Set(raw.flatMap((name) => OPERATIONS.get(name) ?? []));
}

function isFor(usage: KeyUsage, purpose: Purpose | null): boolean {
  return purpose === null || SIGNATURES.has(usage) === (purpose === 'sig');
}

function entry(name: string, purpose: Purpose, fits: (key: KeyObject) => boolean): [string, Algorithm] {
  return [name, { purpose, fits }];
}

function ofType(...types: readonly string[]): (key: KeyObject) => boolean {
  return ({ asymmetricKeyType }) => asymmetricKeyType !== undefined && types.includes(asymmetricKeyType);
}

function onCurve(name: string): (key: KeyObject) => boolean {
  return ({ asymmetricKeyType, asymmetricKeyDetails }) =>
    asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === name;
}

function ofAtLeast(bytes: number): (key: KeyObject) => boolean {
  return ({ symmetricKeySize = 0 }) => symmetricKeySize >= bytes;
}

function ofExactly(bytes: number): (key: KeyObject) => boolean {
  return ({ symmetricKeySize }) => symmetricKeySize === bytes;
}

/** JWA agrees on keys with the curves of NIST and with those of RFC 8037. */
function isAgreeing(key: KeyObject): boolean {
  const isOfNist = key.asymmetricKeyType === 'ec' && !onCurve('secp256k1')(key);
  return isOfNist || ofType('x25519', 'x448')(key);
}
